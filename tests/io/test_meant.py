from boolfact.io.meant import meant_matrix
from boolfact.io.pairs import PairMatrix


def test_pairs_are_meant_by_a_file_that_clearly_holds_them(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("ann,read\nann,pay\nbob,read\nbob,pay\n")
    assert isinstance(meant_matrix(path), PairMatrix)
    path.write_text("1,0\n0,1\n")
    assert meant_matrix(path) is path
    assert meant_matrix("zoo") == "zoo"
