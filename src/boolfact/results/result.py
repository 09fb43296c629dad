"""What a run gives back: factors, bounds, status, trace; saved to and loaded from a folder."""

from __future__ import annotations

import csv
import enum
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.trace import Trace, TracePoint
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Result", "Status"]

_FORMAT = 1
_RESULT, _A, _B, _CERTIFICATE = "result.json", "A.csv", "B.csv", "certificate.json"


class Status(enum.Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    """The error is proved to be the least possible."""
    OBJECTIVE_OPTIMAL = "objective optimal"
    """The MIP(rho) objective is proved optimal; the error may not be."""
    HEURISTIC = "heuristic"
    """The method did all it does; nothing is proved beyond the bounds shown."""
    TIME_LIMIT = "time limit"
    ITERATION_LIMIT = "iteration limit"
    TARGET = "target reached"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Result:
    """A factorisation and what is known of it.

    Attributes
    ----------
    A, B : ndarray of bool, shapes (n, k) and (k, m)
    error : int
        Weight of the observed entries in which the Boolean product differs from the data.
    objective : float
        The MIP(rho) objective of the solution; at least the error when rho is 1.
    objective_lower_bound : float or None
        Proved, on the objective of any solution of rank k.
    error_lower_bound : float or None
        Proved, on the error of any solution of rank k.
    gap : float or None
        (error - error_lower_bound) / error, 0 for an error of 0; None without a bound.
    status : Status
    trace : Trace
    seconds : float
    certificate : dict or None
        What proves the bounds; see `boolfact.certificate`.
    """

    A: NDArray[np.bool_]
    B: NDArray[np.bool_]
    error: int
    objective: float
    status: Status
    k: int
    method: str
    dataset: str | None = None
    objective_lower_bound: float | None = None
    error_lower_bound: float | None = None
    seconds: float = 0.0
    seed: int = 0
    rho: Fraction = Fraction(1)
    iterations: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None
    digest: str = ""
    trace: Trace = field(default_factory=Trace)
    certificate: dict[str, Any] | None = None

    @property
    def factors(self) -> Factors:
        """A and B as one object."""
        return Factors(self.A, self.B)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the data."""
        return self.factors.shape

    @property
    def gap(self) -> float | None:
        """How far the error can be from the least possible, relative to the error."""
        if self.error_lower_bound is None:
            return None
        if self.error == 0:
            return 0.0
        return max(0.0, (self.error - self.error_lower_bound) / self.error)

    def as_dict(self) -> dict[str, Any]:
        """The figures of the run, ready for JSON."""
        n, m = self.shape
        return {
            "dataset": self.dataset,
            "n": n,
            "m": m,
            "k": self.k,
            "method": self.method,
            "error": self.error,
            "objective": _plain(self.objective),
            "objective_lower_bound": _plain(self.objective_lower_bound),
            "error_lower_bound": _plain(self.error_lower_bound),
            "gap": self.gap,
            "status": self.status.value,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
        }

    def summary(self) -> str:
        """A few lines of text with the figures and the patterns by name.

        Examples
        --------
        >>> import boolfact
        >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 1], [0, 1, 1]], 2, time_limit=1)
        >>> print(result.summary())  # doctest: +ELLIPSIS
        3 x 3, rank 2, method auto, ...
        """
        n, m = self.shape
        lines = [
            f"{n} x {m}, rank {self.k}, method {self.method}, {self.status.value}, "
            f"{self.seconds:.1f} s",
            f"error {self.error}" + _bound_text(self.error_lower_bound, self.gap),
            f"objective {_plain(self.objective)}" + _bound_text(self.objective_lower_bound, None),
        ]
        for u in range(self.k):
            rows = int(self.A[:, u].sum())
            names = [self._column(int(j)) for j in np.flatnonzero(self.B[u])]
            lines.append(f"pattern {u + 1}: {rows} rows: {', '.join(names) or 'empty'}")
        return "\n".join(lines)

    def _column(self, j: int) -> str:
        return self.column_names[j] if self.column_names else str(j)

    def complete(self, X: BinaryMatrix) -> BinaryMatrix:
        """The data with its missing entries filled by the patterns.

        Parameters
        ----------
        X : BinaryMatrix
            The data that was factorised (`boolfact.as_matrix` reads other kinds).

        Examples
        --------
        >>> import boolfact
        >>> X = boolfact.as_matrix([[1, 1, 0], [1, None, 0], [0, 0, 1]])
        >>> boolfact.factorize(X, 2, time_limit=5).complete(X).values.tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
        """
        if not isinstance(X, BinaryMatrix):
            raise TypeError(f"X must be a BinaryMatrix (see boolfact.as_matrix), got {type(X)}")
        return self.factors.complete(X)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write result.json, A.csv, B.csv and, where there is one, certificate.json.

        The folder is made if it is not there. Everything is written beside it first and put
        in its place at the end, so that a failure leaves nothing half-written.
        """
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(f"{target} is a file; expected a folder to write to")
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            self._write(scratch)
            if target.exists():
                if not (scratch / _CERTIFICATE).exists():
                    (target / _CERTIFICATE).unlink(missing_ok=True)
                for written in sorted(scratch.iterdir()):
                    os.replace(written, target / written.name)
            else:
                # A folder made by mkdtemp is closed to others; a result is not a secret.
                scratch.chmod(0o777 & ~_umask())
                os.replace(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return target

    def _write(self, folder: Path) -> None:
        document = {
            "format": _FORMAT,
            **self.as_dict(),
            "rho": str(self.rho),
            "iterations": self.iterations,
            "settings": self.settings,
            "digest": self.digest,
            "counters": self.trace.counters,
            "trace": [asdict(point) for point in self.trace.points],
        }
        (folder / _RESULT).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        patterns = [f"pattern {u + 1}" for u in range(self.k)]
        n, m = self.shape
        rows = self.row_names or tuple(map(str, range(n)))
        columns = self.column_names or tuple(map(str, range(m)))
        _write_csv(folder / _A, ("row", *patterns), rows, self.A)
        _write_csv(folder / _B, ("pattern", *columns), patterns, self.B)
        if self.certificate is not None:
            text = json.dumps(self.certificate, separators=(",", ":"))
            (folder / _CERTIFICATE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Result:
        """Read what `save` wrote; a damaged file is refused and named."""
        source = Path(folder)
        if not source.is_dir():
            raise FileNotFoundError(f"there is no result folder {source}")
        document = _read_json(source / _RESULT)
        rows, A = _read_csv(source / _A)
        _, B = _read_csv(source / _B)
        columns = _header(source / _B)[1:]
        certificate = None
        if (source / _CERTIFICATE).exists():
            certificate = _read_json(source / _CERTIFICATE)
        try:
            if document["format"] != _FORMAT:
                raise ValueError(f"format {document['format']} is not known")
            shape = (document["n"], document["m"], document["k"])
            if (A.shape[0], B.shape[1], A.shape[1]) != shape or B.shape[0] != shape[2]:
                raise ValueError(f"{_A} {A.shape} and {_B} {B.shape} do not fit n, m, k = {shape}")
            trace = Trace(
                [TracePoint(**point) for point in document["trace"]], dict(document["counters"])
            )
            return cls(
                A=A,
                B=B,
                error=int(document["error"]),
                objective=float(document["objective"]),
                status=Status(document["status"]),
                k=int(document["k"]),
                method=str(document["method"]),
                dataset=document["dataset"],
                objective_lower_bound=document["objective_lower_bound"],
                error_lower_bound=document["error_lower_bound"],
                seconds=float(document["seconds"]),
                seed=int(document["seed"]),
                rho=Fraction(document["rho"]),
                iterations=int(document["iterations"]),
                settings=dict(document["settings"]),
                row_names=tuple(rows),
                column_names=tuple(columns),
                digest=str(document["digest"]),
                trace=trace,
                certificate=certificate,
            )
        except (KeyError, TypeError, ValueError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{source / _RESULT}: not a result of this program: {what}") from error


def _plain(value: float | None) -> float | int | None:
    """Whole numbers without a trailing .0."""
    if value is None:
        return None
    return int(value) if float(value).is_integer() else float(value)


def _bound_text(bound: float | None, gap: float | None) -> str:
    if bound is None:
        return ""
    text = f", proved at least {_plain(bound)}"
    # Rounded up, after taking off the noise of floats, so that 0.0 % means proved.
    return text if gap is None else f"{text} (gap {math.ceil(round(1000 * gap, 6)) / 10:.1f} %)"


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _write_csv(
    path: Path, header: Iterable[str], names: Iterable[str], values: NDArray[np.bool_]
) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(list(header))
        for name, row in zip(names, values.astype(int), strict=True):
            writer.writerow([name, *row])


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream))


def _read_csv(path: Path) -> tuple[list[str], NDArray[np.bool_]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            _, *rows = csv.reader(stream)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a readable factor file") from error
    cells = [row[1:] for row in rows]
    if not rows or any(len(row) != len(cells[0]) for row in cells):
        raise ValueError(f"{path}: rows of different length")
    if any(cell not in ("0", "1") for row in cells for cell in row):
        raise ValueError(f"{path}: expected only 0 and 1 as entries")
    return [row[0] for row in rows], np.array(cells) == "1"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path}: expected a JSON object")
    return document
