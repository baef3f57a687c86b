"""The verdict on a preview, in four cells: size, messages, losses, price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.losses.model import Losses, MustStatus
from core.analysis.model import CompactionCost
from core.common import number_format
from core.common.number_format import abbreviated, count, dollar_text, whole_calls
from core.facts.model import FactKind
from core.presentation.losses_words import (
    COUNTING,
    backtest_share,
    loss_units,
    losses_head,
    own_messages,
)
from core.presentation.model import FATES, INSERTED
from core.presentation.must_page import must_units
from core.presentation.must_words import MUST_LOOKS
from core.presentation.preview_columns import (
    DROPPED,
    EDITED,
    EXCERPTED,
    PRUNED,
    SUMMARISED,
    PreviewColumns,
)
from core.presentation.preview_wording import (
    ABOVE_LIMIT,
    FITS,
    SizeStanding,
    result_standing,
    saved_text,
)
from core.presentation.verdict_model import (
    LossUnit,
    Phrase,
    SizeGauge,
    TextPart,
    Verdict,
    VerdictCell,
    plain_cell,
)
from core.preview.options import Preview
from core.transcript.compaction import NoOpCode

if TYPE_CHECKING:  # it loads every strategy
    from core.analysis.losses.must import MustEvidence
    from core.trials.past import Backtest

_MIN_SHARE = 0.1  # share of the changed messages from which an effect is named
NO_LIMIT = "no limit known · choose a model"
DUE_AGAIN = "due again at the next call"
NO_NEED = "No compaction needed: "
"""With what reasons of strategies begin; the title of the cell says as much."""
_NO_OP_IN_SHORT = {
    NoOpCode.EMPTY_HISTORY: "no message",
    NoOpCode.TOO_FEW: "too few",
    NoOpCode.UNDER_TARGET: "below its aim",
    NoOpCode.TAIL_COVERS_ALL: "all is kept",
    NoOpCode.NOTHING_TO_PRUNE: "no rule fits",
}
"""Why nothing is done, where the sentence does not fit."""
NO_PRICE = f"price {number_format.UNKNOWN}"
_SIGNS = {"ok": "ok", "warn": "warning", "error": "error"}


def preview_verdict(columns: PreviewColumns, price: str = "") -> Verdict:
    """Return the verdict on a preview before losses and costs are known; ``price`` is that of a
    compaction by a model."""
    size = size_cell(columns)
    preview = columns.preview
    gauge = SizeGauge(
        preview.sizes.before_tokens,
        preview.sizes.after_tokens,
        preview.sizes.overhead_tokens,
        preview.sizes.model_limit.tokens,
        preview.sizes.trigger_tokens,
        size.tone,
    )
    return Verdict(
        gauge, size, messages_cell(columns), plain_cell(COUNTING), price_cell(preview, price)
    )


def size_cell(columns: PreviewColumns, refused_by: str = "") -> VerdictCell:
    """Say how the next request stands with the result; ``refused_by`` is an API whose rules it
    breaks."""
    preview = columns.preview
    state = _refusal(columns, refused_by) if refused_by else _state(columns)
    limit, trigger = preview.sizes.model_limit.tokens, preview.sizes.trigger_tokens
    more: Phrase = ()
    if limit is None:
        more = ((NO_LIMIT, "quiet"),)
    elif trigger is not None:
        more = ((f"trigger {count(trigger)}", "quiet"),)
    # Room is given up so: the trigger, exact numbers, then all but the state.
    exact = _state_and_sizes(columns, state, count, count)
    forms = [
        (*exact, more),
        exact,
        _state_and_sizes(columns, state, count, abbreviated),
        _state_and_sizes(columns, state, abbreviated, abbreviated),
    ]
    if state.words:
        forms.append((state.words,))
    phrases, *shorter = [tuple(filter(None, form)) for form in forms]
    glyph = _SIGNS.get(state.tone, "")
    return VerdictCell(phrases, tuple(shorter), glyph, state.tone, _size_details(columns))


@dataclass(frozen=True, slots=True)
class _SizeState:
    """The words for a state, their tone, and which sizes stand beside them."""

    words: Phrase = ()
    tone: str = ""
    sizes: str = "both"  # "limit": after "At most 44,023"; "target"; "after"


def _state_and_sizes(
    columns: PreviewColumns,
    state: _SizeState,
    write: Callable[[int], str],
    write_limit: Callable[[int], str],
) -> tuple[Phrase, ...]:
    sizes = columns.preview.sizes
    limit, now, after = sizes.model_limit.tokens, sizes.before_tokens, sizes.after_tokens
    of_limit: Phrase = ((f" of {write_limit(limit)}", ""),) if limit is not None else ()
    if state.sizes == "limit":
        return ((*state.words, *of_limit),)
    if state.sizes == "target":
        return ((*state.words, (f" of {write_limit(sizes.target or 0)}", "")),)
    mark = "≈" if columns.preview.summary.provisional else ""
    if columns.is_upper_bound:
        mark = "≤"
    text = number_format.at_least(f"{mark}{write(after)}", columns.unknown_counts[1])
    if state.sizes == "after":
        return (state.words, ((f"fits: {text}", "quiet"),))
    if now == after:
        return (state.words, ((write(now), "strong"), *of_limit, (", unchanged", "quiet")))
    return (state.words, ((f"{write(now)} → ", ""), (text, "strong"), *of_limit))


def _refusal(columns: PreviewColumns, api: str) -> _SizeState:
    standing = result_standing(columns.preview)
    fits = "both" if standing.excess else "after"
    return _SizeState(((f"{api} refuses it", "error"),), "error", fits)


def _state(columns: PreviewColumns) -> _SizeState:
    """Return how the next request would stand with the result."""
    preview = columns.preview
    sizes, standing = preview.sizes, result_standing(preview)
    is_unwritten = preview.summary.unwritten and preview.result.compaction.no_op is None
    by = "by up to" if is_unwritten else "by"
    if standing.excess:
        return _excess_state(standing, by)
    grows = sizes.after_tokens - sizes.before_tokens
    if grows > 0:
        return _SizeState(((f"Grows {by} {count(grows)}", "warn"),), "warn")
    if sizes.model_limit.tokens is None or standing.word != FITS:
        return _SizeState()
    if columns.unknown_counts[1]:
        return _SizeState((("Fits as far as it is counted", "strong"),))
    if columns.is_upper_bound:
        return _SizeState(((f"At most {count(sizes.after_tokens)}", "strong"),), sizes="limit")
    if sizes.is_changed and sizes.missed_tokens:
        whose = "your" if preview.strategy.emulates is None else "its"
        words = f"{count(sizes.missed_tokens)} above {whose} aim"
        return _SizeState(((words, "warn"),), "warn", "target")
    return _SizeState((("Fits", "ok"),), "ok")


def _excess_state(standing: SizeStanding, by: str) -> _SizeState:
    is_refused = standing.word == ABOVE_LIMIT
    place = "limit" if is_refused else "trigger"
    words: list[TextPart] = [(f"Over the {place} {by} {count(standing.excess)}", standing.tone)]
    if is_refused:
        words.append((" · would be refused", ""))
    return _SizeState(tuple(words), standing.tone)


def _size_details(columns: PreviewColumns) -> tuple[str, ...]:
    preview = columns.preview
    details = []
    if columns.is_upper_bound:
        details.append(
            "The summary is not written: its budget counts, so the size is at most this."
        )
    if overhead := preview.sizes.overhead_tokens:
        name = preview.sizes.overhead_name
        details.append(f"{count(overhead)} of both are {name}, which are in no message.")
    if saved := saved_text(preview):
        messages = preview.sizes.message_tokens_before, preview.sizes.message_tokens_after
        details.append(f"{saved}; messages alone: {' → '.join(map(count, messages))}.")
    if missing := columns.unknown_counts[1]:
        details.append(f"{number_format.plural(missing, 'encrypted message')} not counted.")
    return (*details, f"Counted with {preview.sizes.count_method.label}.")


def messages_cell(columns: PreviewColumns) -> VerdictCell:
    """Say how many messages become what."""
    preview, fates, all_count = columns.preview, columns.fates, columns.length
    if (no_op := preview.result.compaction.no_op) is not None:
        title = "Not applied" if no_op.code is NoOpCode.NOT_SMALLER else "Nothing to compact"
        reason = no_op.reason.removeprefix("The result is not smaller: ").removeprefix(NO_NEED)
        whole = (((f"{title}:", "strong"),), ((reason, ""),))
        if (few := _NO_OP_IN_SHORT.get(no_op.code)) is None:
            return VerdictCell(whole, ((((title, "strong"),),),))
        short: tuple[Phrase, ...] = (((title, "strong"),), ((few, ""),))
        return VerdictCell(whole, (short, short[:1]))
    effects = [
        (fates.count(SUMMARISED), SUMMARISED, "summarised"),
        (fates.count(EXCERPTED), EXCERPTED, "excerpted"),
        (fates.count(EDITED), EDITED, "shortened"),
        (fates.count(PRUNED) + fates.count(DROPPED), DROPPED, "removed"),
    ]
    changed = sum(number for number, _, _ in effects)
    found = [effect for effect in effects if effect[0] and effect[0] >= _MIN_SHARE * changed]
    if not found:
        return VerdictCell((((f"All {count(all_count)}", "strong"), (" messages stay", "")),))
    main = max(found)[1]
    glyph = FATES[
        main if main != DROPPED or fates.count(DROPPED) >= fates.count(PRUNED) else PRUNED
    ]
    if len(found) == 1 and main == SUMMARISED:
        phrase, in_short = _summarised_words(columns, found[0][0])
    else:
        parts: list[TextPart] = []
        for number, _, word in found:
            parts += [(count(number), "strong"), (f" {word}, ", "")]
        phrase = (*parts, (f"of {count(all_count)}", ""))
        in_short = ((f"{count(changed)} of {count(all_count)}", "strong"), (" changed", ""))
    return VerdictCell((phrase,), ((in_short,),), glyph, glyph, _fate_details(columns))


def _summarised_words(columns: PreviewColumns, number: int) -> tuple[Phrase, Phrase]:
    """Return "88 of 150 become one summary", and "88 of 150 → 1"."""
    share = f"{count(number)} of {count(columns.length)}"
    if number == 1:
        verb = "becomes a summary"
    elif columns.has_one_summary:
        verb = "become one summary"
    else:
        verb = "become summaries"
    result = "1" if columns.has_one_summary else "Σ"
    return (
        ((share, "strong"), (f" {verb}", "")),
        ((share, "strong"), (f" → {result}", "")),
    )


def _fate_details(columns: PreviewColumns) -> tuple[str, ...]:
    fates, result = columns.fates, len(columns.after_fates)
    words = [
        f"{count(fates.count(code))} {name}" for code, name in enumerate(FATES) if code in fates
    ]
    if inserted := columns.after_fates.count(len(FATES)):
        words.append(f"{count(inserted)} {INSERTED}")
    sizes = f"{number_format.plural(columns.length, 'message')} before, {count(result)} after"
    return (f"{sizes}: {', '.join(words)}.",)


def losses_cell(
    losses: Losses, backtest: Backtest | None = None, musts: Sequence[MustEvidence] = ()
) -> VerdictCell:
    """Say what the person and later turns would miss: the musts first, then the rest, worst
    first."""
    named = must_units(musts)
    if not losses.is_written:
        if named:
            return _units_cell((*named, _depends(losses)))
        head, _ = losses_head(losses)
        units = [LossUnit(part, MustStatus.NOT_WRITTEN) for part in head.split(" · ")]
        return _units_cell(units)

    is_named_here = bool(named) and named[0].status is MustStatus.WORD_FOR_WORD
    missing = loss_units(losses)
    if is_named_here and missing:
        # What is missing must not be pushed out of the cell by what is not.
        return _units_cell((*missing, *named))
    if named or missing:
        return _units_cell((*named, *missing))

    # Nothing is missing. Only then is there room for what the session's past says.
    kept = backtest_share(backtest) if losses.needed is None else ""
    if kept:
        return VerdictCell((((kept, "strong"),),))
    head, tone = losses_head(losses)
    style = tone or "strong"
    return VerdictCell((((head, style),),), _here_in_short(losses, style), tone, tone)


def _depends(losses: Losses) -> LossUnit:
    return LossUnit(f"the rest depends on {losses.summary_profile}", MustStatus.NOT_WRITTEN)


_AND_MORE: Phrase = (("and more", "quiet"),)


def _units_cell(units: Sequence[LossUnit]) -> VerdictCell:
    """Return a cell of units: without room the last go first, and the first never."""
    glyph, tone = MUST_LOOKS[units[0].status]
    style = "strong" if tone == "quiet" else tone
    first: Phrase = ((units[0].text, style),)
    phrases = (first, *(((one.text, ""),) for one in units[1:]))
    shorter = [(*phrases[:count], _AND_MORE) for count in range(len(phrases) - 1, 0, -1)]
    if shorter:
        shorter.append((first,))
    return VerdictCell(phrases, tuple(shorter), glyph, "" if tone == "quiet" else tone)


def _here_in_short(losses: Losses, style: str) -> tuple[tuple[Phrase, ...], ...]:
    """Return the words for a narrow cell where nothing is missing."""
    own = next((one for one in losses.kinds if one.kind is FactKind.YOUR_MESSAGE), None)
    if used := losses.needed.used if losses.needed is not None else 0:
        text = "the one needed here" if used == 1 else f"all {count(used)} needed here"
    elif own is not None:
        text = f"your {own_messages(own.total)} here"
    else:
        text = "nothing counted gone"
    return ((((text, style),),),)


def price_cell(preview: Preview, price: str, cost: CompactionCost | None = None) -> VerdictCell:
    """Say what the summary costs, and once ``cost`` is known what calls cost before and after
    it."""
    if preview.result.result_source:
        return plain_cell(NO_PRICE)
    first: tuple[Phrase, ...] = (((_summary_price(preview, price, cost), "strong"),),)
    if preview.result.compaction.no_op is None and result_standing(preview).excess:
        first = (*first, ((DUE_AGAIN, "warn"),))
    if cost is None or cost.rates is None or cost.first_changed is None:
        return VerdictCell(first, ((),) if first == _FREE else (first[:1],))
    pays = pays_text(cost)
    calls = f"a call {dollar_text(cost.later_before)} → {dollar_text(cost.later_after)}, {pays}"
    words = (calls, pays, pays.replace("pays for itself", "pays"))
    phrases, *shorter = [(*first, ((text, ""),)) for text in words]
    least: tuple[Phrase, ...] = () if first == _FREE else first[:1]
    return VerdictCell(phrases, (*shorter, first, least))


_FREE: tuple[Phrase, ...] = ((("free", "strong"),),)


def _summary_price(preview: Preview, price: str, cost: CompactionCost | None) -> str:
    """Return "free", "≈ $0.05", or what a model was paid for the summary that is shown."""
    if preview.summary.unwritten and not preview.summary.provisional and price:
        return price if "$" in price else NO_PRICE
    if (
        not preview.summary.unwritten
        and not preview.summary.profile.is_offline
        and preview.result.compaction.calls
    ):
        return (
            NO_PRICE
            if cost is None or cost.summary is None
            else f"{dollar_text(cost.summary)} paid"
        )
    return "free"


def pays_text(cost: CompactionCost) -> str:
    """Return when a compaction has paid for itself, as a sentence without its subject."""
    if not cost.knows_break_even:
        return "the price of its summary is not known"
    if cost.break_even is None:
        return "never pays for itself"
    after = "after " if whole_calls(cost.break_even) else ""
    return f"pays for itself {after}{cost.break_even_text}"
