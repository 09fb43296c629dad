import pytest

from boolfact.results.closing import COMMAND, closing_lines
from boolfact.solve.factorize import factorize

from sample_results import sample


def lines_of(result, **options):
    return dict(closing_lines(result, COMMAND, **options))


def test_prices_are_told_where_the_error_is_not_a_count():
    result = factorize("zoo", 2, method="asso", false_one_cost=3, missed_one_cost=2)
    count = result.tally
    assert result.error == 2 * count.missed_ones + 3 * count.false_ones
    assert f"{count.false_ones} zeros covered at 3 each" in lines_of(result)["error"]
    assert "missed at 2 each" in lines_of(result)["error"]


@pytest.mark.parametrize(
    ("settings", "method", "told"),
    [
        ({"bound": "none"}, "auto", "--bound error asks for it"),
        ({"bound": "auto"}, "auto", "a larger --time-limit, or --bound error may"),
        ({"bound": "error"}, "auto", "a larger --time-limit may"),
        ({}, "asso", "--method auto or --method exact does"),
    ],
)
def test_where_nothing_is_proved_it_says_how_to_ask(settings, method, told):
    from dataclasses import replace

    result = replace(sample()[0], settings=settings, method=method)
    assert told in lines_of(result)["proved"]
    assert "objective" not in lines_of(result)
    assert "objective" in lines_of(result, verbose=True)
