"""Run the paper's tables and figure again, with its figures beside ours."""

from boolfact.reproduce.run import Reproduction, reproduce
from boolfact.reproduce.studies import STUDIES

__all__ = ["STUDIES", "Reproduction", "reproduce"]
