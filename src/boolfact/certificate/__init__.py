"""Certificates: what proves a bound, and the independent check of it."""

from boolfact.certificate.check_certificate import verify_certificate
from boolfact.certificate.check_result import verify_result
from boolfact.certificate.document import certify_rows, make_certificate
from boolfact.certificate.verdict import Check, State, Verification

__all__ = [
    "Check",
    "State",
    "Verification",
    "certify_rows",
    "make_certificate",
    "verify_certificate",
    "verify_result",
]
