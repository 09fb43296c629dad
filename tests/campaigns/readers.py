"""Files that nobody would write, for every reader: read or refused, and nothing else.

    python tests/campaigns/readers.py --minutes 5 --seed 0
    python tests/campaigns/readers.py --atheris csv -max_total_time=60

Each input is a small file of a kind with some edits. It must be read, into a matrix of 0, 1 and
missing, or be refused with a ValueError or its like, within seconds and within memory; the reader
of dense data and the one of large data must not differ; a certificate must not prove what is
false. Input i of a kind is the same whenever it runs. They run in processes of their own, so one
that ends its process is seen, too. With --atheris, which must be installed, a fuzzer that sees
which lines are reached takes the place of chance. Exit code 1: something was wrong; it says what.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import io
import json
import math
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def _watched():
    """With --atheris, readers that are imported inside tell it which lines are reached."""
    if "--atheris" not in sys.argv:
        return contextlib.nullcontext()
    import atheris

    return atheris.instrument_imports(include=["boolfact.io"])


with _watched():
    import boolfact
    import boolfact.io.formats
    import boolfact.io.read
    import boolfact.io.streams
    from boolfact.io import limits
    from boolfact.io.binarize import read_table
    from boolfact.io.rows import as_rows, shape_of

from boolfact.certificate import verify_certificate, verify_result  # noqa: E402
from boolfact.certificate.document import seal  # noqa: E402
from boolfact.results.result import Result  # noqa: E402

import naive  # noqa: E402

REFUSALS = (ValueError, TypeError, FileNotFoundError)
X = boolfact.as_matrix(
    [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 1, None, 1], [1, 0, 0, 1]],
)
K = 2
LEAST = naive.best_error(X.values, X.weights, K)
BATCH = 100
"""Inputs for one process."""
SECONDS = 20
"""Of processor time, for one input."""
SILENCE = 600
"""Seconds until a process that says nothing is given up."""
ROOM = 6 << 30
"""Bytes of memory for a process; files may ask for no more than a sixth of it."""

ABSURD_TEXT = [
    b"", b"0", b"-1", b"1e999", b"nan", b"9" * 30, b"\x00", b"\xff\xfe", b'"', b",", b"\n", b"\r",
    b"2147483648", b"9223372036854775808", b"[" * 50, b"{", b"\xe2\x80\xae", b"\x1b[31m", b"=1+1",
]  # fmt: skip
ABSURD_VALUE = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**40, 0.5, float("nan"), float("inf"), "", "x", "1/0",
    "-1/3", "9" * 5000, [], [[]], {}, {"x": 1}, "\ud800", "../../x", [1, 2, 3],
]  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """One change: what it does, in which file of several, where, how long, and with what."""

    operation: str
    member: int
    place: float
    size: int
    what: int


OPERATIONS = ["flip", "set", "delete", "copy", "cut", "insert", "number", "value"]


def random_edits(rng: random.Random) -> list[Edit]:
    """Mostly one or two."""
    count = min(6, 1 + int(rng.expovariate(1.0)))
    return [
        Edit(rng.choice(OPERATIONS), rng.randrange(8), rng.random(), rng.randrange(64),
             rng.randrange(256))
        for _ in range(count)
    ]  # fmt: skip


def edited(data: bytes, edit: Edit) -> bytes:
    """The bytes with one change."""
    at = int(edit.place * len(data))
    end = min(len(data), at + edit.size)
    if edit.operation == "flip" and at < len(data):
        return data[:at] + bytes([data[at] ^ (1 << edit.what % 8)]) + data[at + 1 :]
    if edit.operation == "set" and at < len(data):
        return data[:at] + bytes([edit.what]) + data[at + 1 :]
    if edit.operation == "delete":
        return data[:at] + data[end:]
    if edit.operation == "copy":
        return data[:at] + data[at:end] * (1 + edit.what % 20) + data[end:]
    if edit.operation == "cut":
        return data[:at]
    if edit.operation == "insert":
        return data[:at] + ABSURD_TEXT[edit.what % len(ABSURD_TEXT)] + data[at:]
    if edit.operation == "number":
        return _with_number(data, at, edit.what)
    return _with_value(data, edit)


def _with_number(data: bytes, at: int, what: int) -> bytes:
    """The next number is another one."""
    while at < len(data) and not data[at : at + 1].isdigit():
        at += 1
    end = at
    while end < len(data) and data[end : end + 1].isdigit():
        end += 1
    return data[:at] + ABSURD_TEXT[what % len(ABSURD_TEXT)] + data[end:]


def _with_value(data: bytes, edit: Edit) -> bytes:
    """Of a JSON document, one value is another one, or is gone; other bytes stay as they are."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places: list[tuple[dict | list, object]] = []
    waiting = [document]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, dict | list):
            continue  # a bare number is a document, too
        for key, value in here.items() if isinstance(here, dict) else enumerate(here):
            places.append((here, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    if not places:
        return data
    inside, key = places[int(edit.place * len(places))]
    if edit.size % 4 == 0:
        del inside[key]  # type: ignore[arg-type]
    elif edit.size % 4 == 1 and isinstance(inside[key], int):  # type: ignore[index]
        inside[key] += 1 - edit.what % 3  # type: ignore[index]
    else:
        inside[key] = ABSURD_VALUE[edit.what % len(ABSURD_VALUE)]  # type: ignore[index]
    return json.dumps(document).encode()


def changed(kind: str, edits: list[Edit]) -> bytes:
    """A file of the kind with these changes; of an archive, in the files inside it, too."""
    data = seeds()[kind]
    if kind not in ("npz", "sparse npz", "result"):
        return functools.reduce(edited, edits, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    names = [*files, ""]
    outside = []
    for edit in edits:
        name = names[edit.member % len(names)]
        if name:
            files[name] = edited(files[name], edit)
        else:
            outside.append(edit)
    return functools.reduce(edited, outside, _zipped(files))


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, inside in files.items():
            archive.writestr(zipfile.ZipInfo(name), inside)
    return stream.getvalue()


@functools.cache
def seeds() -> dict[str, bytes]:
    """A small file of each kind; those of packages that are not installed are left out."""
    found = {
        "csv": b"row,a,b,c\nx,1,0,\ny,0,1,1\nz,1,,0\n",
        "tsv": b"1\t0\t1\n0\t1\t?\n",
        "txt": b"1 0 1\n0 1 na\n1 1 0\n",
        "table": b"id,age,smokes,town\nx,31,yes,Ulm\ny,45,no,Bonn\nz,,yes,Ulm\n",
        "mtx": b"%%MatrixMarket matrix coordinate integer general\n%\n3 4 3\n1 1 1\n2 3 1\n3 4 1\n",
        "npy": _npy(np.array([[1, 0, 1], [0, 1, 1]], dtype=np.int8)),
        "certificate": json.dumps(_result().certificate).encode(),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _result().save(folder / "run")
        files = {path.name: path.read_bytes() for path in sorted((folder / "run").iterdir())}
        found["result"] = _zipped(files)
        names = np.array(["a", "b", "c"])
        np.savez(folder / "x.npz", X=np.eye(3), row_names=names, column_names=names)
        found["npz"] = (folder / "x.npz").read_bytes()
        import scipy.sparse

        scipy.sparse.save_npz(folder / "s.npz", scipy.sparse.csr_matrix(np.eye(4)))
        found["sparse npz"] = (folder / "s.npz").read_bytes()
        with contextlib.suppress(ImportError):
            import pyarrow
            import pyarrow.parquet

            table = pyarrow.table({"id": ["x", "y"], "a": [1, 0], "b": [None, 1]})
            pyarrow.parquet.write_table(table, folder / "x.parquet")
            found["parquet"] = (folder / "x.parquet").read_bytes()
        with contextlib.suppress(ImportError):
            found["h5ad"] = _h5ad(folder / "x.h5ad")
    return found


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@functools.cache
def _result() -> Result:
    result = boolfact.factorize(X, K, method="exact", time_limit=None, seed=0, workers=1)
    assert result.error == LEAST
    return result


def _h5ad(path: Path) -> bytes:
    """Cells as anndata writes them: a sparse matrix, names of rows and columns."""
    import h5py

    with h5py.File(path, "w") as file:
        for name, size in (("obs", 3), ("var", 4)):
            group = file.create_group(name)
            group.attrs["_index"] = "_index"
            group["_index"] = [f"{name}{u}".encode() for u in range(size)]
        stored = file.create_group("X")
        stored.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0"})
        stored.attrs["shape"] = [3, 4]
        stored["data"] = np.ones(4, dtype=np.float32)
        stored["indices"] = np.array([0, 2, 1, 3], dtype=np.int32)
        stored["indptr"] = np.array([0, 2, 3, 4], dtype=np.int32)
    return path.read_bytes()


class WrongError(Exception):
    """What a reader must not do."""


def feed(kind: str, data: bytes, folder: Path) -> str:
    """Give a file to its readers: what became of it. Raises WrongError, or what they raised."""
    if kind == "certificate":
        return _feed_certificate(data)
    if kind == "result":
        return _feed_result(data, folder)
    ending = {"table": "csv", "sparse npz": "npz"}.get(kind, kind)
    path = folder / f"x.{ending}"
    path.write_bytes(data)
    dense = _tried(lambda: boolfact.as_matrix(path))
    if isinstance(dense, boolfact.BinaryMatrix) and not np.isin(dense.values, (-1, 0, 1)).all():
        raise WrongError(f"values {np.unique(dense.values)}")
    rows = _tried(lambda: as_rows(path))
    shape = _tried(lambda: shape_of(path))
    if kind in ("table", "csv"):
        _tried(lambda: read_table(path))
    if dense is not None and rows is not None:
        if dense.shape != rows.shape or (dense.values != rows.values(slice(None))).any():
            raise WrongError("dense and large data differ")
        # That of other kinds is a guess.
        if ending in ("npy", "npz") and shape != dense.shape:
            raise WrongError(f"shape {shape} said, {dense.shape} read")
    if dense is None and rows is not None and 8 * math.prod(rows.shape) > limits._memory():
        return "too large to be dense"
    if (dense is None) != (rows is None):
        raise WrongError(("dense" if rows is None else "large") + " data are read alone")
    return "refused" if dense is None else "read"


def _tried(read):
    """What is read, or None if it is refused with words."""
    try:
        return read()
    except REFUSALS as error:
        if not str(error).strip():
            raise WrongError(f"refused without a word: {error!r}") from error
        return None


def _feed_certificate(data: bytes) -> str:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return "refused"
    if isinstance(document, dict):
        # What is inside is asked, not the seal.
        with contextlib.suppress(TypeError, ValueError):
            document = {**document, "seal": seal(document)}
    report = verify_certificate(document, X, time_limit=5)
    for bound in report.bounds:
        least = bound.for_error()
        if bound.confirmed and bound.k == K and least is not None and least > LEAST:
            raise WrongError(f"an error of at least {least} is confirmed, {LEAST} is the least")
    return "read" if report.ok else "refused"


def _feed_result(data: bytes, folder: Path) -> str:
    run = folder / "run"
    run.mkdir(exist_ok=True)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {Path(name).name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError, RuntimeError):
        return "not unpacked"
    for old in run.iterdir():
        old.unlink()
    for name in ("result.json", "A.csv", "B.csv", "certificate.json"):
        if name in files:
            (run / name).write_bytes(files[name])
    result = _tried(lambda: Result.load(run))
    if result is None:
        return "refused"
    report = verify_result(result, X, time_limit=5)
    if report.ok and (result.error < LEAST or (result.error_lower_bound or 0) > LEAST):
        raise WrongError("a false claim is not refused")
    result.summary()
    return "read" if report.ok else "refused"


def one_input(seed: int, kind: str, place: int, folder: Path) -> str:
    """Input `place` of a kind: what became of it."""
    edits = random_edits(random.Random(f"{seed} {kind} {place}"))
    return feed(kind, changed(kind, edits), folder)


def _late(*_: object) -> None:
    raise WrongError(f"it took more than {SECONDS} s")


def run_batch(seed: int, kind: str, places: range, pipe: int) -> None:
    """In a process of its own: a line for each input, before and after."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    limits._memory = lambda: ROOM // 6
    signal.signal(signal.SIGPROF, _late)
    warnings.simplefilter("error", RuntimeWarning)
    with tempfile.TemporaryDirectory() as name, os.fdopen(pipe, "w") as told:
        for place in places:
            print(json.dumps(["begun", place]), file=told, flush=True)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            # The alarm does not ring inside a library; this ends the process.
            last = int(time.process_time()) + 2 * SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (last, resource.RLIM_INFINITY))
            try:
                answer, why = one_input(seed, kind, place, Path(name)), ""
            except BaseException as error:
                answer = "wrong"
                last = traceback.extract_tb(error.__traceback__)[-1]
                why = f"{error!r} in {Path(last.filename).name}:{last.lineno}"
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps([answer, why]), file=told, flush=True)


def batch(seed: int, kind: str, places: range) -> list[tuple[int, str, str]]:
    """Each place, what became of it and why; the last is "wrong" if the process ended there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        # What libraries print is of no use.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with contextlib.suppress(BaseException):
            run_batch(seed, kind, places, writing)
        os._exit(0)
    os.close(writing)
    told = b""
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], SILENCE)[0]:
            more = pipe.read(1 << 16)
            if not more:
                break
            told += more
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    lines = [json.loads(line) for line in told.splitlines()]
    found = [(begun[1], *end) for begun, end in zip(lines[::2], lines[1::2], strict=False)]
    if len(lines) % 2:
        found.append((lines[-1][1], "wrong", f"it ended the process, status {status}"))
    return found


def with_atheris(kind: str, arguments: list[str]) -> None:
    """Let atheris choose the bytes; it begins with the seed of the kind."""
    import atheris

    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus"
        corpus.mkdir()
        (corpus / "seed").write_bytes(seeds()[kind])

        def one(data: bytes) -> None:
            feed(kind, data, Path(name))

        atheris.Setup([sys.argv[0], *arguments, str(corpus)], one)
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", default=sorted(seeds()), choices=sorted(seeds()))
    parser.add_argument("--inputs", type=int, default=10**9, help="at most so many of each kind")
    parser.add_argument("--atheris", metavar="KIND", help="its own options follow")
    asked, rest = parser.parse_known_args()
    if asked.atheris:
        with_atheris(asked.atheris, rest)
        return 0
    if rest:
        parser.error(f"unknown: {' '.join(rest)}")
    end = time.monotonic() + 60 * asked.minutes
    seen: collections.Counter[tuple[str, str]] = collections.Counter()
    told: collections.Counter[tuple[str, str]] = collections.Counter()
    first = dict.fromkeys(asked.kinds, 0)
    while time.monotonic() < end and any(place < asked.inputs for place in first.values()):
        for kind in asked.kinds:
            places = range(first[kind], min(asked.inputs, first[kind] + BATCH))
            found = batch(asked.seed, kind, places) if places else []
            for place, answer, why in found:
                seen[kind, answer] += 1
                told[kind, why] += bool(why)
                if why and told[kind, why] == 1:
                    print(f"{kind}, input {place}: {why}", flush=True)
            first[kind] = found[-1][0] + 1 if found else places.stop
    for kind in asked.kinds:
        counts = {answer: n for (which, answer), n in seen.items() if which == kind}
        print(f"{kind:12} {sum(counts.values()):7}  {counts}")
    wrong = sum(n for (_, answer), n in seen.items() if answer == "wrong")
    print(f"{sum(seen.values())} inputs, {wrong} with something wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
