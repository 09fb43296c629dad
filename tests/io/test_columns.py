import pytest

from boolfact.io.columns import Kind, Note, Request, TooManyValuesError, make_column


def made(cells, name="x", **request):
    return make_column(name, cells, Request(**request))


def values(column):
    return {name: codes.tolist() for name, codes in column.made}


@pytest.mark.parametrize(
    ("cells", "kind", "note"),
    [
        ([None, None], Kind.LEFT_OUT, Note.EMPTY),
        (["a", "a", None], Kind.LEFT_OUT, Note.CONSTANT),
        ([5, 5, 5], Kind.LEFT_OUT, Note.CONSTANT),
        (["2021-03-04", "2021-03-04"], Kind.LEFT_OUT, Note.CONSTANT),
        (["yes", "yes"], Kind.ANSWERS, Note.CONSTANT_ANSWER),
        (["yes", "no", "1"], Kind.ANSWERS, None),
        (["ja", "Nein", "ja"], Kind.ANSWERS, None),
        (["ja", "no", "ja"], Kind.CATEGORIES, None),
        (["ja", "ja"], Kind.LEFT_OUT, Note.CONSTANT),
        (["1,5", "2,5"], Kind.NUMBERS, None),
        ([1, 2, 2, 3], Kind.NUMBERS, Note.CODES),
        ([1.5, 2.5, 2.5], Kind.NUMBERS, None),
        (list(range(100, 110)), Kind.NUMBERS, Note.IDENTIFIER),
        ([31, 44, 52, 60, 23, 48, 71, 66], Kind.NUMBERS, None),
        ([7 * i for i in range(25)], Kind.NUMBERS, Note.IDENTIFIER),
        (list("abcdefgh"), Kind.CATEGORIES, Note.IDENTIFIER),
        (list("aabb"), Kind.CATEGORIES, None),
        (["1", "2", "<5"], Kind.CATEGORIES, Note.MIXED),
        (["1,234", "2,345"], Kind.CATEGORIES, Note.THOUSANDS),
        (["2021-03-04", "2020-01-01"], Kind.DATES, Note.DATES),
        (["4.3.2021", "01.01.2020 08:15"], Kind.DATES, Note.DATES),
        (["13/03/2021", "01/02/2020"], Kind.DATES, Note.DATES),
        (["03/04/2021", "01/02/2020"], Kind.LEFT_OUT, Note.TWO_WAYS),
        (["31.02.2021", "01.01.2020"], Kind.CATEGORIES, None),
    ],
)
def test_a_column_is_taken_as_what_its_cells_are(cells, kind, note):
    column = made(cells)
    assert (column.kind, column.note) == (kind, note)


def test_a_title_that_says_so_makes_few_numbers_an_identifier():
    numbers = [31, 44, 52, 60, 23, 48, 71, 66]
    assert made(numbers, "patient_id").note is Note.IDENTIFIER
    assert made(numbers, "age").note is None


def test_dates_are_split_at_the_median_day_or_where_said():
    cells = ["2021-03-04", None, "2020-01-01", "2022-01-01"]
    assert values(made(cells)) == {"x<=2021-03-04": [1, -1, 1, 0], "x>2021-03-04": [0, -1, 0, 1]}
    early = made(cells, threshold="2020-06-01")
    assert values(early)["x<=2020-06-01"] == [0, -1, 1, 0]
    assert early.note is None
    with pytest.raises(ValueError, match="must be one such as 2021-03-04, got '40'"):
        made(cells, threshold="40")


def test_slashes_are_read_in_the_one_way_that_is_possible():
    day_first = values(made(["13/03/2021", "01/12/2020", "02/01/2021"]))
    assert day_first["x<=2021-01-02"] == [0, 1, 1]
    assert values(made(["03/13/2021", "12/01/2020", "01/02/2021"])) == day_first


def test_decimals_and_thousands_are_read_as_said():
    cells = ["1.234", "2.345", "1.000"]
    assert list(values(made(cells))) == ["x<=1.234", "x>1.234"]
    assert list(values(made(cells, decimal=","))) == ["x<=1234", "x>1234"]
    assert list(values(made(["1,234", "2,345", "1,000"], decimal="."))) == ["x<=1234", "x>1234"]
    assert made(["1.5", "2.5"], decimal=",").kind is Kind.CATEGORIES


def test_categories_of_numbers_and_both_answers_where_said():
    assert list(values(made([1, 2, 2], categorical=True))) == ["x=1", "x=2"]
    both = made(["yes", None, "no"], both=True)
    assert values(both) == {"x=no": [0, -1, 1], "x=yes": [1, -1, 0]}
    assert both.missing == 1


def test_answers_in_other_languages_keep_their_words():
    cells = ["nein", None, "ja", "JA"]
    one = made(cells)
    assert (values(one), one.detail) == ({"x": [0, -1, 1, 1]}, "ja = 1, nein = 0")
    assert values(made(cells, both=True)) == {"x=nein": [1, -1, 0, 0], "x=ja": [0, -1, 1, 1]}
    assert list(values(made(cells, categorical=True))) == ["x=JA", "x=ja", "x=nein"]


def test_too_many_values_say_what_they_look_like():
    with pytest.raises(TooManyValuesError) as caught:
        made(["<5", *map(str, range(9))], most_values=5)
    assert (caught.value.count, caught.value.note) == (10, Note.MIXED)
    assert caught.value.examples == ("<5",)


def test_large_thresholds_keep_their_digits():
    assert next(iter(values(made([1234567, 1234569, 7], threshold=1234568)))) == "x<=1234568"
