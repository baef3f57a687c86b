"""What the library's functions are given: messages, settings, pins and the function that writes
summaries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.api import late
from core.common.errors import InputError, MissingValueError
from core.common.json_value import MessageObject
from core.llm.protocol import SummaryRequest
from core.settings.schema import LIMIT, STRATEGY, SettingValue
from core.transcript.model import Conversation
from core.transcript.pins import MessagePin, PinKind

if TYPE_CHECKING:
    from core.settings_store.layers import SettingLayers

Summarizer = Callable[[SummaryRequest], str]
AsyncSummarizer = Callable[[SummaryRequest], Awaitable[str]]
Settings = Mapping[str, SettingValue] | Path | str
"""Values by setting key, or the path of a TOML file as the window and ``foldline tune`` write
it."""
Pins = Mapping[int, PinKind | str]
Messages = Conversation | Sequence[Mapping[str, Any] | MessageObject]
"""A conversation, or messages of OpenAI's chat API, of Anthropic's messages API, or items of
OpenAI's Responses: dicts, or what the packages of these APIs return."""


def conversation_of(messages: Messages) -> Conversation:
    """Return the messages as a conversation. Raises InputError for what is none."""
    if isinstance(messages, Conversation):
        return messages

    return late.read_dicts(messages).conversation


def layers_of(
    settings: Settings | None, strategy: str, limit: int | None
) -> SettingLayers:
    """Return the settings with strategy and limit. Raises InputError for a file that cannot be
    read."""
    layers = late.SettingLayers()
    if isinstance(settings, str | Path):
        layers = layers.with_saved(late.settings_of_file(Path(settings)))
    for key, value in settings.items() if isinstance(settings, Mapping) else ():
        layers = layers.with_session(key, _as_typed(key, value))
    if not strategy:
        raise InputError(
            "The name of the strategy is empty.",
            'Write it as in: strategy="middle-out".',
        )
    layers = layers.with_session(STRATEGY, strategy)
    if limit is None:
        return layers
    return layers.with_session(LIMIT, _as_typed(LIMIT, limit))


def _as_typed(key: str, value: SettingValue) -> SettingValue:
    """Return a value of the caller; a text stands for what it says on the command line: "70%"."""
    if isinstance(value, str):
        return late.parse_value(late.find_setting(key), value)
    return value


@contextmanager
def named_arguments() -> Iterator[None]:
    """Say of a setting that has no value how a caller gives it."""
    try:
        yield
    except MissingValueError as error:
        if error.key == LIMIT:
            hint = "Give limit=N, or model=NAME of one that has a limit."
        else:
            hint = f'Give settings={{"{error.key}": VALUE}}.'
        raise InputError(error.message, hint) from None


def message_pins(
    pins: Pins, message_indices: Sequence[Sequence[int]]
) -> dict[int, MessagePin]:
    """Return the pins by message; ``message_indices`` are the messages of each given one."""
    for number, kind in pins.items():
        if not 0 <= number < len(message_indices):
            raise InputError(
                f"There is no message {number} to pin.",
                f"The last one is {len(message_indices) - 1}.",
            )
        if kind not in tuple(PinKind):
            raise InputError(
                f"A pin cannot be {kind!r}.", f"It is one of {', '.join(PinKind)}."
            )
    return {
        index: MessagePin(PinKind(kind))
        for number, kind in pins.items()
        for index in message_indices[number]
    }
