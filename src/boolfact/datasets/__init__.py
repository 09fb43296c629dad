"""The bundled matrices and planted ones."""

from boolfact.datasets.bundled import (
    DatasetInfo,
    describe_dataset,
    find_dataset,
    list_datasets,
    load_dataset,
    nearest_datasets,
)
from boolfact.datasets.planted import Planted, planted, roles, synthetic_family

__all__ = [
    "DatasetInfo",
    "Planted",
    "describe_dataset",
    "find_dataset",
    "list_datasets",
    "load_dataset",
    "nearest_datasets",
    "planted",
    "roles",
    "synthetic_family",
]
