"""Text on the page: names from the data can neither become markup nor turn a line around."""

from __future__ import annotations

import html

from boolfact.model.labels import shown

__all__ = ["escape"]


def escape(text: str) -> str:
    """Text for the page, also inside an attribute.

    Examples
    --------
    >>> escape('<b> "x"'), escape("\\u202egnp.exe")
    ('&lt;b&gt; &quot;x&quot;', '\\\\u202egnp.exe')
    """
    return html.escape(shown(text))
