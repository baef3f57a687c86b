"""Saves an export: writes it to a temporary file, opens that again, compares, and only then renames
it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

from core.common import number_format
from core.common.atomic_file import temporary_file_errors, write_atomic
from core.common.errors import InputError
from core.common.json_value import MISSING
from core.export.export import ExportedFile
from core.formats.registry import load_conversation
from core.formats.writing.exporter import Exporter, ExportInput
from core.formats.writing.format_capabilities import CAPABILITIES, expected_messages
from core.llm.catalog import choose_model
from core.llm.request_size import exported_sizes, next_request_tokens, request_sizing
from core.tokens.calibration import model_family
from core.tokens.counter import counter_for
from core.transcript.alignment import canonical_block
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Message,
    Progress,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    no_progress,
)
from core.transcript.scopes import ALL, CURRENT, history_of_scope

_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "system"}
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)


class _PlacedBlock(NamedTuple):  # faster than a dataclass
    """A block with content, its message (from 0), role and kind: "text", "call" or "result". Blocks
    are compared in the order of ``order``."""

    order: int
    message: int
    role: str
    kind: str
    block: Text | Code | ToolCall | ToolResponse


@dataclass(frozen=True, slots=True)
class _Item:
    """A block, or consecutive words of one role: its message (from 0), role, kind, canonical text,
    and id."""

    message: int
    role: str
    kind: str
    text: str
    id: str

    @property
    def name(self) -> str:
        return {"call": "a tool call", "result": "a tool result"}.get(
            self.kind, f"words of the {self.role}"
        )


def first_difference(
    expected: Sequence[Message],
    written: Sequence[Message],
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """Return the first difference as the end of a sentence; "" if there is none. ``redacted``:
    secrets in ``written`` may be redacted. ``progress`` may raise Cancelled."""
    for ours, theirs in zip_longest(
        _items(expected, progress), _items(written, progress)
    ):
        if ours is None:
            return f"message {theirs.message + 1:,} of the file, {theirs.name}, was not to be written"
        if theirs is None:
            return f"{ours.name} of message {ours.message + 1:,} is not in the file"
        if difference := _item_difference(ours, theirs, redacted):
            return f"message {ours.message + 1:,}: {difference}"
    return ""


def _item_difference(ours: _Item, theirs: _Item, redacted: bool) -> str:
    if ours.role != theirs.role:
        return f"the role is {theirs.role} instead of {ours.role}"
    if ours.kind != theirs.kind:
        return f"{theirs.name} instead of {ours.name}"
    if ours.text != theirs.text and not (
        redacted and _equals_redacted(ours.text, theirs.text)
    ):
        return f"{ours.name} with other content"
    if ours.id not in ("", theirs.id) and not _equals_redacted(ours.id, theirs.id):
        return f"the id of {ours.name} is another one"
    return ""


def _equals_redacted(text: str, redacted: str) -> bool:
    parts = _MASK.split(redacted)
    if len(parts) == 1 or not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return False
    position = 0
    for part in parts:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


def _items(messages: Sequence[Message], progress: Progress) -> Iterator[_Item]:
    """Yield the content: results right behind their calls, neighbouring words of a role joined.
    Canonical texts are made one item at a time, since those of a whole file take as much memory as
    it does."""
    placed = sorted(_placed_blocks(messages, progress), key=attrgetter("order"))
    for (kind, _), group in groupby(
        placed, key=lambda one: (one.kind, one.kind == "text" and one.role)
    ):
        items = map(_item_of, group)
        if kind == "text":
            first = next(items)
            yield replace(
                first, text="\n".join([first.text, *(item.text for item in items)])
            )
        else:
            yield from items


def _placed_blocks(
    messages: Sequence[Message], progress: Progress
) -> Iterable[_PlacedBlock]:
    """Yield the blocks with content; the order of a result is that of its call, of any further
    result that of the answer before it."""
    calls: dict[str, int] = {}
    answer_order, order = -1, 0
    for number, message in enumerate(messages):
        progress(number / len(messages), "Comparing")
        role = _ROLES.get(message.speaker, "user")
        for block in message.blocks:
            match block:
                case ToolResponse():
                    yield _PlacedBlock(
                        calls.pop(block.call_id, answer_order),
                        number,
                        "tool",
                        "result",
                        block,
                    )
                    order += 1
                    continue
                case ToolCall():
                    kind = "call"
                    calls[block.id] = order
                case Text(text) | Code(text) if text and not text.isspace():
                    kind = "text"
                case _:
                    continue
            answer_order = order if message.speaker is Speaker.AI else answer_order
            yield _PlacedBlock(order, number, role, kind, block)
            order += 1


def _item_of(placed: _PlacedBlock) -> _Item:
    """Return a block that has content with its canonical text."""
    _, text, id_ = canonical_block(_with_object_arguments(placed.block)) or ("", "", "")
    id_ = "" if "$made_id" in placed.block.extra else id_
    return _Item(placed.message, placed.role, placed.kind, text, id_)


def _with_object_arguments(block: Block) -> Block:
    """Return a call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    is_empty = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if is_empty else {"arguments": block.arguments})


SAVE_ANYWAY_HINT = "Choose another format, or add --force to save it as it is."


Compare: TypeAlias = Callable[[Sequence[Message], Sequence[Message]], str]
"""Returns the first difference between expected messages and messages that were read; "" if there
is none."""


class RoundTripError(InputError):
    """The written file, opened again, differs from the export."""


def write_export(
    exported: ExportedFile,
    path: Path,
    *,
    overwrite: bool,
    source: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> Conversation | None:
    """Write an export to ``path`` as ``write_atomic`` does, and return it as it is opened again, if
    it is. Raises RoundTripError, with nothing written, if it would then differ from the export;
    ``force`` skips that check."""
    reopened: list[Conversation | None] = []

    def check(written: Path) -> None:
        reopened.append(
            check_written(exported, written, name=path.name, progress=progress)
        )

    write_atomic(
        path,
        exported.data,
        overwrite=overwrite,
        source=source,
        check=None if force else check,
    )
    if reopened:
        return reopened[0]
    return None


def check_unsaved(
    exported: ExportedFile, progress: Progress = no_progress
) -> Conversation | None:
    """Run the same check on an export that is not written to a file. Raises RoundTripError."""
    if exported.exporter.name not in CAPABILITIES:
        return None
    with temporary_file_errors():
        handle, name = tempfile.mkstemp(prefix="foldline-")
    try:
        with temporary_file_errors(), os.fdopen(handle, "wb") as file:
            file.write(exported.data)
        return check_written(exported, Path(name), name="The export", progress=progress)
    finally:
        os.unlink(name)


def check_written(
    exported: ExportedFile,
    written: Path,
    *,
    name: str,
    progress: Progress = no_progress,
) -> Conversation | None:
    """Open the written file, compare it message by message, and return it; None for what is not
    read. Raises RoundTripError if it differs."""
    if exported.exporter.name not in CAPABILITIES or not exported.source.messages:
        return None
    try:
        reopened = _reopen(exported, written, progress)
        difference = _difference(exported, reopened, progress)
    except InputError as error:
        difference = error.message.replace(written.name, name).rstrip(".")
    if difference:
        failure = f"{name} was not saved: opened again it would differ from what was to be written"
        raise RoundTripError(
            f"{failure}. The first difference: {difference}.", SAVE_ANYWAY_HINT
        )
    # its records can be read again when the temporary file is gone
    document = replace(reopened.document, name=name, path=None, data=exported.data)
    return replace(reopened, document=document)


def _difference(
    exported: ExportedFile, reopened: Conversation, progress: Progress
) -> str:
    name = exported.exporter.name
    compare = partial(first_difference, redacted=exported.redacted, progress=progress)
    if exported.appended:
        return _appended_difference(exported, reopened, compare)
    expected = expected_messages(exported.source, name)
    difference = compare(expected, reopened.messages)
    if difference and reopened.recorded and exported.source.history.scope != ALL:
        # the summary of an earlier compaction was written as its own record
        return (
            compare(expected, history_of_scope(reopened, CURRENT).messages)
            and difference
        )
    return difference


def _reopen(exported: ExportedFile, written: Path, progress: Progress) -> Conversation:
    """Return the conversation that was written; in a file with several, by its number in the
    source."""
    original = exported.source.conversation
    place = original.number, original.branch
    if exported.source.is_from_format(exported.exporter.name) and place != (1, 1):
        try:
            return load_conversation(
                written, conversation=place[0], branch=place[1], progress=progress
            )
        except InputError:
            pass  # the conversation was written alone
    return load_conversation(written, progress=progress)


def _appended_difference(
    exported: ExportedFile, reopened: Conversation, compare: Compare
) -> str:
    original = exported.source.conversation
    if difference := compare(
        original.messages, reopened.messages[: len(original.messages)]
    ):
        return difference
    compaction = exported.source.compaction
    added = compaction is not None and compaction.no_op is None
    if len(reopened.recorded) - len(original.recorded) != added:
        return "the compaction is not recorded in the file"
    return ""


# Sizes of exports: what a file carries of its calibration, and whether it says the size that was
# shown.


_TOLERANCE = 0.02  # of the shown size
_MIN_DIFFERENCE = 100  # tokens


def with_sizes(content: ExportInput) -> ExportInput:
    """Return the input of an export that has no preview with the sizes that it would be shown with.
    Messages are counted only if the file reports sizes, carries some, or is of a family with a
    factor."""
    conversation, compaction = content.conversation, content.compaction
    model = choose_model(conversation)
    if not (conversation.usage or conversation.carried or model_family(model)):
        return content
    counter = counter_for(model)
    sizing = request_sizing(conversation, counter, content.history.scope, model)
    sized = sizing.counter(counter)
    sizes, request_tokens = exported_sizes(
        sizing,
        sized.messages(content.messages),
        sized.system(conversation.system),
        model,
        is_changed=compaction is not None and compaction.no_op is None,
    )
    return replace(content, sizes=sizes, request_tokens=request_tokens)


def size_difference(
    content: ExportInput, exporter: Exporter, reopened: Conversation
) -> str:
    """Return a sentence on a file that says another size than was shown, "" if it says the same."""
    shown = content.request_tokens
    if shown is None or not content.messages:
        return ""
    is_same_count = reopened.carried is not None or content.sizes is None
    if (
        is_same_count
        and not reopened.recorded
        and content.is_from_format(exporter.name)
    ):
        # The same content is counted in the same way, and large results need no second count.
        return ""
    model = choose_model(reopened)
    counter = counter_for(model)
    tokens = next_request_tokens(
        reopened, counter, request_sizing(reopened, counter, CURRENT, model)
    )
    if abs(tokens - shown) <= max(_MIN_DIFFERENCE, _TOLERANCE * shown):
        return ""
    if shown:
        share = number_format.percent(abs(tokens - shown) / shown)
    else:
        share = ""
    if exporter.carries_sizes or content.sizes is None:
        reason = "the file does not hold all that was counted"
    else:
        reason = f"{exporter.label} has no place for how sizes were calibrated"
    return (
        f"When you open the file, its next request will show ≈{tokens:,} tokens, {share} "
        f"{'more' if tokens > shown else 'fewer'} than now (≈{shown:,}): {reason}."
    )
