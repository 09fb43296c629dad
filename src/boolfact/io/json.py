"""Reading JSON from files that anybody may have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["read_json"]


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file; anything else is refused, and the file is named."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (ValueError, RecursionError) as error:
        # Also numbers of thousands of digits, and brackets within brackets within brackets.
        raise ValueError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path}: expected a JSON object")
    return document
