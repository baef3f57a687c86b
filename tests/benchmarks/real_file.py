"""Real sessions joined to a file as large as those that are measured.

A corpus is smaller than that, so its sessions come several times. Each time every id and every text with a
blank in it is another: nothing that remembers whole texts gains by the repetition. Words do come again, as
they do in any long session; and what the sessions repeat within themselves is repeated here, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

_IDS = frozenset(
    (
        *("uuid", "parentUuid", "logicalParentUuid", "leafUuid", "sessionId", "messageId", "requestId"),
        *("id", "tool_use_id", "toolUseID", "parentToolUseID", "agentId", "sourceToolAssistantUUID"),
    )
)


def write_joined(path: Path, sessions: Sequence[Path], megabytes: float) -> None:
    """Write the lines of some sessions, one after the other and again, until there are so many megabytes."""
    size = 0
    with path.open("wb") as file:
        for number in count(1):
            for session in sessions:
                for line in filter(None, session.read_text("utf-8").split("\n")):
                    if size >= megabytes * 1e6:
                        return
                    size += file.write(_written(_distinct(json.loads(line), number)) + b"\n")


def _written(value: Any) -> bytes:
    """The value as agents write it: without blanks, escaped only where it must be."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character
        return json.dumps(value, separators=(",", ":")).encode()


def _distinct(value: Any, number: int, key: str = "") -> Any:
    """The value with other ids and other texts than under any other number."""
    if isinstance(value, dict):
        return {name: _distinct(one, number, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_distinct(one, number) for one in value]
    if isinstance(value, str) and key in _IDS:
        return f"{value}-{number}"
    return f"{number}: {value}" if isinstance(value, str) and " " in value else value
