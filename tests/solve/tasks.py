"""What tests of engines and methods begin with."""

from contextlib import contextmanager
from fractions import Fraction

from boolfact.control.executor import make_executor
from boolfact.control.progress import silent
from boolfact.datasets import load_dataset
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

ZOO = reduce_matrix(load_dataset("zoo")).matrix


@contextmanager
def started(stop, k=5, workers=2, progress=silent, bound="auto", matrix=ZOO, seed=0):
    """A task, the state of a run that begins, and its reporter."""
    with make_executor(workers) as executor:
        task = Task(matrix, k, Fraction(1), seed, stop, executor, bound)
        state = State.begin(matrix, k, task.rho, seed)
        yield task, state, Reporter(state, progress)
