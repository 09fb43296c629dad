"""The gallery: small programs that each draw one picture, and the pages made of them.

`python docs/pictures.py` runs all programs of `docs/gallery/` and writes their pictures beside
them; with names after it, those alone. Each program begins with a docstring, whose first line is
its title and whose last paragraph describes the picture, and ends with a figure called `figure`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["GALLERY", "Example", "draw", "example_page", "examples", "grid", "main"]

GALLERY = Path(__file__).parent / "gallery"
_DOTS_PER_INCH = 90


@dataclass(frozen=True)
class Example:
    """A program of the gallery."""

    name: str
    title: str
    words: str
    picture_text: str
    code: str

    def uses(self, name: str) -> bool:
        """Whether the program names an object."""
        return re.search(rf"\b{name}\b", self.code) is not None


def examples() -> list[Example]:
    """All programs of the gallery, by name."""
    return [_read(path) for path in sorted(GALLERY.glob("*.py"))]


def draw(example: Example) -> tuple[Figure, str]:
    """Run a program, in a folder that goes away; its figure, and what it printed."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as scratch,
        contextlib.chdir(scratch),
        contextlib.redirect_stdout(printed),
    ):
        exec(compile(example.code, f"{example.name}.py", "exec"), names)
    figure: Figure = names["figure"]  # type: ignore[assignment]
    return figure, printed.getvalue()


def example_page(example: Example) -> str:
    """The page of one program: words, picture, code."""
    return (
        f"# {example.title}\n\n{example.words}\n\n"
        f"![{example.picture_text}]({example.name}.png)\n\n"
        f"```python\n{example.code}```\n\n[The gallery](../gallery.md)\n"
    )


def grid() -> str:
    """All pictures in small, with links to their pages."""
    cells = [
        f"-   [![{e.picture_text}](gallery/{e.name}.png)](gallery/{e.name}.md)\n\n"
        f"    [{e.title}](gallery/{e.name}.md)"
        for e in examples()
    ]
    return '<div class="grid cards gallery" markdown>\n\n' + "\n\n".join(cells) + "\n\n</div>"


def main(names: list[str]) -> None:
    """Draw the programs that are named, or all of them."""
    known = {example.name: example for example in examples()}
    for name in names or known:
        figure, printed = draw(known[name])
        # No date and no version of the library: the same picture is the same file.
        figure.savefig(GALLERY / f"{name}.png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
        print(f"{name}: {' '.join(printed.split())}")


def _read(path: Path) -> Example:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    title, *paragraphs = (ast.get_docstring(tree) or "").split("\n\n")
    if len(paragraphs) < 2:
        raise ValueError(f"{path}: expected a title, words, and a last paragraph on the picture")
    *words, last = (" ".join(paragraph.split()) for paragraph in paragraphs)
    code = "".join(text.splitlines(keepends=True)[tree.body[0].end_lineno :]).lstrip("\n")
    return Example(path.stem, title.rstrip("."), "\n\n".join(words), last, code)


if __name__ == "__main__":
    main(sys.argv[1:])
