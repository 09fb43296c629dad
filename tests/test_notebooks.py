"""The tutorials are notebooks: they run, and give the outputs that are stored in them."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import notebooks  # noqa: E402

TUTORIALS = sorted((ROOT / "docs").rglob("*.ipynb"))


def texts(outputs):
    """What is the same in every run: texts without times, and that a picture was drawn."""
    told = []
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            told.append("a picture")
        else:
            text = "".join(output.get("text") or data["text/plain"])
            told.append(re.sub(r"\d+\.\d s\b", "? s", text))
    return told


@pytest.fixture(params=TUTORIALS, ids=lambda path: path.stem)
def notebook(request):
    return notebooks.read(request.param)


def test_both_tutorials_are_there():
    assert {path.stem for path in TUTORIALS} >= {"zoo", "votes"}


def test_a_notebook_gives_its_stored_outputs_again(notebook):
    fresh = notebooks.run(notebook)
    for cell, outputs in zip(notebooks.code_cells(notebook), fresh, strict=True):
        assert texts(outputs) == texts(cell["outputs"]), (
            f"{notebooks.source(cell)}\nIf this is meant to be: "
            "python docs/notebooks.py docs/tutorials/*.ipynb"
        )


def test_a_notebook_was_run_from_top_to_bottom(notebook):
    counts = [cell["execution_count"] for cell in notebooks.code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert any(cell["outputs"] for cell in notebooks.code_cells(notebook))


def test_a_notebook_says_nothing_about_a_machine(notebook):
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"alt", "tags"}
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    for cell in notebooks.code_cells(notebook):
        for output in cell["outputs"]:
            output.get("data", {}).pop("image/png", None)
    assert not re.search(r"/(home|tmp|root|usr|work|Users)/", json.dumps(notebook))


def test_every_picture_of_a_page_has_a_text_and_is_small(notebook):
    page, pictures = notebooks.as_markdown(notebook, "name")
    assert len(pictures) >= 2
    for name, picture in pictures.items():
        assert re.search(rf"!\[[^\]]{{40,}}\]\({name}\)", page)
        assert picture.startswith(b"\x89PNG")
        assert len(picture) < 100_000


def test_output_is_what_a_cell_prints_and_its_last_value():
    cells = ["%matplotlib inline\nx = 20\nprint('a')\nx + 1", "x = 3;", "x", "None"]
    made = {"cells": [{"cell_type": "code", "source": [text]} for text in cells]}
    first, second, third, fourth = notebooks.run(made)
    assert texts(first) == ["a\n", "21"]
    assert second == fourth == []
    assert third[0]["data"] == {"text/plain": ["3"]}
    assert third[0]["execution_count"] == 3


def test_a_cell_that_fails_is_named():
    with pytest.raises(ZeroDivisionError) as caught:
        notebooks.run({"cells": [{"cell_type": "code", "source": ["1 / 0"]}]})
    assert caught.traceback[-1].path == "cell 1" or "cell 1" in str(caught.traceback[-1])
