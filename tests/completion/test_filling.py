from hypothesis import given

from boolfact.completion.filling import filled_entries

from strategies import matrix_and_factors


@given(matrix_and_factors())
def test_each_filled_entry_names_the_patterns_that_cover_it(case):
    matrix, factors = case
    filled = filled_entries(factors, matrix)
    assert len(filled) == matrix.n_missing
    for entry in filled:
        covering = [
            u + 1
            for u in range(factors.rank)
            if factors.A[entry.row, u] and factors.B[u, entry.column]
        ]
        assert list(entry.patterns) == covering
        assert entry.value == bool(covering)
