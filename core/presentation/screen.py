"""One preview as the window shows it: every text and number of a screen, ready to paint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.common import number_format
from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers
from core.engine.notices import context_compacted, short_tokens
from core.presentation import lint_sheets, notices
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import CutRow, MessageRows, Notice, NoticeAction, PickerChoice, Screen
from core.presentation.preview_columns import INSERTED_CODE, PreviewColumns, fate_counts
from core.presentation.preview_columns_cache import ResultColumns, result_columns
from core.presentation.recorded.recorded_rows import recorded_rows
from core.presentation.ruler.bands import band_names, ruler_bands
from core.presentation.ruler.ruler_lines import ruler_marks
from core.presentation.scope_wording import scope_choices
from core.presentation.screen_key import ScreenKey
from core.presentation.status_bar import status_parts
from core.presentation.tuning.change_effects import SettingsChange, change_effect
from core.presentation.tuning.panel import control_groups
from core.preview.options import Preview
from core.settings.profile import OFFLINE
from core.settings.schema import setting_text
from core.strategies.helpers import OLDEST_FIRST
from core.tokens.recorded_compactions import MeasuredCompaction


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What a screen shows beside the preview.

    ``before`` are the rows of the history, ``context_tokens`` those of the next request (current
    scope and system part). ``change`` is the last change of settings, ``settled`` the last whole
    preview, for what a draft does not compute; ``known`` are columns of earlier screens; ``asked`` is what
    it answers to.
    """

    generation: int
    layers: SettingLayers
    before: MessageRows
    context_tokens: int
    title: str
    provider: str
    change: SettingsChange | None = None
    settled: Preview | None = None
    runs_made: tuple[PickerChoice, ...] = ()
    can_undo: bool = False
    profile: str = OFFLINE
    stale: bool = False
    price: str = ""
    run: str = ""
    recorded: tuple[MeasuredCompaction, ...] = ()
    known: Sequence[ResultColumns] = ()
    asked: ScreenKey | None = None


_UNWRITTEN = "The summary is written when the handle is let go; until then its budget counts."
_BY_MODEL = "{name} writes the summary when you press Compact; until then its budget counts."


def preview_screen(preview: Preview, state: ScreenState) -> Screen:
    """The screen of a preview; one without checks says that they are not known yet."""
    if preview.draft and state.settled is not None:
        preview = replace(preview, marginals=state.settled.marginals, lint=state.settled.lint)
    drawn = columns_of(preview, state)
    found = screen_checks(preview, state, drawn)
    shown = drawn.scene
    no_op = preview.compaction.no_op
    return Screen(
        generation=state.generation,
        strategy=preview.strategy.name,
        draft=preview.draft,
        before=state.before,
        after=drawn.after,
        fates=shown.fates,
        after_fates=shown.after_fates,
        origin=shown.origin,
        partners=preview.pairs.partners,
        runs=drawn.runs,
        bands=ruler_bands(shown),
        handles=drawn.handles,
        valid=preview.pairs.valid,
        marks=ruler_marks(shown),
        before_head=number_format.plural(shown.length, "message"),
        after_head=_after_head(shown, state.run),
        before_chips=fate_counts(shown.fates),
        after_chips=fate_counts(shown.after_fates),
        before_cuts=_before_cuts(shown),
        after_cuts=_after_cuts(shown),
        recorded=recorded_rows(preview.conversation, preview.history, state.recorded),
        groups=found.groups,
        effect=change_effect(shown, state.change),
        lint=found.lint,
        lint_provider=state.provider,
        status=found.status,
        notices=found.notices,
        no_op=no_op.reason if no_op else "",
        is_beside=bool(preview.beside),
        title=state.title,
        scope=preview.history.scope,
        model=preview.window.model,
        profile=state.profile,
        stale=state.stale,
        price=state.price,
        run=state.run,
        runs_made=state.runs_made,
        can_undo=state.can_undo,
        settings=_settings(preview),
        scopes=scope_choices(preview.conversation, state.recorded),
        asked=state.asked,
    )


def screen_checks(preview: Preview, state: ScreenState, drawn: ResultColumns | None = None) -> ScreenChecks:
    """What the checks of a preview tell its screen, whose columns are ``drawn``."""
    shown = (drawn or columns_of(preview, state)).scene
    return ScreenChecks(
        state.generation,
        control_groups(shown, state.layers),
        lint_sheets.lint_reports(preview),
        status_parts(preview, state.context_tokens, state.provider),
        (*_stale(state), *notices.preview_notices(preview, state.provider)),
    )


def columns_of(preview: Preview, state: ScreenState) -> ResultColumns:
    """The columns of a preview, where they are not known made anew."""
    unwritten = _unwritten(preview)
    known = next((one for one in state.known if one.fits(preview, state.before, unwritten)), None)
    return known.of(preview) if known is not None else result_columns(preview, state.before, unwritten)


def _settings(preview: Preview) -> dict[str, str]:
    """Every effective value as text, by key."""
    return {setting.key: setting_text(setting.kind, preview.values.get(setting.key)) for setting in SETTINGS}


def _after_head(shown: PreviewColumns, run: str) -> str:
    preview = shown.preview
    count = number_format.plural(len(preview.compaction.messages), "message")
    if preview.compaction.no_op is not None:
        return f"{count} · unchanged"
    if preview.unwritten and preview.compaction.budgets:
        summaries = len(preview.compaction.budgets)
        return (
            f"{count} · "
            f"{'summary' if summaries == 1 else number_format.plural(summaries, 'summary', 'summaries')} "
            "not yet written"
        )
    if preview.beside:
        return " · ".join(filter(None, (count, preview.beside)))
    calls = preview.compaction.calls
    by = f"written by {calls[0].profile}" if calls else "no model needed"
    if run:
        return f"{count} · run {run}, {by}"
    return (
        f"{count} · preview, {OFFLINE}"
        if preview.writer.is_offline and calls
        else " · ".join(filter(None, (count, by)))
    )


def _unwritten(preview: Preview) -> str:
    """What stands in the row of a summary that is not there yet."""
    if not preview.unwritten:
        return ""
    if preview.draft and preview.writer.is_offline:
        return _UNWRITTEN
    return _BY_MODEL.format(name=preview.writer.name)


def _stale(state: ScreenState) -> tuple[Notice, ...]:
    """A model's summary does not fit the settings any more."""
    if not state.stale:
        return ()
    actions = (NoticeAction("Compact again", "compact"), NoticeAction("Put it back", "undo"))
    text = "Settings changed after it was written. Totals are estimates (≈) at its budget."
    return (Notice("warning", "The summary is stale.", text, actions, topic="stale"),)


def _before_cuts(shown: PreviewColumns) -> tuple[CutRow, ...]:
    """The cuts as rows: "cut 1 · after #83", "protected tail · from #337"."""
    names = band_names(shown)
    found: list[CutRow] = []
    for number, cut in enumerate(shown.cuts, 1):
        if cut.name == "tail":
            text = f"{names[-1]} · from {number_format.message(cut.index)}"
        else:
            label = f"cut {number}" if len(shown.cuts) > 1 else "cut"
            after = cut.name == "top" and cut.index
            text = f"{label} · after #{cut.index}" if after else f"{label} · before #{cut.index + 1}"
        found.append(CutRow(cut.index, text, cut.name))
    return tuple(found)


def _after_cuts(shown: PreviewColumns) -> tuple[CutRow, ...]:
    """Where the compaction shows in the result, and where a protected tail begins there."""
    preview = shown.preview
    if preview.compaction.no_op is not None:
        return ()
    found: list[CutRow] = []
    place = shown.after_fates.find(INSERTED_CODE)
    if place < 0:
        place = _behind_truncation(shown)
    if place >= 0:
        before = number_format.least(short_tokens(preview.before_tokens), shown.missing[0])
        sizes = f"{before} → {number_format.least(short_tokens(preview.after_tokens), shown.missing[1])}"
        found.append(CutRow(place, context_compacted(sizes), "", wide=True))
    for cut in shown.cuts:
        if cut.name == "tail" and cut.index < shown.length:
            start = shown.went[cut.index]
            text = f"{band_names(shown)[-1]} · from {number_format.message(start)}"
            found.append(CutRow(start, text, cut.name))
    return tuple(found)


def _behind_truncation(shown: PreviewColumns) -> int:
    """Place in the result behind the last message that was dropped to reach the target, -1 for none.

    An empty message that was left out is no place where the context was compacted.
    """
    fates = shown.preview.compaction.fates
    dropped = [index for index, fate in enumerate(fates) if fate.last.rule == OLDEST_FIRST]
    return sum(went >= 0 for went in shown.went[: dropped[-1]]) if dropped else -1
