"""Notebooks without Jupyter: run them and store their outputs, and show them as Markdown.

`python docs/notebooks.py docs/tutorials/*.ipynb` runs notebooks in this Python, from top to bottom,
and writes their outputs into them. The cells are plain Python whose outputs are text or a
matplotlib figure; they give the same in Jupyter. Nothing about the machine is stored.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["as_markdown", "code_cells", "read", "run", "source", "write"]

_DOTS_PER_INCH = 80

Notebook = dict[str, Any]
Output = dict[str, Any]


def read(path: Path) -> Notebook:
    """The notebook in a file."""
    notebook: Notebook = json.loads(path.read_text("utf-8"))
    return notebook


def write(path: Path, notebook: Notebook) -> None:
    """Write a notebook the way Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", "utf-8")


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def run(notebook: Notebook) -> list[list[Output]]:
    """Run all code cells, in a folder that goes away afterwards; the outputs of each of them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        return [_outputs(cell, place, names) for place, cell in enumerate(code_cells(notebook), 1)]


def _outputs(cell: dict[str, Any], place: int, names: dict[str, Any]) -> list[Output]:
    # Lines such as %matplotlib inline are for Jupyter.
    lines = [line for line in source(cell).splitlines() if not line.startswith("%")]
    tree = ast.parse("\n".join(lines), filename=f"cell {place}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {place}", "exec"), names)
        if last is not None:
            expression = ast.Expression(last.value)  # type: ignore[attr-defined]
            value = eval(compile(expression, f"cell {place}", "eval"), names)
    outputs: list[Output] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
        )
    if value is not None and not _is_silenced(source(cell)):
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": place,
                "metadata": {},
                "data": _shown(value),
            }
        )
    return outputs


def _is_silenced(text: str) -> bool:
    return text.rstrip().endswith(";")


def _shown(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"text/plain": _lines(repr(value))}
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
        data["image/png"] = base64.b64encode(_smaller(picture)).decode("ascii")
    return data


def _smaller(picture: io.BytesIO) -> bytes:
    """The same picture with a palette: a third of the bytes."""
    from PIL import Image

    small = io.BytesIO()
    with Image.open(picture) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(
            small, "png", optimize=True
        )
    return small.getvalue()


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def as_markdown(notebook: Notebook, name: str) -> tuple[str, dict[str, bytes]]:
    """A page with the stored outputs, and its pictures by file name.

    The text that stands for a picture is kept in the metadata of its cell, under `alt`.
    """
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(source(cell))
            continue
        shown = "\n".join(line for line in source(cell).splitlines() if not line.startswith("%"))
        parts.append(f"```python\n{shown.strip()}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                file = f"{name}-{len(pictures) + 1}.png"
                pictures[file] = base64.b64decode(data["image/png"])
                parts.append(f"![{cell['metadata']['alt']}]({file})")
            else:
                text = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n", pictures


def _main(paths: list[str]) -> None:
    os.environ.setdefault("MPLBACKEND", "agg")
    for path in map(Path, paths):
        notebook = read(path)
        for place, (cell, outputs) in enumerate(
            zip(code_cells(notebook), run(notebook), strict=True), 1
        ):
            cell["outputs"], cell["execution_count"] = outputs, place
        write(path, notebook)
        print(f"{path}: {len(code_cells(notebook))} cells run")


if __name__ == "__main__":
    _main(sys.argv[1:])
