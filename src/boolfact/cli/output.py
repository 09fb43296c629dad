"""Output that cannot be written: a full disk, a reader that went away. Nothing found is lost."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from boolfact.cli.common import BAD_INPUT
from boolfact.model.labels import shown

__all__ = ["NO_READER", "Output", "OutputError", "Saved", "keep"]

NO_READER = 141
"""As for any other program whose reader went away, `boolfact ... | head` for example."""


@dataclass(frozen=True)
class Saved:
    """Where something was saved, None for nowhere."""

    path: Path | None


def keep(save: Callable[[Path], Any], out: Path) -> Saved:
    """Save what a long run found; where that fails, among the temporary files instead."""
    try:
        save(out)
        return Saved(out)
    except OSError as error:
        text = f"{out} could not be written ({error.strerror or error})"
    try:
        other = Path(tempfile.mkdtemp(prefix="boolfact-")) / out.name
        save(other)
    except OSError as error:
        print(f"boolfact: {shown(text)}, nor anything else ({error.strerror})", file=sys.stderr)
        return Saved(None)
    print(f"boolfact: {shown(text)}; saved in {shown(str(other))} instead", file=sys.stderr)
    return Saved(other)


class OutputError(Exception):
    """Standard output does not take what is printed."""

    def report(self) -> int:
        """Say so, where there is anything to say; the exit code."""
        # What is still waiting to be printed would fail once more when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        cause = self.__cause__
        if isinstance(cause, BrokenPipeError):
            return NO_READER
        reason = cause.strerror if isinstance(cause, OSError) else cause
        print(f"boolfact: standard output: {reason}", file=sys.stderr)
        return BAD_INPUT


class Output:
    """Standard output, whose failures are told apart from those of other files."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, and tell of failures."""
        try:
            return self._stream.write(text)
        except OSError as error:
            raise OutputError from error

    def flush(self) -> None:
        """Flush, and tell of failures."""
        try:
            self._stream.flush()
        except OSError as error:
            raise OutputError from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
