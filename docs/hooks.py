"""What MkDocs calls while it builds the site: every notebook becomes a page."""

from __future__ import annotations

from pathlib import Path

import notebooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

__all__ = ["on_files"]


class _NotebookPage(File):
    """A page whose source is a notebook, so links to the notebook lead to the page."""

    def is_documentation_page(self) -> bool:
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put a page, its pictures and the notebook to download in the place of each notebook."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        path = Path(str(file.abs_src_path))
        text, pictures = notebooks.as_markdown(notebooks.read(path), path.stem)
        folder = file.src_uri.rpartition("/")[0]
        download = f"{path.stem}/{path.name}"
        text += (
            f"\nThis page is a notebook: [download {path.name}]({download}) to run it yourself.\n"
        )
        files.remove(file)
        files.append(_NotebookPage.generated(config, file.src_uri, content=text))
        for name, content in {**pictures, download: path.read_bytes()}.items():
            files.append(File.generated(config, f"{folder}/{name}", content=content))
    return files
