"""Histories with what is rare and real: images, absent results, a hundred calls at once, and their
like."""

from collections.abc import Iterable
from itertools import chain

from hypothesis import strategies as st

from core.common.json_value import MISSING, Json
from core.settings.schema import LIMIT, STRATEGY, Setting, SettingKind, SettingValue
from core.settings_store.layers import SETTINGS
from core.strategies.base import Strategy
from core.transcript.model import (
    Media,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from tests.core.histories import histories
from tests.support.builders import ai, call, exchange, human, response, system, tool

_OUTPUT = "line of output\n" * 40
_IMAGE = Media("image/png", "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQ")
_RESULTS: tuple[Json, ...] = (
    *(
        MISSING,
        None,
        0,
        "",
        [],
        {},
        [None],
        {"a": None},
        {"success": False},
        '{"data": "{}"}',
        "\ud800",
    ),
    [{"type": "image", "source": {"media_type": "image/png", "data": _IMAGE.data}}],
)
_ARGUMENTS: tuple[Json, ...] = (
    *(
        None,
        [],
        3,
        "odd",
        {"file_path": None},
        {"file_path": ["a"]},
        {"command": ["ls"]},
        {"command": "x '"},
    ),
    *(
        {"paths": [None, 1]},
        {"offset": -1, "limit": 10**30, "file_path": "a.py"},
        {"edits": [None]},
    ),
)
_TOOLS = (
    "bash",
    "read_file",
    "Edit",
    "apply_patch",
    "read_many_files",
    "TodoWrite",
    "",
)
_MANY = tuple(call("bash", f"many{number}", command="ls") for number in range(100))


def _odd_exchange(number: int) -> tuple[Message, Message]:
    id_, name = f"odd{number}", _TOOLS[number % len(_TOOLS)]
    arguments = _ARGUMENTS[number % len(_ARGUMENTS)]
    answer = ToolResponse(id_, name, _RESULTS[number % len(_RESULTS)])
    return ai("", ToolCall(id_, name, arguments)), tool(answer)


PIECES: tuple[tuple[Message, ...], ...] = (
    (human("words " * 3_000),),
    (ai("", *_MANY), tool(*(response(one.id, "bash", _OUTPUT) for one in _MANY))),
    (
        ai("", *_MANY[:3]),
        *(tool(response(one.id, "bash", _OUTPUT)) for one in reversed(_MANY[:3])),
    ),
    (human("look", _IMAGE), ai("", _IMAGE), human("", _IMAGE)),
    (ai("  \n"), human(""), ai("", Text(""))),
    (system("context " * 40), system("newer context " * 40)),
    (*exchange("same", "read_file", _OUTPUT, file_path="a.py"),) * 2,
    (
        ai(
            "both",
            call("bash", "both", command="ls"),
            response("both", "bash", _OUTPUT),
        ),
    ),
    (
        ai("", call("bash", "said", command="ls")),
        human("and go on", response("said", "bash", _OUTPUT)),
    ),
    (
        Message(
            speaker=Speaker.UNKNOWN,
            blocks=(Text("shown " * 30),),
            extra={"role": "display-only"},
        ),
    ),
    (ai("overloaded " * 20, flags=MessageFlag.API_ERROR),),
    *(_odd_exchange(number) for number in range(len(_TOOLS) * len(_RESULTS))),
)
"""Each may stand anywhere in a history."""


@st.composite
def odd_histories(draw: st.DrawFn) -> tuple[Message, ...]:
    """Some of the pieces, alone or between turns as ``histories`` makes them."""
    pieces: Iterable[tuple[Message, ...]] = draw(
        st.lists(st.sampled_from(PIECES), max_size=8)
    )
    around = st.just(()) | histories(3)
    return (*draw(around), *chain.from_iterable(pieces), *draw(around))


def extreme_settings(strategy: Strategy) -> list[tuple[str, SettingValue]]:
    """The settings that a strategy reads, each with its smallest and largest values and all its
    choices."""
    apart = (STRATEGY, LIMIT)
    read = [
        one for one in SETTINGS if one.key in strategy.options and one.key not in apart
    ]
    return [(one.key, value) for one in read for value in _extreme_values(one)]


def _extreme_values(setting: Setting) -> tuple[SettingValue, ...]:
    if setting.kind is SettingKind.FLAG:
        return True, False
    if setting.kind is SettingKind.CHOICE:
        return tuple(setting.choices)
    if setting.bounds.low is None or setting.bounds.high is None:
        return ()
    low = 1e-9 if setting.bounds.low_open else setting.bounds.low
    return low, 1 if setting.bounds.high >= 1 else low, setting.bounds.high
