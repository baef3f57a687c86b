"""The answers of the tools compact and inspect without details: small, whatever the file holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.common.excerpts import one_line_text
from core.common.json_value import Json

MAX_BYTES = 2000
"""The most bytes of an answer without details, apart from messages that come back."""
_KEYS = (
    "file",
    "format",
    "scope",
    "strategy",
    "mode",
    "model",
    "limit",
    "trigger",
    "target",
    "before",
    "after",
)
_OUTCOME_KEYS = (
    *("no_op", "no_op_code", "calls", "warnings", "lint", "losses"),
    *("summary_check", "summary"),
)
_TEXT_LISTS = ("scopes", "warnings", "repaired")  # of an inspection
_MOST_TEXTS, _TEXT = 3, 160  # texts of a list, characters of each


def brief_answer(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return some keys of ``compact --json`` with counts for lists; ``left_out`` names the other
    keys."""
    brief = {key: _short(values[key]) for key in (*_KEYS, *_OUTCOME_KEYS[:2])}
    brief["calls"] = len(values["calls"])
    brief["warnings"] = _first(values["warnings"])
    found = values["summary_check"]
    brief["summary_check"] = found and _first([one["text"] for one in found])
    brief["lint"] = {
        name: {when: _verdict(one) for when, one in sides.items()}
        for name, sides in values["lint"].items()
    }
    losses = values["losses"] or {}
    brief["losses"] = losses and {
        "removed": losses["removed"],
        "gone": {
            kind["kind"]: kind["gone"] for kind in losses["kinds"] if kind["gone"]
        },
    }
    brief["left_out"] = [
        key for key in values if key not in _KEYS and key not in _OUTCOME_KEYS
    ]
    brief["summary"] = ""
    room = MAX_BYTES - len(json.dumps(brief)) - 100  # for the head of every answer
    brief["summary"] = _excerpt((values["summary"] or {}).get("text") or "", room)
    return brief


_LONG_PARTS = {
    "split": ("trace",),
    "calibration": ("segments",),
    "paid": ("requests", "compactions"),
}
"""Lists inside objects of an inspection, which a brief one leaves out."""


def brief_inspection(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return ``inspect --json`` with numbers for lists, which ``left_out`` names."""
    lists = [
        key
        for key, value in values.items()
        if isinstance(value, list | tuple) and key not in _TEXT_LISTS
    ]
    brief: dict[str, Json] = {
        key: len(value) if key in lists else _short(value)
        for key, value in values.items()
    }
    brief |= {key: _first(values[key]) for key in _TEXT_LISTS}
    brief["lint"] = {name: _verdict(one) for name, one in values["lint"].items()}
    for key, parts in _LONG_PARTS.items():
        if brief[key]:
            brief[key] = {
                name: value for name, value in brief[key].items() if name not in parts
            }
    return brief | {"left_out": [key for key in lists if values[key]]}


def _verdict(findings: Mapping[str, Json]) -> dict[str, Json]:
    return {key: findings[key] for key in ("valid", "errors", "warnings")}


def _short(value: Json) -> Json:
    if isinstance(value, str):
        return one_line_text(value, _TEXT)
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return value


def _first(texts: Sequence[str]) -> list[str]:
    more = len(texts) - _MOST_TEXTS
    shown = [one_line_text(text, _TEXT) for text in texts[:_MOST_TEXTS]]
    if more > 0:
        return [*shown, f"{more} more; details has them."]
    return shown


def _excerpt(text: str, room: int) -> str:
    """Return the beginning of a text that takes at most ``room`` bytes as JSON."""
    excerpt = text[: max(0, room)]
    while excerpt and len(json.dumps(excerpt)) > room:
        excerpt = excerpt[: len(excerpt) * room // len(json.dumps(excerpt))]
    if excerpt == text:
        return excerpt
    if len(excerpt) > 8:
        return excerpt[:-1] + "…"
    return ""


SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "strategy": {"type": "string"},
        "before": {
            "type": "object",
            "description": "messages and tokens of the conversation",
        },
        "after": {"type": "object", "description": "messages and tokens of the result"},
        "no_op": {"type": ["string", "null"], "description": "why nothing changed"},
        "summary": {
            "description": "the beginning of the summary; with details an object"
        },
        "summary_check": {
            "description": "what the check of the summary found; with details objects"
        },
        "losses": {
            "description": "what was removed, and how many facts of each kind are gone"
        },
        "messages": {"description": "the shorter messages, where messages were passed"},
        "written": {"type": "string", "description": "the file that was written"},
    },
    "required": ["strategy", "before", "after", "no_op"],
}
