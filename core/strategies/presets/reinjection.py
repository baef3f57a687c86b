"""What a preset puts back beside a summary: messages of the person, files in use, open tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.facts.sentences import plain_text
from core.strategies.presets.split import is_typed
from core.strategies.presets.touched_files import TouchedFile, touched_files
from core.transcript.boundaries import TokenCount
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message, MessageFlag, Speaker, Text, tool_responses

KEPT_WORDS = "words of the person"
"""The rule by which messages of the person stay beside the summary."""

_CUT = "\n[… {count:,} tokens left out …]\n"
_WHOLE = "For reference, {path} as it was last seen before the summary:\n\n{content}"
_STALE = "For reference, {path} as it was last seen whole; it was changed after that:\n\n{content}"
_PATH = "{path} was in use before the summary. Read it again when it is needed."
_TODOS = "Tasks that were open before the summary:\n\n{todos}"


@dataclass(frozen=True, slots=True)
class ReinjectRule:
    """The table [reinject] of a preset; 0 and false: not so.

    ``files``: the files touched last, each whole within ``file_tokens``, all within ``total_tokens``,
    else by its path. ``human_tokens``: so many tokens of the newest messages of the person stay, before
    the summary; ``initial``: what stands before the first of them, too. ``newest_human``: the newest of
    them that is nothing but text stays, after the summary. ``todos``: the open tasks.
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
    """A message that stays, as it stays, and why: kind KEPT, or EDITED where it was shortened."""

    message: Message
    step: FateStep


def retained_messages(
    rule: ReinjectRule, messages: Mapping[int, Message], count: TokenCount, source_of: Callable[[int], int]
) -> Mapping[int, RetainedMessage]:
    """The messages that stay beside the summary, of those by ascending position that it stands for."""
    typed = [at for at, message in messages.items() if is_typed(message)]
    if rule.newest_human:
        plain = [at for at in typed if all(isinstance(block, Text) for block in messages[at].blocks)]
        return {
            at: _kept(messages[at], "The newest message of the person that is text.") for at in plain[-1:]
        }
    stay = dict(_newest(rule.human_tokens, typed, messages, count)) if rule.human_tokens else {}
    if rule.initial and typed:
        harness = (Speaker.HUMAN, Speaker.SYSTEM)
        early = [
            at
            for at, message in messages.items()
            if at < typed[0] and message.speaker in harness and not any(tool_responses(message))
        ]
        reason = f"Part of the first context, before #{source_of(typed[0]) + 1}."
        stay |= {at: _kept(messages[at], reason) for at in early}
    return dict(sorted(stay.items()))


def put_back(
    rule: ReinjectRule, messages: Sequence[Message], todos: str, count: TokenCount
) -> Iterator[Message]:
    """What is inserted after the summary, from the messages that it stands for."""
    left = rule.total_tokens
    for file in reversed(touched_files(messages)[-rule.files :] if rule.files else ()):
        whole = _file(file)
        cost = count((whole,))
        if file.content is None or cost > min(rule.file_tokens, left):
            whole, cost = _note(_PATH.format(path=file.path)), 0
        left -= cost
        yield whole
    if rule.todos and todos:
        yield _note(_TODOS.format(todos=todos))


def _newest(
    tokens: int, typed: Sequence[int], messages: Mapping[int, Message], count: TokenCount
) -> Iterator[tuple[int, RetainedMessage]]:
    """Whole messages from the newest on, and of the first that does not fit its two ends."""
    left = tokens
    reason = f"Among the newest {tokens:,} tokens of what the person wrote."
    for at in reversed(typed):
        cost = count((messages[at],))
        if cost > left:
            short = _shortened(messages[at], left, count)
            if short is not None:
                cut = f"Shortened from {cost:,} tokens: the newest {tokens:,} end in this message."
                yield at, RetainedMessage(short, FateStep(KEPT_WORDS, FateKind.EDITED, cut))
            return
        left -= cost
        yield at, _kept(messages[at], reason)


def _kept(message: Message, reason: str) -> RetainedMessage:
    return RetainedMessage(message, FateStep(KEPT_WORDS, FateKind.KEPT, reason))


def _shortened(message: Message, tokens: int, count: TokenCount) -> Message | None:
    """The beginning and the end of a text within some tokens; None where not even a word fits."""
    text = plain_text(message)
    whole = count((message,))

    def cut(length: int) -> Message:
        tail = text[len(text) - length :] if length else ""
        marker = _CUT.format(count=whole - count((replace(message, blocks=(Text(text[:length] + tail),)),)))
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
