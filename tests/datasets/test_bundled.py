import hashlib

import pytest

from boolfact.datasets import (
    describe_dataset,
    find_dataset,
    list_datasets,
    load_dataset,
)
from boolfact.io.read import as_matrix

FACTS = {
    "zoo": (101, 17, 761, 0), "tumor": (339, 24, 1974, 0), "hepat": (155, 38, 2778, 0),
    "heart": (242, 22, 1830, 0), "lymp": (148, 44, 1887, 0), "audio": (226, 94, 2411, 0),
    "apb": (105, 105, 882, 0), "votes": (434, 32, 6568, 0),
    "tumor_missing": (339, 24, 1974, 670), "hepat_missing": (155, 38, 2778, 334),
    "audio_missing": (226, 92, 2361, 899), "votes_missing": (435, 16, 3421, 392),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_bundled_matrices_have_their_published_shape_and_counts(name):
    X = load_dataset(name)
    assert (*X.shape, X.n_ones, X.n_missing) == FACTS[name]
    assert len(X.row_names) == X.shape[0]
    assert describe_dataset(name).credit


@pytest.mark.parametrize("name", FACTS)
def test_bundled_matrices_are_what_their_files_say_to_any_reader(name):
    X, again = load_dataset(name), as_matrix(find_dataset(name))
    assert X.digest() == again.digest()
    assert X.row_names == again.row_names
    assert X.column_names == again.column_names


def test_the_list_is_complete_and_zoo_is_the_file_that_was_checked():
    assert list_datasets() == list(FACTS)
    digest = hashlib.sha256(find_dataset("zoo").read_bytes()).hexdigest()
    assert digest.startswith("04e33d7ea14e41e331634ac4f104f39b8b96e91cf11bea5e66573d850e39fcb1")


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="did you mean zoo"):
        load_dataset("zooo")
    with pytest.raises(ValueError, match="no bundled dataset"):
        describe_dataset("nothing like it")
