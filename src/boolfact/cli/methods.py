"""`boolfact methods`: what `fit --method` takes, and what each proves."""

from __future__ import annotations

import json

from boolfact.cli.common import AsJson, examples

__all__ = ["EXAMPLES", "methods"]

EXAMPLES = examples(
    "boolfact methods", "boolfact methods --json", "boolfact fit zoo -k 5 --method asso"
)


def methods(as_json: AsJson = False) -> None:
    """List the methods that fit takes, and what lower bounds they prove."""
    from boolfact.show import terminal as display
    from boolfact.solve.method import METHODS

    if as_json:
        print(json.dumps([method.as_dict() for method in METHODS.values()]))
        return
    display.print_methods(list(METHODS.values()))
