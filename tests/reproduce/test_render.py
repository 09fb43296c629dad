import csv
import io

from boolfact.reproduce.render import Entry, as_csv, as_markdown

ENTRIES = [
    Entry("zoo", 2, "auto", 271, 271, 1.5),
    Entry("heart", 2, "auto", 1185, 1187),
    Entry("zoo", 5, "auto", 126.25, 125, note="proved"),
    Entry("heart", 5, "auto", None, 736),
]


def test_csv_has_the_difference_of_every_figure():
    rows = list(csv.DictReader(io.StringIO(as_csv(ENTRIES))))
    assert [row["difference"] for row in rows] == ["0", "-2", "1.25", ""]
    assert rows[0]["seconds"] == "1.5"
    assert rows[2]["note"] == "proved"


def test_markdown_has_a_column_for_each_dataset():
    text = as_markdown("Title", "Remark.", ENTRIES)
    assert text.startswith("# Title\n\nRemark.\n")
    assert "| k |  | zoo | heart |" in text
    assert "| 2 | auto | 271 (271, 0) | 1185 (1187, -2) |" in text
    assert "| 5 | auto | 126.25 [proved] (125, +1.25) | – (736) |" in text


def test_without_ranks_there_is_no_column_for_them():
    text = as_markdown("T", "R", [Entry("zoo", None, "n", 101, 101), Entry("zoo", None, "m", 17)])
    assert "|  | zoo |" in text
    assert "| m | 17 |" in text


def test_a_difference_too_small_to_show_has_no_sign():
    entries = [Entry("zoo", 2, "up", 272.0004, 272), Entry("zoo", 2, "down", 271.9996, 272)]
    assert as_markdown("T", "R", entries).count("272 (272, 0)") == 2
