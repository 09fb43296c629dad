"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, whole or not at all; its folder is made if it is not there.

    The text is written beside the file and put in its place at the end. Line ends stay as they
    are, and who may read the file is what the umask says, as for any other new file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "deep" / "x.csv", "1,0").read_text()
    '1,0'
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}-{secrets.token_hex(6)}")
    try:
        with scratch.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.replace(scratch, target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    return target
