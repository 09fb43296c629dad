"""The Python reference: `api.md` lists what is public, and every line of it becomes a page.

The page `api.md` has sections with lines `::: path.to.object`. While the site is built, each of
these lines becomes a page of its own, and the list becomes a table of links with a sentence each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import griffe

__all__ = ["Entry", "entries", "index", "object_page"]

_SOURCE = Path(__file__).parent.parent / "src"
_LINE = re.compile(r"^::: ([\w.]+)$", flags=re.M)


@dataclass(frozen=True)
class Entry:
    """An object of the reference: its section, and where it is."""

    section: str
    from_top: bool
    path: str

    @property
    def name(self) -> str:
        """Its name without modules."""
        return self.path.rpartition(".")[2]

    @property
    def page(self) -> str:
        """The address of its page, as seen from `api.md`."""
        return f"api/{self.name if self.from_top else self.path}.md"

    @property
    def statement(self) -> str:
        """How to import it."""
        module = "boolfact" if self.from_top else self.path.rpartition(".")[0]
        return f"from {module} import {self.name}"


def entries(text: str) -> list[Entry]:
    """What the text of `api.md` lists."""
    found = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, words = section.split("\n", 1)
        from_top = "Import these from `boolfact`." in words
        found += [Entry(title.strip(), from_top, path) for path in _LINE.findall(words)]
    return found


def index(text: str) -> str:
    """The text of `api.md` with a table of links for every list of objects."""
    known = {entry.path: entry for entry in entries(text)}
    blocks: list[str] = []
    for block in re.split(r"\n\n+", text.strip()):
        line = _LINE.fullmatch(block.strip())
        if line is None:
            blocks.append(block)
            continue
        entry = known[line[1]]
        row = f"| [`{entry.name}`]({entry.page}) | {_first_sentence(entry.path)} |"
        if blocks[-1].startswith("| object"):
            blocks[-1] += "\n" + row
        else:
            blocks.append(f"| object | what it is |\n|---|---|\n{row}")
    return "\n\n".join(blocks) + "\n"


def object_page(entry: Entry, seen_in: dict[str, str]) -> str:
    """The page of one object; `seen_in` are the titles and addresses of examples that use it."""
    parts = [
        f"# {entry.name}",
        f"```python\n{entry.statement}\n```",
        f"::: {entry.path}\n    options:\n      heading_level: 2\n      heading: Reference",
    ]
    if seen_in:
        links = [f"- [{title}]({address})" for address, title in seen_in.items()]
        parts.append("## In the gallery\n\n" + "\n".join(links))
    parts.append("[All of the reference](../api.md), and [what the words mean](../glossary.md).")
    return "\n\n".join(parts) + "\n"


@cache
def _package() -> griffe.Object:
    loaded = griffe.load("boolfact", search_paths=[_SOURCE])
    assert isinstance(loaded, griffe.Object)
    return loaded


def _first_sentence(path: str) -> str:
    """The first line of the docstring, for a table."""
    found = _package()[path.removeprefix("boolfact.")]
    text = found.docstring.value.split("\n\n")[0] if found.docstring else ""
    return " ".join(text.split()).replace("|", "\\|")
