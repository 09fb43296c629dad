import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.model.labels import shown


@pytest.mark.parametrize("name", ["Zürich", "猫", "a b", "שלום", 'x <b> & "y"'])
def test_ordinary_names_stay_as_they_are(name):
    assert shown(name) == name


@given(st.text())
def test_nothing_that_is_shown_acts_on_what_is_around_it(text):
    clean = shown(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in clean)
    assert not set("\u202e\u2066\u200f\u2028\u2029") & set(clean)
    clean.encode("utf-8")
