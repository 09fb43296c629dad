"""`boolfact methods`: the names that `fit --method` takes."""

from __future__ import annotations

from boolfact.cli.common import examples

__all__ = ["EXAMPLES", "methods"]

EXAMPLES = examples("boolfact methods", "boolfact fit zoo -k 5 --method asso")


def methods() -> None:
    """List the methods that fit takes."""
    from boolfact.solve.factorize import methods as names

    print("\n".join(names()))
