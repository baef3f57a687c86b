"""White space as JavaScript trims it; the reference's results depend on it (llxprt.md section 8.4)."""

from __future__ import annotations

import re

LINE_END = "\n\r\u2028\u2029"
"""JavaScript's line terminators, for use inside the brackets of a regular expression."""

_SPACE = " \t\v\f\u00a0\ufeff\u1680\u2000-\u200a\u202f\u205f\u3000" + LINE_END
_TRIM = re.compile(rf"\A[{_SPACE}]+|[{_SPACE}]+\Z")


def trim(text: str) -> str:
    """Trim a text: a byte order mark is removed, U+001C to U+001F and U+0085 are not."""
    return _TRIM.sub("", text)
