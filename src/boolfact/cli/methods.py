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
    from boolfact.solve.method import METHODS

    if as_json:
        print(json.dumps([method.as_dict() for method in METHODS.values()]))
        return
    lines = [("name", "proves", "description")]
    lines += [(method.name, method.proves, method.description) for method in METHODS.values()]
    widths = [max(len(line[u]) for line in lines) for u in (0, 1)]
    for name, proves, description in lines:
        print(f"{name:<{widths[0]}}  {proves:<{widths[1]}}  {description}")
