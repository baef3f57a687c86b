"""Writes a session as it was before one of its recorded compactions, in its own format."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.app.services.export import save_export, written_words
from core.app.services.service import Service
from core.common import number_format
from core.common.errors import InputError
from core.export.export import EXPORTERS
from core.formats.registry import format_by_name
from core.formats.writing.exporter import ExportInput
from core.presentation.dialog_model import ExportRequest
from core.presentation.model import Notice, NoticeAction
from core.transcript.model import Message, Speaker, Text
from core.transcript.scopes import BEFORE, context_after_compaction, history_of_scope

if TYPE_CHECKING:
    from core.transcript.model import Conversation, RecordedCompaction
    from core.transcript.scopes import History


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What is to be written: the context before recorded compaction ``number``. ``later`` counts
    the messages that followed the compaction, which are left out."""

    number: int
    content: ExportInput
    later: int


def plan_undo(conversation: Conversation, number: int = 0) -> UndoPlan:
    """Return the plan for recorded compaction ``number``, from 1; 0 is the newest.

    Raises InputError where there is none, where its format is only read, and where the file does
    not hold what was before it.
    """
    name = conversation.document.name
    count = len(conversation.recorded)
    number = number or count
    if not 1 <= number <= count:
        if not count:
            raise InputError(
                f"{name} has no recorded compaction, so there is nothing to undo.",
                "Choose a session that its agent compacted.",
            )
        raise InputError(
            f"There is no recorded compaction {number} in {name}, which has {count:,}.",
            "See them with: foldline inspect FILE.",
        )
    _check_writable(conversation, number)
    history = history_of_scope(conversation, f"{BEFORE}{number}")
    recorded_compaction = conversation.recorded[number - 1]
    if recorded_compaction.is_source_lost or not history.messages:
        raise InputError(
            f"{name} no longer holds what was there before its compaction {number}.",
            "Look for an earlier file of the session: foldline sessions.",
        )
    history = _without_summary_answer(history, recorded_compaction)
    content = ExportInput(conversation=conversation, history=history)
    later = len(conversation.messages) - recorded_compaction.boundary
    return UndoPlan(number, content, later)


def _without_summary_answer(
    history: History, compaction: RecordedCompaction
) -> History:
    """Return a history without the answer that became the summary, which Codex records at its end,
    before the compaction."""
    last, messages = history.messages[-1], history.messages
    if last.blocks:
        answer = last.blocks[-1]
    else:
        answer = None
    if (
        last.speaker is not Speaker.AI
        or not isinstance(answer, Text)
        or not answer.text.strip()
    ):
        return history
    after = (*compaction.summary, *context_after_compaction(compaction))
    blocks = [
        block for one in after if isinstance(one, Message) for block in one.blocks
    ]
    summaries = [block.text for block in blocks if isinstance(block, Text)]
    if not any(answer.text.strip() in text for text in summaries):
        return history
    if len(last.blocks) == 1:
        return replace(history, messages=messages[:-1], indices=history.indices[:-1])
    shorter = replace(
        last, blocks=last.blocks[:-1], sources=last.sources[:-1] or last.sources
    )
    return replace(history, messages=(*messages[:-1], shorter))


def _check_writable(conversation: Conversation, number: int) -> None:

    if any(exporter.name == conversation.format for exporter in EXPORTERS):
        return
    label = format_by_name(conversation.format).label
    raise InputError(
        f"Foldline does not write {label}, so it cannot undo this compaction in a file.",
        "Write what was there before in another format: "
        f"foldline convert FILE --scope before:{number} --to FORMAT.",
    )


def later_words(later: int) -> str:
    """Return what an undo leaves out, as a sentence; "" for nothing."""
    if not later:
        return ""
    messages = number_format.plural(later, "message")
    return f"{messages} after the compaction {'is' if later == 1 else 'are'} left out."


class UndoService(Service):
    """Writes the open session as it was before a recorded compaction."""

    def undo(self, path: str, number: int) -> tuple[Notice, ...]:
        """Write the copy, and return its notice. InputError where it cannot be written; the window
        has asked whether a file may be replaced."""
        conversation = self._workspace.opened_file().conversation
        plan = plan_undo(conversation, number)
        request = ExportRequest(path=path, format=conversation.format, overwrite=True)
        written = save_export(plan.content, request, self._workspace.reporter().working)
        messages, verdict = written_words(written)
        title = f"Wrote the session as it was before compaction {plan.number}."
        text = " ".join(
            (f"{messages}{f', {verdict}' if verdict else ''}.", later_words(plan.later))
        )
        open_it = NoticeAction("Open it", "open", path)
        return (Notice("info", title, text.strip(), (open_it,), topic="export"),)
