"""Files of one folder that belong together: all of them are replaced, or none, whatever happens.

New files are written into a folder inside, `.new`, which is then renamed to `.ready`: from that
moment on they count. Then they are moved to their places, one after the other. Whoever is killed
meanwhile leaves a `.ready` folder; readers look there first, and the next writer finishes the work.
Writers wait for each other, and readers for them, where the system can lock a folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from boolfact.io.write import write_whole

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

__all__ = ["current_files", "replace_files"]

_NEW, _READY, _GONE = ".new", ".ready", ".gone"


def replace_files(folder: str | os.PathLike[str], texts: Mapping[str, str | None]) -> Path:
    """Write text files that belong together; None for one that is not to be there any more.

    The folder is made if it is not there, and goes again if nothing can be written into it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = replace_files(Path(folder) / "run", {"a": "1", "b": "2"})
    ...     _ = replace_files(target, {"a": "3", "b": None})
    ...     with current_files(target) as find:
    ...         find("a").read_text(), find("b").exists()
    ('3', False)
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"{target} is a file; expected a folder to write to")
    made = not target.exists()
    try:
        with _locked(target, make=True):
            _finish(target)
            new = target / _NEW
            shutil.rmtree(new, ignore_errors=True)
            try:
                new.mkdir()
                for name, text in texts.items():
                    write_whole(new / (f"{name}{_GONE}" if text is None else name), text or "")
                os.rename(new, target / _READY)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
            _finish(target)
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                target.rmdir()
        raise
    return target


@contextlib.contextmanager
def current_files(folder: str | os.PathLike[str]) -> Iterator[Callable[[str], Path]]:
    """A function from names to the files that count, which stay the same inside this context."""
    target = Path(folder)

    def find(name: str) -> Path:
        ready = target / _READY / name
        gone = ready.with_name(f"{name}{_GONE}")
        # What is gone is looked for where it is not.
        return ready if ready.exists() or gone.exists() else target / name

    with _locked(target, make=False):
        yield find


def _finish(target: Path) -> None:
    """Move the files that count to their places."""
    ready = target / _READY
    if not ready.is_dir():
        return
    for path in sorted(ready.iterdir()):
        if path.name.endswith(_GONE):
            (target / path.name.removesuffix(_GONE)).unlink(missing_ok=True)
            path.unlink()
        else:
            os.replace(path, target / path.name)
    ready.rmdir()


@contextlib.contextmanager
def _locked(target: Path, *, make: bool) -> Iterator[None]:
    """Alone in a folder to write (`make`), together with other readers else."""
    if make:
        target.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = os.open(target, os.O_RDONLY)
    try:
        # Some network drives know no locks.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX if make else fcntl.LOCK_SH)
        if make and not _is_still(target, handle):
            # Somebody who could not write took it away while we waited.
            with _locked(target, make=True):
                yield
        else:
            yield
    finally:
        os.close(handle)


def _is_still(target: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(target), os.fstat(handle))
    except FileNotFoundError:
        return False
