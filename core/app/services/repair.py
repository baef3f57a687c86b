"""Mends a session that a provider refuses, in a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.app.services.export import save_export
from core.app.services.service import Service
from core.common import number_format
from core.common.errors import InputError
from core.export.checked_saving import with_sizes
from core.export.export import EXPORTERS
from core.formats.writing.exporter import ExportInput
from core.formats.writing.format_capabilities import CAPABILITIES, ExtraContent
from core.formats.writing.redacted_output import damage_of
from core.lint.common_rules import ERROR
from core.lint.lint import (
    as_sent,
    default_provider,
    file_findings,
    find_provider,
    lint_messages,
    lint_verdict,
    lint_written,
    lost_parent_findings,
)
from core.lint.provider_limits import request_model
from core.lint.repair import FILE_RULES, repair_messages
from core.lint.repair_content import change_count
from core.lint.request_records import REQUEST_FORMATS, RequestRecords
from core.presentation.checks_page import RepairOutlook
from core.presentation.dialog_model import ExportRequest
from core.presentation.model import Notice, NoticeAction
from core.presentation.preview_wording import scope_label
from core.transcript.compaction import FateKind
from core.transcript.scopes import ALL, CURRENT, history_of_scope, replaces_messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.lint.common_rules import LintFinding, RequestModel
    from core.lint.repair_content import Repair, RepairChange
    from core.transcript.model import Conversation, Message
    from core.transcript.scopes import History


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPlan:
    """What a repair of a ``scope`` for the API ``provider`` changes, what is to be written in the
    format ``target``, and the findings ``before`` and ``left`` after it."""

    target: str
    provider: str
    scope: str
    repair: Repair
    content: ExportInput
    before: tuple[LintFinding, ...]
    left: tuple[LintFinding, ...]

    @property
    def changes(self) -> tuple[RepairChange, ...]:
        return self.repair.changes

    def line_of(self, change: RepairChange) -> int | None:
        """Return the line of the source file that a change is about; None for an added message."""
        messages = self.content.history.messages
        if change.index >= 0:
            sources = messages[change.index].sources
        else:
            sources = ()
        if sources:
            return sources[0].line
        return None


def repair_target(conversation: Conversation, provider: str = "") -> str:
    """Return the format of a mended copy: the session's own, for one that is only read the requests
    of its API, ``provider`` or that of format and model."""
    if any(exporter.name == conversation.format for exporter in EXPORTERS):
        return conversation.format
    return REQUEST_FORMATS[
        provider or default_provider(conversation.format, conversation.model)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _MendedHistory:
    """What is sent of a history, its messages as the provider gets them, and their repair."""

    sent: History
    judged: Conversation
    provider: str
    messages: Sequence[Message]
    model: RequestModel
    records: RequestRecords
    repair: Repair

    def findings(self) -> tuple[LintFinding, ...]:
        """Return what the provider says of the messages before the repair."""
        return lint_messages(
            self.messages, self.provider, model=self.model, records=self.records
        )


def _mended(
    conversation: Conversation,
    history: History,
    target: str,
    provider: str,
    *,
    leaves_out_images: bool,
) -> _MendedHistory:
    """Mend in memory what is sent of a history: of a whole session that its agent compacted the
    current context, because that is what the agent sends."""
    known = CAPABILITIES.get(target)
    model = request_model(conversation)
    sent = history
    if history.scope == ALL and any(map(replaces_messages, conversation.recorded)):
        sent = history_of_scope(conversation, CURRENT)
    judged, messages = as_sent(conversation, sent.messages, provider)
    records = RequestRecords(judged, provider)
    repair = repair_messages(
        messages,
        provider,
        is_request=known is not None and ExtraContent.SYSTEM in known.extra,
        model=model,
        leaves_out_images=leaves_out_images,
        lost_parents=conversation.report.lost_parents,
        records=records,
        is_sent=conversation.format in find_provider(provider).formats,
        damage=damage_of(conversation) if conversation.format == target else (0, 0),
    )
    return _MendedHistory(
        sent=sent,
        judged=judged,
        provider=provider,
        messages=messages,
        model=model,
        records=records,
        repair=repair,
    )


def plan_repair(
    conversation: Conversation,
    history: History,
    target: str,
    provider: str = "",
    *,
    leaves_out_images: bool = False,
) -> RepairPlan:
    """Return what mends a history so that the format ``target`` can be sent to ``provider``, by
    default to the API of the format and the model. A history in order is written as it is; images
    over a limit go only with ``leaves_out_images``."""
    provider = provider or default_provider(target, conversation.model)
    mended = _mended(
        conversation, history, target, provider, leaves_out_images=leaves_out_images
    )
    sent, repair = mended.sent, mended.repair
    content = ExportInput(conversation=conversation, history=history)
    if any(one.rule not in FILE_RULES for one in repair.changes):
        content = with_sizes(
            ExportInput(
                conversation=conversation, history=sent, compaction=repair.compaction
            )
        )
    if not repair.changes and history.scope == ALL and target == conversation.format:
        before = left = file_findings(conversation, provider)
    else:
        before = (*lost_parent_findings(conversation, provider), *mended.findings())
        left = _left(content, provider, target)
    return RepairPlan(
        target=target,
        provider=provider,
        scope=sent.scope,
        repair=repair,
        content=content,
        before=before,
        left=left,
    )


def repair_outlook(
    conversation: Conversation, history: History, provider: str
) -> RepairOutlook:
    """Return what a repair would change and leave, by the messages of ``history``; nothing is
    written."""
    target = repair_target(conversation, provider)
    mended = _mended(conversation, history, target, provider, leaves_out_images=False)
    compaction, sent = mended.repair.compaction, mended.sent
    places = range(len(sent.messages)) if sent is history else sent.indices
    records = RequestRecords(mended.judged, provider)
    left = set()
    for one in lint_messages(
        compaction.messages, provider, model=mended.model, records=records
    ):
        if one.index >= 0:
            origins = compaction.origins[one.index]
        else:
            origins = ()
        if one.severity == ERROR:
            left.add((one.rule, places[origins[0]] if origins else -1))
    reasons: dict[int, tuple[str, ...]] = {}
    for change in mended.repair.changes:
        if change.index >= 0:
            index = places[change.index]
        else:
            index = -1
        reasons[index] = (*reasons.get(index, ()), change.reason)
    kinds = [fate.kind for fate in compaction.fates]
    return RepairOutlook(
        reasons=reasons,
        left=frozenset(left),
        kept=kinds.count(FateKind.KEPT),
        messages=len(kinds),
        left_out=_left_out(conversation, sent),
        moves=sum(change.moves for change in mended.repair.changes),
    )


def _left_out(conversation: Conversation, written: History) -> str:
    """Return "Current context only: 14 other messages are left out."; "" where all are written."""
    kept = len({index for index in written.indices if index >= 0})
    missing = len(conversation.messages) - kept
    if not missing:
        return ""
    messages = number_format.plural(missing, "other message")
    verb = "is" if missing == 1 else "are"
    scope = scope_label(written.scope)
    return f"{scope[0].upper()}{scope[1:]} only: {messages} {verb} left out."


def _left(content: ExportInput, provider: str, target: str) -> tuple[LintFinding, ...]:
    """Return what lint finds in the mended copy, which is written for that in memory; of a copy
    that would not open again as it is meant, what it finds in the messages."""
    try:
        written = save_export(content, ExportRequest(path="", format=target)).reopened
    except InputError:
        written = None
    if written is None:
        return lint_written(content, provider, target)
    return file_findings(written, provider)


_MAX_LISTED = 200  # changes in the details of a notice


def _details(plan: RepairPlan, text: str) -> str:
    """Return every change and, whole, the ``text`` that the row of a notice may cut."""
    lines = [f"{one.reason} [{one.rule}]" for one in plan.changes]
    more = len(lines) - _MAX_LISTED
    ends = [f"and {more:,} more"] if more > 0 else []
    return "\n".join((*lines[:_MAX_LISTED], *ends, "", text))


class RepairService(Service):
    """Writes a mended copy of the open file."""

    def repair(self, path: str, provider: str) -> tuple[Notice, ...]:
        """Write the copy, and return the notice that lists the changes. InputError where it cannot
        be written; the window has asked whether a file may be replaced."""
        source = self._workspace.analysis_input()
        conversation = source.conversation
        history = history_of_scope(conversation, source.options.scope)
        target = repair_target(conversation, provider)
        plan = plan_repair(conversation, history, target, provider)
        request = ExportRequest(path=path, format=target, overwrite=True)
        written = save_export(plan.content, request, self._workspace.reporter().working)
        title = f"Wrote a copy with {change_count(plan.changes)}."
        left = plan.left
        if written.reopened is not None:
            left = file_findings(written.reopened, provider)
        verdict = lint_verdict(left, provider)
        sentences = (
            _left_out(conversation, plan.content.history),
            f"{verdict[0].upper()}{verdict[1:]}.",
            "The file is as it was.",
        )
        text = " ".join(filter(None, sentences))
        details = _details(plan, text)
        severity = "warning" if any(one.severity == "error" for one in left) else "info"
        open_it = NoticeAction("Open it", "open", path)
        return (Notice(severity, title, text, (open_it,), details, topic="export"),)
