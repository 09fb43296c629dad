"""What MkDocs calls while it builds the site: pages that are made of something else.

Notebooks become pages; so do the lines of the Python reference, the commands, and the examples of
the gallery.
"""

from __future__ import annotations

from pathlib import Path

import commands
import notebooks
import pictures
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["on_config", "on_files"]

_DOCS = Path(__file__).parent


class _Page(File):
    """A page whose source has another name or is none at all, so links lead to the page."""

    def is_documentation_page(self) -> bool:
        return True


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the made pages below the pages that they belong to."""
    sections: dict[str, list[dict[str, str]]] = {}
    for entry in _entries():
        sections.setdefault(entry.section, []).append({entry.name: entry.page})
    below = {
        "api.md": [{title: pages} for title, pages in sections.items()],
        "cli.md": [{f"boolfact {name}": f"cli/{name}.md"} for name in commands.command_names()],
        "gallery.md": [{e.title: f"gallery/{e.name}.md"} for e in pictures.examples()],
    }
    for item in config.nav or []:
        for title, target in item.items():
            if isinstance(target, str) and target in below:
                item[title] = [target, *below[target]]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, with their pictures."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        _replace_notebook(file, files, config)
    examples = pictures.examples()
    for entry in _entries():
        seen_in = {f"../gallery/{e.name}.md": e.title for e in examples if e.uses(entry.name)}
        _add(files, config, entry.page, reference.object_page(entry, seen_in))
    for name in commands.command_names():
        _add(files, config, f"cli/{name}.md", commands.command_page(name))
    for example in examples:
        _add(files, config, f"gallery/{example.name}.md", pictures.example_page(example))
    _change(files, config, "api.md", reference.index(_text("api.md")))
    _change(files, config, "cli.md", _text("cli.md").replace("<!-- all -->", commands.overview()))
    _change(
        files, config, "gallery.md", _text("gallery.md").replace("<!-- all -->", pictures.grid())
    )
    return files


def _entries() -> list[reference.Entry]:
    return reference.entries(_text("api.md"))


def _text(name: str) -> str:
    return (_DOCS / name).read_text("utf-8")


def _add(files: Files, config: MkDocsConfig, uri: str, content: str) -> None:
    files.append(_Page.generated(config, uri, content=content))


def _change(files: Files, config: MkDocsConfig, uri: str, content: str) -> None:
    old = files.get_file_from_path(uri)
    assert old is not None
    files.remove(old)
    _add(files, config, uri, content)


def _replace_notebook(file: File, files: Files, config: MkDocsConfig) -> None:
    """A page, its pictures and the notebook to download in the place of the notebook."""
    path = Path(str(file.abs_src_path))
    text, images = notebooks.as_markdown(notebooks.read(path), path.stem)
    folder = file.src_uri.rpartition("/")[0]
    download = f"{path.stem}/{path.name}"
    text += f"\nThis page is a notebook: [download {path.name}]({download}) to run it yourself.\n"
    files.remove(file)
    _add(files, config, file.src_uri, text)
    for name, content in {**images, download: path.read_bytes()}.items():
        files.append(File.generated(config, f"{folder}/{name}", content=content))
