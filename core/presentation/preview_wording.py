"""Wording of previews and conversations that window, command line and report share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.common import excerpts, number_format
from core.llm.catalog import ModelLimit
from core.llm.request_size import RequestSizing
from core.preview.options import Preview, missed_text
from core.settings.prompts import PromptLevel
from core.strategies.base import (
    CheckPoint,
    EmulatedProgram,
    Strategy,
    Trigger,
    TriggerMode,
)
from core.tokens.recorded_compactions import MeasuredCompaction
from core.transcript.compaction import Cut
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    ImportNote,
    ListedConversation,
    MessageFlag,
)
from core.transcript.scopes import ALL, BEFORE, CURRENT, History

TOP, MIDDLE, BOTTOM = "Top", "Middle", "Bottom"
ONE_SUMMARY = "become one summary"
PROMPT_LEVELS = {
    PromptLevel.MODEL: "This model",
    PromptLevel.PROVIDER: "This provider",
    PromptLevel.BASE: "All providers",
    PromptLevel.BUILT_IN: "Built in",
}


def limit_text(model_limit: ModelLimit) -> str:
    """Return the limit and its source: "200,000 (claude-sonnet-4-5 in the model table)"."""
    if model_limit.tokens is None:
        reason = excerpts.one_line_text(model_limit.source).removeprefix("unknown: ")
        return f"{number_format.UNKNOWN} ({reason})"
    return f"{number_format.count(model_limit.tokens)} ({model_limit.source})"


def not_counted(messages: int) -> str:
    """Say how many messages have no size: they are encrypted, or of a kind that nobody reads."""
    return f"{number_format.plural(messages, 'unreadable message')} not counted"


def reduction_text(preview: Preview) -> str:
    """Return "−84,445 tokens · −57 %" of the next request; nothing without a change."""
    base = preview.sizes.before_tokens
    change = preview.sizes.after_tokens - base
    if not change or not base:
        return ""
    share = number_format.reduction_percent(-change / base)
    return f"{number_format.signed(change)} tokens · {share}"


def marked_tokens(preview: Preview, number: int | None) -> str:
    """Return tokens with the mark of how the preview counts them: "≈101,039"; a dash if unknown."""
    return number_format.tokens(preview.sizes.count_method.mark, number)


def request_sizes_text(preview: Preview) -> str:
    """Return "≈101,039 → ≈38,400 tokens": the next request now and with the result, with hidden
    tokens."""
    sizes = preview.sizes.before_tokens, preview.sizes.after_tokens
    shown = (marked_tokens(preview, size) for size in sizes)
    return f"{' → '.join(shown)} tokens"


FITS, ABOVE_TRIGGER, ABOVE_LIMIT = "fits", "above the trigger", "above the limit"


@dataclass(frozen=True, slots=True)
class SizeStanding:
    """How a request stands: ``word`` is one of the three above, "" without trigger and limit;
    ``excess`` are the tokens above. ``tone`` is "ok", "warn" or "error"."""

    word: str
    tone: str
    excess: int = 0

    @property
    def text(self) -> str:
        """ "17,000 above the limit"; nothing for a size that fits."""
        if self.excess:
            return f"{number_format.count(self.excess)} {self.word}"
        return ""


NO_STANDING = SizeStanding("", "ok")


def size_standing(tokens: int, trigger: int | None, limit: int | None) -> SizeStanding:
    """Return how a request of that size stands: no window, table or picture judges it by another
    rule."""
    if limit is not None and tokens > limit:
        return SizeStanding(ABOVE_LIMIT, "error", tokens - limit)
    if trigger is not None and tokens >= trigger:
        return SizeStanding(ABOVE_TRIGGER, "warn", max(1, tokens - trigger))
    return SizeStanding("" if trigger is None and limit is None else FITS, "ok")


def result_standing(preview: Preview) -> SizeStanding:
    """Return how the next request stands with the result of a preview."""
    return size_standing(
        preview.sizes.after_tokens,
        preview.sizes.trigger_tokens,
        preview.sizes.model_limit.tokens,
    )


def target_outcome(preview: Preview) -> str:
    """Return "met", or by how much the target is missed."""
    excess = preview.sizes.missed_tokens
    if excess:
        return f"missed by {number_format.count(excess)}"
    return "met"


def preview_warnings(preview: Preview) -> tuple[str, ...]:
    """Return all warnings of a preview, that its target is missed first."""
    missed = preview.missed
    texts = () if missed is None else (missed_text(missed),)
    warnings = (*texts, *preview.checks.warnings, *preview.result.compaction.warnings)
    return tuple(dict.fromkeys(warnings))


def result_size_text(preview: Preview) -> str:
    """Return "−84,445 tokens · −57 %", and by how much the next request is too large still."""
    return " · ".join(
        filter(None, (reduction_text(preview), result_standing(preview).text))
    )


def scope_label(scope: str) -> str:
    if scope == ALL:
        return "whole session"
    if scope == CURRENT:
        return "current context"
    return f"before compaction {scope.removeprefix(BEFORE)}"


def short_scope_label(scope: str) -> str:
    """Return "whole", "current" or "before 1"."""
    if scope == ALL:
        return "whole"
    if scope == CURRENT:
        return "current"
    return f"before {scope.removeprefix(BEFORE)}"


def current_context_text(conversation: Conversation, history: History) -> str:
    """Return "current context: 123 of 868 messages + its summary": what a file opens with that its
    agent compacted."""
    pairs = zip(history.indices, history.messages, strict=True)
    added = [message for index, message in pairs if index < 0]
    stayed = len(history.messages) - len(added)
    count = len(conversation.messages)
    text = f"{scope_label(CURRENT)}: {stayed:,} of {count:,} messages"
    if not added:
        return text
    is_summary = len(added) == 1 and added[0].flags & MessageFlag.RECORDED_SUMMARY
    return f"{text} + {'its summary' if is_summary else f'{len(added):,} of its compaction'}"


def conversation_hint(listed: ListedConversation) -> str:
    """Return "sub-agent · 12 messages", without unknown parts or a kind that the title names."""
    if listed.messages is None:
        count = ""
    else:
        count = number_format.plural(listed.messages, "message")
    kind = (
        ""
        if listed.kind and listed.title.startswith(f"{listed.kind} ")
        else listed.kind
    )
    return " · ".join(part for part in (kind, count) if part)


def branch_hint(branch: ConversationBranch) -> str:
    """ "12 messages · leaves at line 214"."""
    if branch.number > 1:
        leaves = f"leaves at line {number_format.count(branch.line)}"
    else:
        leaves = ""
    parts = (
        "default" if branch.number == 1 else "",
        number_format.plural(branch.messages, "message"),
        leaves,
    )
    return " · ".join(part for part in parts if part)


def warning_texts(conversation: Conversation) -> list[str]:
    return note_texts(conversation.report.warnings)


def note_texts(notes: Iterable[ImportNote]) -> list[str]:
    return [
        f"line {note.line:,}: {note.text}" if note.line else note.text for note in notes
    ]


def scope_left(conversation: Conversation, number: int) -> str:
    """Return the scope that begins after recorded compaction ``number`` (from 1)."""
    if number == len(conversation.recorded):
        return CURRENT
    return f"{BEFORE}{number + 1}"


def trigger_words(trigger: Trigger) -> str:
    """Return "85 %", "100,000 tokens", "limit − 33,000", "> 240 messages", "after a pause of 60
    min", "never"."""
    if trigger.mode in (TriggerMode.ALWAYS, TriggerMode.NEVER):
        return trigger.mode.value
    if trigger.messages:
        return f"> {number_format.count(trigger.messages)} messages"
    if trigger.idle_minutes:
        return f"after a pause of {number_format.count(trigger.idle_minutes)} min"
    if trigger.tokens:
        return f"{number_format.count(trigger.tokens)} tokens"
    share = number_format.setting_percent(trigger.threshold)
    if not trigger.margin:
        return share
    if trigger.margin_above:
        margin = number_format.count(trigger.margin)
        return f"{share}; above {number_format.count(trigger.margin_above)} − {margin}"
    if trigger.threshold == 1:
        limit = "limit"
    else:
        limit = f"{share} of limit"
    return f"{limit} − {number_format.count(trigger.margin)}"


def strategy_hint(strategy: Strategy) -> str:
    """Return what a strategy does, with the agent and date that a preset emulates."""
    emulated = strategy.emulates
    if emulated is None:
        return strategy.about
    known = how_known(emulated)
    return f"{strategy.about} {emulated.label}, as of {emulated.as_of}, {known}."


def how_known(emulated: EmulatedProgram) -> str:
    if emulated.reverse_engineered:
        return "inferred, not documented"
    return "documented"


def strategy_details(strategy: Strategy) -> str:
    """Return when a strategy works, and whether it obeys pins and the focus."""
    inputs = (("pins", strategy.obeys_pins), ("the focus", bool(strategy.prompts)))
    parts = [
        "works on every turn and when it compacts"
        if strategy.optimize
        else "works when it compacts"
    ]
    for verb, value in (("obeys", True), ("ignores", False)):
        names = [name for name, is_obeyed in inputs if is_obeyed is value]
        parts += [f"{verb} {' and '.join(names)}"] if names else []
    words = trigger_words(strategy.trigger)
    trigger = f"Trigger: {words}{' of the limit' if words.endswith('%') else ''}."
    return f"{', '.join(parts)}. {trigger} {check_point_text(strategy.trigger)}".strip()


def check_point_text(trigger: Trigger) -> str:
    """Return the check point in an agent's loop, empty for the usual one."""
    if trigger.check is CheckPoint.BEFORE_SEND:
        return ""
    return f"An agent looks at its size {trigger.check.value}."


def cut_text(name: str, index: int, length: int) -> str:
    """Return "Top ends after #32" or "Bottom starts at #122" for the cut of that name at
    ``index``."""
    if name == "top":
        if index:
            return f"{TOP} ends after #{index:,}"
        return f"{TOP} is empty"
    start = number_format.message_number(index)
    if index < length:
        return f"{BOTTOM} starts at {start}"
    return f"{BOTTOM} is empty"


def cut_moved_text(cut: Cut, length: int) -> str:
    """Return "Top ends after #32, not #30" for a cut that was moved."""
    if cut.name == "top":
        wanted = cut.requested
    else:
        wanted = cut.requested + 1
    return f"{cut_text(cut.name, cut.index, length)}, not #{wanted:,}"


def calibration_text(sizing: RequestSizing) -> str:
    """Return "calibrated on 45 requests: ×1.46, 32,624 hidden; typical error 0.2 %", or nothing.

    "as calibrated before the export, on 45 requests" for what the export of a session carries.
    """
    fit = sizing.calibration.fit
    if not sizing.is_reported or fit.error is None:
        return ""
    on = number_format.plural(fit.requests, "request")
    hidden = number_format.count(max(0, sizing.hidden))
    error = number_format.percent(fit.error)
    if sizing.calibration.source == "export":
        how = "as calibrated before the export, on"
    else:
        how = "calibrated on"
    return f"{how} {on}: ×{fit.factor:.2f}, {hidden} hidden; typical error {error}"


def clearing_sentences(sizing: RequestSizing) -> tuple[str, ...]:
    return tuple(
        f"The agent dropped about {number_format.count(round(one.dropped, -3) or one.dropped)} tokens before "
        f"{number_format.message_number(one.requests[0].number)} without saying so."
        for one in sizing.calibration.clearings
    )


def again_text(measured: MeasuredCompaction | None) -> str:
    """Return what the next turns brought back: "read again: 4 files, 31k tokens", or nothing."""
    if measured is None or not measured.again.tokens:
        return ""
    again = measured.again
    counts = [
        number_format.plural(again.files, "file") if again.files else "",
        number_format.plural(again.commands, "command") if again.commands else "",
        number_format.plural(again.edits, "failed edit") if again.edits else "",
    ]
    only_files = not again.commands and not again.edits
    verb = "read again" if only_files else "brought back"
    return f"{verb}: {', '.join(filter(None, counts))}, {number_format.abbreviated(again.tokens)} tokens"
