import pytest


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "mydata.csv"
    path.write_text("who,likes tea,likes jazz,sings\nann,yes,no,\nbob,1,0,0\ncyd,0,?,true\n")
    return path
