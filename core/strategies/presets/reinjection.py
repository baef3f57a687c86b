"""Messages that a preset reinjects beside a summary: the user's messages, files in use, open
tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.facts.file_accesses import FileAccess, file_accesses, may_change_shell_folder
from core.facts.sentences import is_summary, plain_text
from core.facts.tool_outcome import Outcome, tool_outcome
from core.strategies.presets.split import is_typed
from core.transcript.boundaries import TokenCount
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import (
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_pairs import is_failed_result, result_text

_CONTENTS = ("content", "file_text")  # arguments of tools that write a whole file
_LISTED = re.compile(r"<(read-files|modified-files)>\n(.*?)\n</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file, whether a call changed it, and its content as last seen whole."""

    path: str
    changed: bool = False
    content: str | None = None
    stale: bool = False
    was_read: bool = False


def touched_files(messages: Sequence[Message]) -> tuple[TouchedFile, ...]:
    """Return the files touched by successful calls, the one touched last at the end."""
    files: dict[str, TouchedFile] = {}
    for access, content, is_proven in _accesses(messages):
        old = files.pop(access.path, TouchedFile(access.path))
        is_read = access.operation is FileOperation.READ
        changed = old.changed or (not is_read and is_proven)
        was_read = old.was_read or is_read
        if content is not None:
            files[access.path] = TouchedFile(
                access.path, changed, content, was_read=was_read
            )
        else:
            stale = old.stale or not is_read
            files[access.path] = replace(
                old, changed=changed, stale=stale, was_read=was_read
            )
    return tuple(files.values())


def file_lists(messages: Sequence[Message]) -> str:
    """Return tagged lists of the files read and changed, including those of earlier summaries."""
    read: set[str] = set()
    modified: set[str] = set()
    for message in messages:
        if is_summary(message):
            for tag, lines in _LISTED.findall(plain_text(message)):
                (read if tag == "read-files" else modified).update(
                    filter(None, lines.splitlines())
                )
    for file in touched_files(messages):
        if file.changed or file.was_read:
            (modified if file.changed else read).add(file.path)
    lists = (("read-files", read - modified), ("modified-files", modified))
    return "".join(
        f"\n\n<{tag}>\n" + "\n".join(sorted(paths)) + f"\n</{tag}>"
        for tag, paths in lists
        if paths
    )


def _with_contents(
    call: ToolCall, response: ToolResponse, files: Sequence[FileAccess]
) -> Iterator[tuple[FileAccess, str | None, bool]]:
    is_proven = tool_outcome(call, response).kind is Outcome.SUCCEEDED
    for item in files:
        is_known = is_proven or item.operation is FileOperation.READ
        is_whole = is_known and len(files) == 1
        content = _content(call, response, item) if is_whole else None
        yield item, content, is_proven


def _accesses(
    messages: Sequence[Message],
) -> Iterator[tuple[FileAccess, str | None, bool]]:
    """Yield the file accesses of calls that did not fail, with the whole content they wrote or
    returned, and whether the result proves that they succeeded."""
    responses = {
        item.call_id: item for message in messages for item in tool_responses(message)
    }
    shell_moved = False
    for message in messages:
        for call in tool_calls(message):
            response = responses.get(call.id)
            if response is not None and not is_failed_result(response):
                files = file_accesses(call, "", shell_moved=shell_moved)
                yield from _with_contents(call, response, files)
            shell_moved = shell_moved or may_change_shell_folder(call)


def _content(call: ToolCall, answer: ToolResponse, access: FileAccess) -> str | None:
    """Return the whole content that a read returned or a write wrote; None for parts."""
    if access.operation is FileOperation.READ:
        if access.lines is None:
            return result_text(answer.result) or None
        return None
    if access.operation is FileOperation.EDIT or not isinstance(call.arguments, dict):
        return None
    return next(
        (
            call.arguments[key]
            for key in _CONTENTS
            if isinstance(call.arguments.get(key), str)
        ),
        None,
    )


# The rule's name in fates: messages of the user stay beside the summary.
KEPT_USER_TEXT_RULE = "words of the person"
_CUT = "\n[… {count:,} tokens left out …]\n"
_WHOLE = "For reference, {path} as it was last seen before the summary:\n\n{content}"
_STALE = "For reference, {path} as it was last seen whole; it was changed after that:\n\n{content}"
_PATH = "{path} was in use before the summary. Read it again when it is needed."
_TODOS = "Tasks that were open before the summary:\n\n{todos}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinjectRule:
    """The table [reinject] of a preset; 0 and false: off. ``files``: the files touched last, each
    whole within ``file_tokens``, all within ``total_tokens``, otherwise by path. ``human_tokens``:
    tokens of the user's newest messages kept before the summary; ``initial``: also the messages
    before the first of them. ``newest_human``: the user's newest text-only message stays after the
    summary. ``todos``: the open tasks."""

    files: int = 0
    file_tokens: int = 0
    total_tokens: int = 0
    human_tokens: int = 0
    initial: bool = False
    newest_human: bool = False
    todos: bool = False


RetainedMessage: TypeAlias = tuple[Message, FateStep]
"""A retained message and the reason: kind KEPT, or EDITED where it was shortened."""


def retained_messages(
    rule: ReinjectRule,
    messages: Mapping[int, Message],
    count: TokenCount,
    source_of: Callable[[int], int],
) -> Mapping[int, RetainedMessage]:
    """Return which of the summarised messages, by ascending index, stay beside the summary."""
    typed = [index for index, message in messages.items() if is_typed(message)]
    if rule.newest_human:
        text_only = [at for at in typed if _is_text_only(messages[at])]
        step = _kept_step("The newest message of the person that is text.")
        return {index: (messages[index], step) for index in text_only[-1:]}
    retained: dict[int, RetainedMessage] = {}
    if rule.human_tokens:
        retained = dict(_newest_typed(rule.human_tokens, typed, messages, count))
    if rule.initial and typed:
        step = _kept_step(
            f"Part of the first context, before #{source_of(typed[0]) + 1}."
        )
        retained |= _spoken_before(typed[0], messages, step)
    return dict(sorted(retained.items()))


def _spoken_before(
    first: int, messages: Mapping[int, Message], step: FateStep
) -> dict[int, RetainedMessage]:
    return {
        index: (message, step)
        for index, message in messages.items()
        if index < first and _is_spoken(message)
    }


def _is_text_only(message: Message) -> bool:
    return all(isinstance(block, Text) for block in message.blocks)


def _is_spoken(message: Message) -> bool:
    """Return True for what a person or the system says; results may have their speaker."""
    if message.speaker not in (Speaker.HUMAN, Speaker.SYSTEM):
        return False
    return not any(tool_responses(message))


def reinjected_messages(
    rule: ReinjectRule, messages: Sequence[Message], todos: str, count: TokenCount
) -> Iterator[Message]:
    """Yield the messages inserted after the summary, from the messages that it represents."""
    tokens_left = rule.total_tokens
    for file in reversed(touched_files(messages)[-rule.files :] if rule.files else ()):
        template = _STALE if file.stale else _WHOLE
        content_message = _note(template.format(path=file.path, content=file.content))
        cost = count((content_message,))
        if file.content is None or cost > min(rule.file_tokens, tokens_left):
            content_message, cost = _note(_PATH.format(path=file.path)), 0
        tokens_left -= cost
        yield content_message
    if rule.todos and todos:
        yield _note(_TODOS.format(todos=todos))


def _newest_typed(
    tokens: int,
    typed_indices: Sequence[int],
    messages: Mapping[int, Message],
    count: TokenCount,
) -> Iterator[tuple[int, RetainedMessage]]:
    """Yield whole messages from the newest on, and the first that does not fit shortened."""
    tokens_left = tokens
    step = _kept_step(f"Among the newest {tokens:,} tokens of what the person wrote.")
    for index in reversed(typed_indices):
        cost = count((messages[index],))
        if cost > tokens_left:
            shortened = _shortened(messages[index], tokens_left, count)
            if shortened is not None:
                cut = f"Shortened from {cost:,} tokens: the newest {tokens:,} end in this message."
                yield (
                    index,
                    (shortened, FateStep(KEPT_USER_TEXT_RULE, FateKind.EDITED, cut)),
                )
            return
        tokens_left -= cost
        yield index, (messages[index], step)


def _kept_step(reason: str) -> FateStep:
    return FateStep(KEPT_USER_TEXT_RULE, FateKind.KEPT, reason)


def _shortened(message: Message, tokens: int, count: TokenCount) -> Message | None:
    """Return the beginning and the end of a text within some tokens; None where nothing fits."""
    text = plain_text(message)
    total = count((message,))

    def cut(length: int) -> Message:
        if length:
            tail = text[len(text) - length :]
        else:
            tail = ""
        marker = _CUT.format(
            count=total
            - count((replace(message, blocks=(Text(text[:length] + tail),)),))
        )
        return replace(message, blocks=(Text(text[:length] + marker + tail),))

    low, high = 0, len(text) // 2
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if count((cut(middle),)) <= tokens else (low, middle - 1)
        )
    if low:
        return cut(low)
    return None


def _note(text: str) -> Message:
    return Message(speaker=Speaker.HUMAN, blocks=(Text(text),), flags=MessageFlag.META)
