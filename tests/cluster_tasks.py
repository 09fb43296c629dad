"""Work for the workers of a cluster: they import it by this name."""

import os
import signal


def add(numbers, other):
    return int(numbers.sum()) + other


def fail():
    raise ValueError("as it should")


def end_once(path):
    """The first process to do this ends as if it had been killed."""
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done by another"
