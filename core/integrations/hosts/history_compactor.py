"""Compacts the history of an agent inside its host, as messages of OpenAI's chat API."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from core.api import InputError, compact, is_due
from core.common.json_value import Json

Message = TypeVar("Message")
MessageDict = dict[str, Json]
_TRIGGER_OPTIONS = ("strategy", "settings", "limit", "model")
_LOG = logging.getLogger("foldline")


class HistoryCompactor:
    """Compacts a history once it reaches the trigger of the strategy.

    ``options`` are those of ``foldline.api.compact``; the window must be known by ``limit`` (tokens) or
    ``model``, else InputError.
    """

    def __init__(self, strategy: str, **options: Any) -> None:
        if not options.get("limit") and not options.get("model"):
            raise InputError(f"{strategy} needs the window of the model.", "Give limit= or model=.")
        self.options: dict[str, Any] = {"strategy": strategy, **options}

    def compacted(
        self,
        messages: Sequence[Message],
        to_dicts: Callable[[Message], Sequence[MessageDict]],
        from_dict: Callable[[MessageDict], Message],
        *,
        now: bool = False,
    ) -> list[Message] | None:
        """Return the shorter history; None if the trigger is not reached or nothing would change.

        Messages that the strategy keeps are the host's own objects. ``now`` ignores the trigger. An error is
        logged and leaves the history unchanged, so that no agent fails for it.
        """
        try:
            groups = [list(to_dicts(message)) for message in messages]
            dicts = [item for group in groups for item in group]
            due: dict[str, Any] = {key: self.options.get(key) for key in _TRIGGER_OPTIONS}
            if not now and not is_due(dicts, **due):
                return None
            result = compact(dicts, **self.options)
            return None if result.no_op else _joined(messages, groups, result.messages, from_dict)
        except Exception:
            _LOG.exception("The history is unchanged, because it could not be compacted.")
            return None


def _joined(
    messages: Sequence[Message],
    groups: Sequence[list[MessageDict]],
    result: Sequence[Any],
    from_dict: Callable[[MessageDict], Message],
) -> list[Message]:
    """Return the host's message for each run of dicts that is one of its own, in order, else a new one."""
    joined: list[Message] = []
    place = start = 0
    while place < len(result):
        known = (
            index
            for index in range(start, len(groups))
            if groups[index] and groups[index] == list(result[place : place + len(groups[index])])
        )
        index = next(known, -1)
        if index < 0:
            joined.append(from_dict(result[place]))
            place += 1
        else:
            joined.append(messages[index])
            place, start = place + len(groups[index]), index + 1
    return joined


def tool_call_dict(call_id: str, name: str, arguments: str) -> Json:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant_dict(text: str, calls: Sequence[Json]) -> MessageDict:
    return {"role": "assistant", "content": text or None} | ({"tool_calls": list(calls)} if calls else {})
