import pytest

from boolfact.results.names import pattern_labels


def test_an_empty_name_is_refused():
    with pytest.raises(ValueError, match="empty name"):
        pattern_labels(2, ["tea", " "])
