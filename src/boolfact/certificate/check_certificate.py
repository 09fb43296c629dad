"""Checking a certificate, with code of its own: only the data model is shared with the solver."""

from __future__ import annotations

import hmac
import math
import time
from typing import Any

from boolfact.certificate.document import FORMAT, seal
from boolfact.certificate.kinds import KINDS
from boolfact.certificate.kinds.checker import Checked, Request
from boolfact.certificate.kinds.column_groups import (
    COLUMN_GROUPS,
    GroupsRequest,
    check_column_groups,
)
from boolfact.certificate.reading import (
    CertificateError,
    Reduced,
    read_kind,
    read_reduced,
    whole,
)
from boolfact.certificate.verdict import Check, ProvedBound, State, Verification
from boolfact.control.progress import Progress, silent
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.model.rows import RowMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["verify_certificate"]


def verify_certificate(
    certificate: dict[str, Any],
    matrix: BinaryMatrix | PackedMatrix | SparseMatrix,
    *,
    time_limit: float | None = 60.0,
    progress: Progress | None = None,
) -> Verification:
    """Prove the bounds of a certificate again.

    Every bound is handed to the checker of the kind that it declares, which adds up its figures
    in exact arithmetic and proves it in whole numbers. What cannot be proved in the time given
    is reported as not checked, together with what was proved instead.

    Parameters
    ----------
    certificate : dict
        As made by `make_certificate` or read from certificate.json.
    matrix : BinaryMatrix, PackedMatrix or SparseMatrix
        The data that it claims to be about. Of large data only the rows and columns that the
        certificate names are made dense.
    time_limit : float, optional
        Seconds for all bounds together; None for no limit.
    progress : callable, optional
        Called with a `boolfact.control.progress.Event` now and then.

    Returns
    -------
    Verification
        `ok` if nothing failed, `complete` if everything was checked and passed.
    """
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
    start = time.monotonic()
    checks: list[Check] = []
    try:
        matrix = _as_claimed(certificate, matrix)
        k = _check_frame(certificate, matrix)
        checks.append(_passed("certificate", "unchanged since it was sealed, and for this data"))
        source: Reduced | RowMatrix = matrix  # type: ignore[assignment]
        if isinstance(matrix, BinaryMatrix):
            source = read_reduced(certificate, matrix)
            before, after = (f"{n:,} x {m:,}" for n, m in (matrix.shape, source.values.shape))
            checks.append(_passed("reduction", f"{before} to {after}"))
    except CertificateError as reason:
        name = "reduction" if checks else "certificate"
        return Verification.of([*checks, Check(name, State.FAILED, str(reason))])
    bounds: list[ProvedBound] = []
    entries = certificate["bounds"]
    for u, entry in enumerate(entries):
        # What one bound leaves of its share of the time is for the others.
        share = _share(time_limit, time.monotonic() - start, len(entries) - u)
        checked = _check_bound(f"bound {u + 1}", entry, k, source, share, progress or silent)
        checks += checked.checks
        bounds += checked.bounds
    return Verification.of(checks, bounds)


def _as_claimed(
    certificate: Any, matrix: BinaryMatrix | PackedMatrix | SparseMatrix
) -> BinaryMatrix | PackedMatrix | SparseMatrix:
    """The data in bits where that is what the certificate is for."""
    claimed = certificate.get("digest") if isinstance(certificate, dict) else None
    in_rows = isinstance(claimed, str) and claimed.startswith("rows:")
    if in_rows and isinstance(matrix, BinaryMatrix):
        packed = PackedMatrix.from_binary(matrix)
        if packed is None:
            raise CertificateError("it is for data with two prices, and these have more")
        return packed
    return matrix


def _check_frame(certificate: Any, matrix: BinaryMatrix | PackedMatrix | SparseMatrix) -> int:
    """The parts that do not depend on the bounds; returns k."""
    if not isinstance(certificate, dict):
        raise CertificateError("a certificate must be an object")
    if certificate.get("format") != FORMAT:
        raise CertificateError(f"format must be {FORMAT}, got {certificate.get('format')!r}")
    try:
        expected = seal(certificate)
    except (TypeError, ValueError):
        raise CertificateError("it holds something that JSON does not know") from None
    if not hmac.compare_digest(str(certificate.get("seal")), expected):
        raise CertificateError("it was changed after it was sealed")
    if certificate.get("digest") != matrix.digest():
        raise CertificateError("it is for other data: the digests differ")
    if certificate.get("shape") != list(matrix.shape):
        raise CertificateError(
            f"it is for shape {certificate.get('shape')}, the data has {list(matrix.shape)}"
        )
    if not isinstance(certificate.get("bounds"), list):
        raise CertificateError("bounds must be a list")
    return whole(certificate.get("k"), "k", 1)


def _share(time_limit: float | None, used: float, sharers: int) -> float:
    return math.inf if time_limit is None else max(0.0, time_limit - used) / sharers


def _check_bound(
    name: str, entry: Any, k: int, data: Reduced | RowMatrix, seconds: float, progress: Progress
) -> Checked:
    """Hand the bound to the checker of its kind."""
    try:
        kind = read_kind(entry)
        known = list(KINDS) if isinstance(data, Reduced) else [COLUMN_GROUPS]
        if kind not in known:
            raise CertificateError(
                f"kind must be one that can be checked ({', '.join(known)}), got {kind!r}"
            )
        if isinstance(data, Reduced):
            return KINDS[kind](Request(name, entry, k, data, seconds, progress))
        return check_column_groups(GroupsRequest(name, entry, k, data, seconds, progress), KINDS)
    except CertificateError as reason:
        return Checked((Check(f"{name}: figures", State.FAILED, str(reason)),))


def _passed(name: str, message: str) -> Check:
    return Check(name, State.PASSED, message)
