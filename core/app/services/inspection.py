"""Pages of the inspector: a message, the reason of a cut, fidelity, a summary, a recorded compaction."""

from __future__ import annotations

from core.analysis.summary_check.preview_summaries import linked_summary, summary_findings, summary_parts
from core.app.document import OpenFile
from core.app.messages import (
    ExplainCutCommand,
    ExplainRecordedCommand,
    ExplainRunCommand,
    LoadBodyCommand,
    LoadFidelityCommand,
    LoadSummaryCommand,
)
from core.presentation.fidelity.model import FidelityPage
from core.presentation.fidelity.page import fidelity_page, lost_facts
from core.presentation.message_body import message_body
from core.presentation.model import MessageBody, WhyPage
from core.presentation.preview_columns import preview_columns
from core.presentation.recorded.page import recorded_page
from core.presentation.run_page import run_page
from core.presentation.summary_check.model import SummaryPage
from core.presentation.summary_check.page import summary_page
from core.presentation.tuning.change_effects import change_effect
from core.presentation.why_cut import why_cut
from core.preview.options import Preview
from core.transcript.model import Progress


def inspector_page(
    command: LoadBodyCommand
    | ExplainCutCommand
    | ExplainRunCommand
    | LoadFidelityCommand
    | LoadSummaryCommand
    | ExplainRecordedCommand,
    file: OpenFile,
    shown: Preview,
    progress: Progress,
) -> MessageBody | WhyPage | FidelityPage | SummaryPage:
    """Return the page that a command requests; InputError where there is no such thing."""
    match command:
        case LoadBodyCommand():
            return message_body(shown, command.side, command.index, is_complete=command.is_whole)
        case ExplainCutCommand():
            return why_cut(shown, command.name)
        case ExplainRunCommand():
            findings = summary_findings(shown, file.stages, progress)
            return run_page(shown, findings, None if findings is None else _lost_count(file, shown, progress))
        case LoadFidelityCommand():
            return _fidelity(file, shown, progress)
        case LoadSummaryCommand():
            return _summary(command.place, file, shown, progress)
        case ExplainRecordedCommand():
            return recorded_page(shown, file.recorded(shown), command.number)


def _summary(place: int, file: OpenFile, shown: Preview, progress: Progress) -> SummaryPage:
    """Return the summary in a message of the result; for an export the check of what it would write."""
    preview = shown if place >= 0 else file.exported or shown
    if place >= 0 and all(part.place != place for part in summary_parts(preview)):
        return SummaryPage(place, "", "", ())
    findings = summary_findings(preview, file.stages, progress)
    sentences = linked_summary(preview, place, file.stages, progress)
    lost = None if findings is None else _lost_count(file, preview, progress)
    return summary_page(place, findings, sentences, preview.conversation.cwd, lost)


def _lost_count(file: OpenFile, preview: Preview, progress: Progress) -> int:
    return len(lost_facts(file.fidelity(preview, progress)))


def _fidelity(file: OpenFile, shown: Preview, progress: Progress) -> FidelityPage:
    """Return the fidelity; with the effect of the last change where the one before it is known."""
    fidelity = file.fidelity(shown, progress)
    change = file.change
    previous = None if change is None else file.known_fidelity(change.previous)
    effects = (None if previous is None else previous.weighted, fidelity.weighted)
    return fidelity_page(shown, fidelity, change_effect(preview_columns(shown), change, effects))
