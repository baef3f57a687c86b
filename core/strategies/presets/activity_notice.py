"""A short notice that replaces left-out messages and lists what their tools did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from core.facts.file_calls import FileVerb, file_operations, shell_command
from core.facts.sentences import shorten
from core.transcript.model import Message, Speaker, Text, ToolCall, tool_calls

_MAX_COMMAND = 100  # characters

_MAX_NAMES = 50  # files or commands by name; the rest is counted


def activity_notice(messages: Iterable[Message]) -> Message | None:
    """Return the files, commands and other tools called in these messages; None without calls."""
    read: dict[str, None] = {}
    changed: dict[str, None] = {}
    commands: dict[str, None] = {}
    other_tools: Counter[str] = Counter()
    for call in (call for message in messages for call in tool_calls(message)):
        files = [*file_operations(call)]
        for verb, path in files:
            (read if verb is FileVerb.READ else changed)[path] = None
        command = shell_command(call)
        if command:
            commands[shorten(command, _MAX_COMMAND)] = None
        elif not files:
            other_tools[_name(call)] += 1
    lines = [
        *_names_line("Files read", [*read]),
        *_names_line("Files changed", [*changed]),
        *_names_line("Commands run", [*commands]),
        *_names_line("Other tools", [f"{name} ({count:,})" for name, count in other_tools.items()]),
    ]
    if not lines:
        return None
    text = "\n".join(["<SYSTEM_NOTICE>", "Work was left out here to make room.", *lines, "</SYSTEM_NOTICE>"])
    return Message(Speaker.HUMAN, (Text(text),))


def _name(call: ToolCall) -> str:
    return call.name or "a tool without a name"


def _names_line(title: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f"; {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return [f"{title}: {'; '.join(names[:_MAX_NAMES])}{more}"]
