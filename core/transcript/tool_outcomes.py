"""Did a tool call fail? Read from its response: the error field, else the words that agents use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.transcript.model import ToolResponse

_SCAN = 2000
"""Characters read at each end of a result; an outcome is told there or not at all."""

_FIRST_LINE = re.compile(
    r"\s*(?:<tool_use_error>|<returncode>\s*-?[1-9]|\{\s*\"error\"\s*:(?!\s*(?:null|false|\"\"|\{\}|\[\]))"
    r"|error\b|fatal\b|traceback \(most recent call last\)|exception\b"
    r"|failed\b|failure\b|permission denied\b|no such file\b|command not found\b)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\b(?:exit(?:ed with)?[ _]?(?:code|status):? [1-9]\d*|process exited with code [1-9]\d*"
    r"|returned non-zero exit|error occurred|command failed)\b"
    r"|\"metadata\"\s*:\s*\{\s*\"exit_code\"\s*:\s*-?[1-9]",  # Codex, its result as JSON text
    re.IGNORECASE,
)
_HINTS = ("xit", "XIT", "ccurred", "OCCURRED", "failed", "FAILED")
"""One of these is in every text that _ANYWHERE finds, but for odd mixtures of small and capital."""
_SMALL_HINTS = (b"exit", b"error occurred", b"command failed")
"""One of these is in every such text, in small letters of ASCII; so few and long ones are found sooner."""


def is_failed_result(response: ToolResponse) -> bool:
    """True where the response says that its call did not succeed.

    An error field that is empty, null or false says nothing; the result is then read: an object that
    says so, a first line that begins with an error word, or an exit code other than 0 near the
    beginning or end.
    """
    if response.error is not MISSING and response.error not in (None, "", False):
        return True
    if isinstance(response.result, dict) and _says_no(response.result):
        return True
    text = result_text(response.result)
    if _FIRST_LINE.match(text, 0, _SCAN):
        return True
    return _tells(text) if len(text) <= 2 * _SCAN else _tells(text[:_SCAN]) or _tells(text[-_SCAN:])


def _says_no(result: Mapping[str, Json]) -> bool:
    """True for an object with an error, with success false, or with an exit code other than 0."""
    codes = (result.get(name) for name in ("exit_code", "exitCode", "returncode"))
    return (
        bool(result.get("error") or result.get("is_error") or result.get("isError"))
        or result.get("success") is False
        or any(isinstance(code, int) and code != 0 for code in codes)
    )


def _tells(text: str) -> bool:
    """Search for the expression only where a piece of it is; that is a hundred times as fast."""
    small = text.encode("ascii", "replace").lower()
    for hint in _SMALL_HINTS:
        if hint in small:
            return any([hint in text for hint in _HINTS]) and bool(_ANYWHERE.search(text))
    return False


def answer_of(response: ToolResponse) -> Json:
    """What the model is given of a response: its result, its error where there is no result."""
    nothing = response.result in (None, "", MISSING)
    worded = response.error is not MISSING and response.error is not None
    return response.error if nothing and worded else response.result


def result_text(result: Json) -> str:
    """The text of a result: itself, or the text parts of a list of blocks, or "" for other JSON."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        parts = (part.get("text") for part in result if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""
