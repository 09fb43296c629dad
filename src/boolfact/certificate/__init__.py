"""Certificates: what proves a bound, and the independent check of it."""

from boolfact.certificate.document import make_certificate
from boolfact.certificate.report import Check, State, Verification
from boolfact.certificate.results import verify_result
from boolfact.certificate.verify import verify_certificate

__all__ = [
    "Check",
    "State",
    "Verification",
    "make_certificate",
    "verify_certificate",
    "verify_result",
]
