"""Runs commands in this process, or as somebody whom permissions bind, for tests."""

import functools
import os
import shutil
import subprocess

from typer.testing import CliRunner

from boolfact.cli.app import app

FAST = ["--time-limit", "2", "--quiet"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@functools.cache
def bound_by_permissions():
    """What stands before a command that may not write into closed folders; None if it still may.

    Root may write anywhere, unless its capabilities are dropped.
    """
    if os.name != "posix":
        return None
    if os.geteuid() != 0:
        return ()
    prefix = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    if shutil.which("setpriv") is None:
        return None
    tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if tried.returncode == 0 else None
