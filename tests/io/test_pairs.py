import numpy as np
import pandas as pd
import pytest

from boolfact.io.pairs import PairMatrix, looks_like_pairs, read_pairs
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows, shape_of

RIGHTS = "user,permission\nann,read\nann,pay\nbob,read\ncyd,pay\ncyd,read\n"


def write(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_users_and_permissions_become_a_matrix_with_their_names(tmp_path):
    X = read_pairs(write(tmp_path, RIGHTS))
    assert (X.row_names, X.column_names) == (("ann", "bob", "cyd"), ("read", "pay"))
    assert X.values.tolist() == [[1, 1], [1, 0], [1, 1]]


def test_clear_pairs_are_seen_wherever_data_are_read(tmp_path):
    path = write(tmp_path, RIGHTS)
    expected = read_pairs(path).values
    assert (as_matrix(path).values == expected).all()
    rows = as_rows(path)
    assert (rows.values(slice(None)) == expected).all()
    assert rows.row_names == ("ann", "bob", "cyd")
    assert shape_of(path) == (3, 2)


@pytest.mark.parametrize(
    ("text", "name", "clear"),
    [
        (RIGHTS, "x.csv", True),
        ("milk,bread\nmilk\nbread,tea,milk\ntea,bread\n", "x.txt", True),
        # A matrix, a table of two categories, numbers, prose, too little to tell.
        ("who,tea\nann,yes\nann,no\nbob,yes\n", "x.csv", False),
        ("sex,stage\nf,early\nm,late\nf,early\nm,early\n", "x.csv", False),
        ("1 2\n1 3\n2 3\n", "x.txt", False),
        # Numbers are edges where a title or a comment says so, unless some stand twice, none
        # comes again, or all could be entries.
        ("source,target\n0,1\n0,2\n2,1\n", "x.csv", True),
        ("# FromNodeId\tToNodeId\n0\t1\n0\t2\n2\t1\n3\t1\n", "x.txt", True),
        ("user_id;item_id\n7;1\n7;2\n9;1\n", "x.csv", True),
        ("% bip\n0 1\n1 0\n1 1\n0 0\n", "x.txt", False),
        ("item,value\n1,2\n2,2\n3,4\n", "x.csv", False),
        ("age,weight\n40,70\n41,70\n40,71\n", "x.csv", False),
        ("source,target\n0,1\n0,1\n2,1\n", "x.csv", False),
        ("It was a dark night.\nIt was a storm.\nIt was a ship at sea.\n", "x.txt", False),
        ("ann,read\n", "x.csv", False),
        (RIGHTS, "x.npy", False),
        ("1,0,1\n1,0\n1,1,1,0\n", "x.csv", False),
    ],
)
def test_only_what_is_clear_is_taken_as_pairs(tmp_path, text, name, clear):
    assert looks_like_pairs(write(tmp_path, text, name)) is clear


def test_a_threshold_says_that_numbers_are_no_names(tmp_path):
    path = write(tmp_path, "source,target\n0,1\n0,2\n2,1\n")
    assert as_matrix(path).column_names == ("1", "2")
    assert as_rows(path).column_names == ("1", "2")
    assert as_matrix(path, binarize=1).values.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert as_rows(path, binarize=1).shape == (3, 2)
    assert shape_of(path, binarize=1) is not None
    assert not looks_like_pairs(path, binarize=1)


def test_pairs_of_a_parquet_file_and_of_a_frame_are_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"user": [7, 7, 9], "right": ["x", "y", "x"], "since": [1, 2, 3]})
    frame.to_parquet(tmp_path / "x.parquet", index=False)
    for source in (frame, tmp_path / "x.parquet"):
        X = read_pairs(source, drop=["since"])
        assert (X.row_names, X.column_names) == (("7", "9"), ("x", "y"))
        assert X.values.tolist() == [[1, 1], [1, 0]]


def test_what_is_no_matrix_may_be_pairs_and_the_error_says_how(tmp_path):
    ragged = write(tmp_path, "1 2 3\n1 3\n2 3 4 5\n", "x.txt")
    other = write(tmp_path, "1 2 3\n1 3\n2 3 4 5\n", "x.dat")
    for path, message in ((ragged, "line 2 has 2 cells"), (other, "unknown file type '.dat'")):
        with pytest.raises(ValueError, match=message) as caught:
            as_matrix(path)
        assert "read_pairs reads pairs and lists" in str(caught.value)
        assert read_pairs(path, baskets=True).shape == (3, 5)
    with pytest.raises(ValueError, match="workbooks are not read; save the sheet as CSV"):
        read_pairs(write(tmp_path, "x", "x.xlsx"))


def test_a_first_pair_is_a_title_only_where_its_words_are_titles(tmp_path):
    plain = RIGHTS.partition("\n")[2]
    assert read_pairs(write(tmp_path, plain)).shape == (3, 2)
    odd = write(tmp_path, "Benutzer,Recht\n" + plain)
    assert read_pairs(odd).shape == (4, 3)
    assert read_pairs(odd, header=True).shape == (3, 2)
    assert read_pairs(write(tmp_path, RIGHTS), header=False).shape == (4, 3)
    # Words of titles that come again are names.
    assert read_pairs([("user", "item"), ("user", "read")]).shape == (1, 2)


def test_edges_with_comments_and_the_entry_beside_them(tmp_path):
    edges = write(tmp_path, "# from to\n0 1\n0 2\n2 1\n2 1\n", "x.edges")
    X = read_pairs(edges)
    assert (X.row_names, X.column_names) == (("0", "2"), ("1", "2"))
    assert "1 was given more than once" in PairMatrix(edges).told()
    valued = write(tmp_path, "user;item;likes\nann;tea;1\nann;jazz;0\nbob;tea;?\nbob;jazz;yes\n")
    assert read_pairs(valued).values.tolist() == [[1, 0], [-1, 1]]
    rated = [("ann", "tea", 4.5), ("ann", "jazz", 2), ("bob", "tea", 1)]
    assert read_pairs(rated, binarize=3).values.tolist() == [[1, 0], [0, 0]]


def test_lists_of_items_are_named_by_what_stands_before_them_or_by_their_line(tmp_path):
    X = read_pairs(write(tmp_path, "milk, bread\n\nbread,tea,milk\ntea\n", "x.txt"))
    assert X.row_names == ("line 1", "line 3", "line 4")
    assert X.values.tolist() == [[1, 1, 0], [1, 1, 1], [0, 0, 1]]
    named = write(tmp_path, "ann: milk, tea\nbob:\ncyd: tea, tea\n", "x.txt")
    X = read_pairs(named, baskets=True)
    assert (X.row_names, X.column_names) == (("ann", "bob", "cyd"), ("milk", "tea"))
    assert X.values.tolist() == [[1, 1], [0, 0], [0, 1]]


def test_other_columns_can_be_left_out_by_their_titles(tmp_path):
    path = write(tmp_path, "user,since,permission\nann,2021,read\nbob,2020,pay\n")
    with pytest.raises(ValueError, match=r"line 2: entry 'read' is not understood.*drop"):
        read_pairs(path)
    assert read_pairs(path, drop=["since"]).column_names == ("read", "pay")
    with pytest.raises(ValueError, match="no column 'when'; there is user, since, permission"):
        read_pairs(path, drop=["when"])


def test_a_frame_of_pairs(tmp_path):
    frame = pd.DataFrame({"user": ["a", "b"], "right": ["x", "x"]})
    X = read_pairs(frame)
    assert (X.row_names, X.column_names) == (("a", "b"), ("x",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the list is empty"),
        ("user,permission\n", "titles but no pair"),
        ("ann,\nbob,read\n", "line 1: the column has no name"),
        ("ann,read,1\nann,read,0\n", "line 2: 'ann', 'read' is given with different entries"),
        ("ann,read,7\nbob,read,1\n", "line 1: entry '7' is not understood"),
        ("a,b,c,d\ne,f,g,h\n", "line 1 has 4 cells; expected two, or three"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_with_its_place(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        read_pairs(path)
    assert str(path) in str(caught.value)


def test_sparse_and_dense_agree_on_random_lists():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(1, 40))
        pairs = [(f"r{i}", f"c{j}", str(v)) for i, j, v in
                 {(i, j): (i, j, v) for i, j, v in
                  zip(rng.integers(0, 6, n), rng.integers(0, 6, n),
                      rng.choice(["0", "1", "?"], n), strict=True)}.values()]  # fmt: skip
        matrix = PairMatrix(pairs)
        assert (matrix.in_rows().values(slice(None)) == matrix.dense().values).all()
        assert matrix.in_rows().column_names == matrix.dense().column_names


def test_a_small_table_of_answers_in_words_is_no_list_of_pairs(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("raucht,hustet\nja,ja\nja,nein\nnein,ja\n")
    assert not looks_like_pairs(path)
    path.write_text("user,right\nja,lesen\nja,sehen\nnele,lesen\n")
    assert looks_like_pairs(path)
