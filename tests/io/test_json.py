import pytest

from boolfact.io.json import read_json

DEEP, LONG = "[" * 100_000, '{"a": ' + "9" * 10_000 + "}"


@pytest.mark.parametrize("text", ["{", DEEP, LONG, "[1]", "\udcff"], ids=range(5))
def test_what_is_no_object_is_refused_and_the_file_named(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"x\.json"):
        read_json(path)
