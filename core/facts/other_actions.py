"""Calls of tools that are no shell, touch no file and look nothing up: what was called with what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.facts.file_calls import operation_of, plain_name
from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentences import shorten
from core.transcript.model import ToolCall

_LOOKING_NAMES = """
grep glob ls list listdir listdirectory listfiles listtree searchfiles searchfilecontent search
codebasesearch grepsearch filesearch websearch webfetch fetch think sequentialthinking reasoning task agent
skill toolsearch todowrite todoread updateplan taskcreate taskupdate tasklist taskget taskoutput taskstop
writetodos todolistwrite updatetodolist managetodolist bashoutput killshell killbash askuserquestion
askfollowupquestion requestuserinput exitplanmode enterplanmode attemptcompletion finish submit done
switchmode newtask readlints getdiagnostics searchcode listcodedefinitionnames listmcpresources
readmcpresource memory savememory writestdin viewimage
"""
_LOOKING = frozenset(_LOOKING_NAMES.split())
_ASKS = re.compile(
    r"(?:.*__)?(?:get|search|find|list|check|fetch|read|query|lookup|calculate|validate)(?![a-z])"
)
_WORDS_PER_CALL = 3
_WORD = 40  # characters of one argument
_SHOWN = 8  # calls of one tool whose arguments are told, the newest ones


@dataclass(slots=True)
class _ToolCalls:
    first: int
    last: int
    state: FactState
    done: Counter[FactState] = field(default_factory=Counter)
    words: dict[str, None] = field(default_factory=dict)


def only_asks(tool: str) -> bool:
    """True for a tool whose name says that it changes nothing."""
    return _ASKS.match(tool) is not None


class CallLog:
    """Calls by the name of their tool, in order."""

    def __init__(self) -> None:
        self._calls: dict[str, _ToolCalls] = {}

    def add(self, call: ToolCall, index: int, state: FactState) -> None:
        """Note a call that was answered in message ``index``, OK or FAILED."""
        if not call.name or plain_name(call.name) in _LOOKING or operation_of(call.name):
            return
        calls = self._calls.setdefault(call.name, _ToolCalls(index, index, state))
        calls.last, calls.state = index, state
        calls.done[state] += 1
        words = _words(call)
        if words:
            calls.words.pop(words, None)
            calls.words[words] = None

    def facts(self) -> Iterator[Fact]:
        """One fact per tool: ``count`` calls that went well, ``detail`` the arguments of the newest."""
        for name, calls in self._calls.items():
            detail = "; ".join([*calls.words][-_SHOWN:])
            failed = calls.done[FactState.FAILED]
            yield Fact(
                FactCategory.CALL,
                name,
                str(failed or ""),
                calls.first,
                calls.last,
                calls.done[FactState.OK],
                calls.state,
                detail,
            )


def _words(call: ToolCall) -> str:
    """The short arguments of a call on one line, or the start of a long one; "" where it has none."""
    arguments = call.arguments
    if not isinstance(arguments, Mapping):
        return ""
    plain = [
        " ".join(str(value).split()).replace(";", ",")
        for value in arguments.values()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
    short = [value for value in plain if 0 < len(value) <= _WORD]
    return ", ".join(short[:_WORDS_PER_CALL]) or shorten(next(iter(plain), "")[: 4 * _WORD], _WORD)
