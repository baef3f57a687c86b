"""Sub-agents and background commands that were started and of whose end nothing is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.facts.file_calls import normalised_tool_name, shell_command
from core.facts.model import Fact, FactKind
from core.facts.sentences import shorten
from core.transcript.model import ToolCall

_STARTED = re.compile(
    r"(?i)\b(?:agent[ _]?id|task[ _]?id|(?:background|async)[^.\n]{0,40}\bid|with (?:session )?id)"
    r"[\"']?(?:\s*[:=]\s*|\s+)[\"']?(?P<id>[\w-]{2,64})"
)
"""How tools of agents name what they started: "agentId: a77f01", "running in background with ID:
bash_9", "Process running with session ID 4"."""
_IN_BACKGROUND = re.compile(
    r"(?i)in (?:the )?background|launched|process running with|async_launched|still running"
)
_ENDED = re.compile(
    r"(?i)\b(?:completed|failed|killed|cancell?ed|stopped|exited|finished|terminated)\b|"
    r"process exited with"
)
_STOP_TOOLS = frozenset(("killshell", "killbash", "taskstop", "killprocess", "stopagent"))
_LONGEST_NOTE = 2_000  # characters of a text in which an end is looked for
_ABOUT_KEYS = ("description", "task", "name", "prompt", "message")
_ABOUT = 100  # characters


@dataclass(frozen=True, slots=True)
class _Started:
    about: str
    index: int


class RunningLog:
    """What runs, by its id, while messages are added in their order."""

    def __init__(self) -> None:
        self._running: dict[str, _Started] = {}

    def answered(self, call: ToolCall, text: str, index: int) -> None:
        """Add the result of a call: it may start something, or tell of the end of it."""
        self.noted(text, _named_ids(call))
        if normalised_tool_name(call.name) in _STOP_TOOLS:
            for stopped in _named_ids(call):
                self._running.pop(stopped, None)
            return
        start = text[:_LONGEST_NOTE]
        match = _STARTED.search(start)
        if match is None or match["id"] in self._running or not _is_background(call, start):
            return
        self._running[match["id"]] = _Started(_about(call), index)

    def noted(self, text: str, ids: tuple[str, ...] = ()) -> None:
        """Add a text that may tell of the end of what runs; ``ids`` are those that it is about."""
        note = text[:_LONGEST_NOTE] + text[-_LONGEST_NOTE:]
        if not self._running or not _ENDED.search(note):
            return
        for running in list(self._running):
            if running in ids or re.search(rf"(?<![\w-]){re.escape(running)}(?![\w-])", note):
                del self._running[running]

    def facts(self) -> Iterator[Fact]:
        for running, started in self._running.items():
            yield Fact(
                kind=FactKind.RUNNING,
                key=running,
                text=running,
                first=started.index,
                last=started.index,
                detail=started.about,
            )


def _is_background(call: ToolCall, text: str) -> bool:
    arguments = call.arguments
    if isinstance(arguments, Mapping) and arguments.get("run_in_background") is True:
        return True
    return _IN_BACKGROUND.search(text) is not None


def _named_ids(call: ToolCall) -> tuple[str, ...]:
    """Return the arguments of a call that may be the id of what runs."""
    if not isinstance(call.arguments, Mapping):
        return ()
    return tuple(str(one) for one in call.arguments.values() if isinstance(one, str | int))


def _about(call: ToolCall) -> str:
    """Return what was started, in the words of the call."""
    if command := shell_command(call):
        return shorten(command, _ABOUT)
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    texts = (arguments.get(key) for key in _ABOUT_KEYS)
    return shorten(next((one for one in texts if isinstance(one, str) and one), call.name), _ABOUT)
