"""Messages that a preset reinjects beside a summary: the user's messages, files in use, open tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.facts.sentences import plain_text
from core.strategies.presets.split import is_typed
from core.strategies.presets.touched_files import TouchedFile, touched_files
from core.transcript.boundaries import TokenCount
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message, MessageFlag, Speaker, Text, tool_responses

KEPT_USER_TEXT_RULE = (
    "words of the person"  # rule name in fates: messages of the user stay beside the summary
)
_CUT = "\n[… {count:,} tokens left out …]\n"
_WHOLE = "For reference, {path} as it was last seen before the summary:\n\n{content}"
_STALE = "For reference, {path} as it was last seen whole; it was changed after that:\n\n{content}"
_PATH = "{path} was in use before the summary. Read it again when it is needed."
_TODOS = "Tasks that were open before the summary:\n\n{todos}"


@dataclass(frozen=True, slots=True)
class ReinjectRule:
    """The table [reinject] of a preset; 0 and false: off.

    ``files``: the files touched last, each whole within ``file_tokens``, all within ``total_tokens``,
    otherwise by path. ``human_tokens``: tokens of the user's newest messages kept before the summary;
    ``initial``: also the messages before the first of them. ``newest_human``: the user's newest text-only
    message stays after the summary. ``todos``: the open tasks.
    """

    files: int = 0
    file_tokens: int = 0
    total_tokens: int = 0
    human_tokens: int = 0
    initial: bool = False
    newest_human: bool = False
    todos: bool = False


@dataclass(frozen=True, slots=True)
class RetainedMessage:
    """A retained message and the reason: kind KEPT, or EDITED where it was shortened."""

    message: Message
    step: FateStep


def retained_messages(
    rule: ReinjectRule, messages: Mapping[int, Message], count: TokenCount, source_of: Callable[[int], int]
) -> Mapping[int, RetainedMessage]:
    """Return which of the summarised messages, by ascending position, stay beside the summary."""
    typed_positions = [position for position, message in messages.items() if is_typed(message)]
    if rule.newest_human:
        text_only = [
            position
            for position in typed_positions
            if all(isinstance(block, Text) for block in messages[position].blocks)
        ]
        return {
            position: _retained(messages[position], "The newest message of the person that is text.")
            for position in text_only[-1:]
        }
    retained = (
        dict(_newest_typed(rule.human_tokens, typed_positions, messages, count)) if rule.human_tokens else {}
    )
    if rule.initial and typed_positions:
        speakers = (Speaker.HUMAN, Speaker.SYSTEM)
        initial = [
            position
            for position, message in messages.items()
            if position < typed_positions[0]
            and message.speaker in speakers
            and not any(tool_responses(message))
        ]
        reason = f"Part of the first context, before #{source_of(typed_positions[0]) + 1}."
        retained |= {position: _retained(messages[position], reason) for position in initial}
    return dict(sorted(retained.items()))


def reinjected_messages(
    rule: ReinjectRule, messages: Sequence[Message], todos: str, count: TokenCount
) -> Iterator[Message]:
    """Yield the messages inserted after the summary, from the messages that it represents."""
    tokens_left = rule.total_tokens
    for file in reversed(touched_files(messages)[-rule.files :] if rule.files else ()):
        content_message = _file(file)
        cost = count((content_message,))
        if file.content is None or cost > min(rule.file_tokens, tokens_left):
            content_message, cost = _note(_PATH.format(path=file.path)), 0
        tokens_left -= cost
        yield content_message
    if rule.todos and todos:
        yield _note(_TODOS.format(todos=todos))


def _newest_typed(
    tokens: int, typed_positions: Sequence[int], messages: Mapping[int, Message], count: TokenCount
) -> Iterator[tuple[int, RetainedMessage]]:
    """Yield whole messages from the newest on, and the first that does not fit shortened."""
    tokens_left = tokens
    reason = f"Among the newest {tokens:,} tokens of what the person wrote."
    for position in reversed(typed_positions):
        cost = count((messages[position],))
        if cost > tokens_left:
            shortened = _shortened(messages[position], tokens_left, count)
            if shortened is not None:
                cut = f"Shortened from {cost:,} tokens: the newest {tokens:,} end in this message."
                yield (
                    position,
                    RetainedMessage(shortened, FateStep(KEPT_USER_TEXT_RULE, FateKind.EDITED, cut)),
                )
            return
        tokens_left -= cost
        yield position, _retained(messages[position], reason)


def _retained(message: Message, reason: str) -> RetainedMessage:
    return RetainedMessage(message, FateStep(KEPT_USER_TEXT_RULE, FateKind.KEPT, reason))


def _shortened(message: Message, tokens: int, count: TokenCount) -> Message | None:
    """Return the beginning and the end of a text within some tokens; None where nothing fits."""
    text = plain_text(message)
    total = count((message,))

    def cut(length: int) -> Message:
        tail = text[len(text) - length :] if length else ""
        marker = _CUT.format(count=total - count((replace(message, blocks=(Text(text[:length] + tail),)),)))
        return replace(message, blocks=(Text(text[:length] + marker + tail),))

    low, high = 0, len(text) // 2
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count((cut(middle),)) <= tokens else (low, middle - 1)
    return cut(low) if low else None


def _file(file: TouchedFile) -> Message:
    text = _STALE if file.stale else _WHOLE
    return _note(text.format(path=file.path, content=file.content))


def _note(text: str) -> Message:
    return Message(Speaker.HUMAN, (Text(text),), flags=MessageFlag.META)
