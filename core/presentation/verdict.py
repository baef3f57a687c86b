"""The verdict on a preview, in four cells: size, messages, losses, price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.analysis.losses.model import Losses
from core.analysis.model import CompactionCost
from core.common import number_format
from core.common.number_format import abbreviated, count, dollar_text, whole_calls
from core.facts.model import FactKind
from core.presentation.losses_words import (
    COUNTING,
    backtest_in_short,
    backtest_share,
    losses_count,
    losses_head,
    own_messages,
)
from core.presentation.model import FATES, INSERTED
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
    OVERHEAD,
    result_standing,
    saved_text,
)
from core.presentation.verdict_model import (
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
    from core.analysis.backtest.backtest import Backtest

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
    size, tone = _size_cell(columns)
    preview = columns.preview
    gauge = SizeGauge(
        preview.sizes.before_tokens,
        preview.sizes.after_tokens,
        preview.sizes.overhead_tokens,
        preview.sizes.model_limit.tokens,
        preview.sizes.trigger_tokens,
        tone,
    )
    return Verdict(
        gauge, size, messages_cell(columns), plain_cell(COUNTING), price_cell(preview, price)
    )


def _size_cell(columns: PreviewColumns) -> tuple[VerdictCell, str]:
    preview = columns.preview
    state, tone = _state(columns)
    mark = "≈" if preview.summary.provisional else ""
    if columns.is_upper_bound:
        mark = "≤"
    limit, trigger = preview.sizes.model_limit.tokens, preview.sizes.trigger_tokens
    now, after = preview.sizes.before_tokens, preview.sizes.after_tokens
    missed = preview.sizes.missed_tokens if preview.sizes.is_changed else 0
    forms = []
    for write in (count, abbreviated):
        text = number_format.at_least(f"{mark}{write(after)}", columns.unknown_counts[1])
        sizes: Phrase = ((f"{write(now)} → ", ""), (text, "strong"))
        if now == after:
            sizes = ((write(now), "strong"),)
        sizes += ((f" of {write(limit)}", ""),) if limit is not None else ()
        sizes += ((", unchanged", "quiet"),) if now == after else ()
        phrases = [sizes]
        if limit is None:
            phrases.append(((NO_LIMIT, "quiet"),))
        if missed:
            phrases.append(((f"above its aim by {write(missed)}", "quiet"),))
        if trigger is not None and limit is not None:
            phrases.append(((f"trigger {write(trigger)}", "quiet"),))
        forms.append((*([state] if state else []), *phrases))
    glyph = _SIGNS.get(tone, "")
    least = 1 + bool(state) + bool(missed)
    return VerdictCell(forms[0], forms[1], glyph, tone, _size_details(columns), least), tone


def _state(columns: PreviewColumns) -> tuple[Phrase, str]:
    """Return the words for how the next request would stand with the result, and their tone."""
    preview = columns.preview
    standing = result_standing(preview)
    grows = preview.sizes.after_tokens - preview.sizes.before_tokens
    by = (
        "by up to"
        if preview.summary.unwritten and preview.result.compaction.no_op is None
        else "by"
    )
    if standing.excess:
        is_refused = standing.word == ABOVE_LIMIT
        place = "limit" if is_refused else "trigger"
        words: list[TextPart] = [(f"Over the {place} {by} {count(standing.excess)}", standing.tone)]
        words += [(" · would be refused", "")] if is_refused else []
        return tuple(words), standing.tone
    if grows > 0:
        return ((f"Grows {by} {count(grows)}", "warn"),), "warn"
    if preview.sizes.model_limit.tokens is None or standing.word != FITS:
        return (), ""
    if columns.unknown_counts[1]:
        return (("Fits as far as it is counted", "strong"),), ""
    return (("Fits", "ok"),), "ok"


def _size_details(columns: PreviewColumns) -> tuple[str, ...]:
    preview = columns.preview
    details = []
    if columns.is_upper_bound:
        details.append(
            "The summary is not written: its budget counts, so the size is at most this."
        )
    if overhead := preview.sizes.overhead_tokens:
        details.append(f"{count(overhead)} of both are {OVERHEAD}, which are in no message.")
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
            return VerdictCell(whole, (((title, "strong"),),))
        return VerdictCell(whole, (((title, "strong"),), ((few, ""),)), least=2)
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
        number = found[0][0]
        is_one = columns.has_one_summary
        verb = "become one summary" if is_one else "become summaries"
        if number == 1:
            verb = "becomes a summary"
        share = f"{count(number)} of {count(all_count)}"
        short = f"{share} → 1" if is_one else f"{share} → Σ"
        phrases: tuple[Phrase, ...] = (((share, "strong"), (f" {verb}", "")),)
        return VerdictCell(phrases, (((short, "strong"),),), glyph, glyph, _fate_details(columns))
    parts: list[TextPart] = []
    for number, _, word in found:
        parts += [(count(number), "strong"), (f" {word}, ", "")]
    short = f"{count(changed)} of {count(all_count)} changed"
    phrases = ((*parts, (f"of {count(all_count)}", "")),)
    return VerdictCell(phrases, (((short, "strong"),),), glyph, glyph, _fate_details(columns))


def _fate_details(columns: PreviewColumns) -> tuple[str, ...]:
    fates, result = columns.fates, len(columns.after_fates)
    words = [
        f"{count(fates.count(code))} {name}" for code, name in enumerate(FATES) if code in fates
    ]
    if inserted := columns.after_fates.count(len(FATES)):
        words.append(f"{count(inserted)} {INSERTED}")
    sizes = f"{number_format.plural(columns.length, 'message')} before, {count(result)} after"
    return (f"{sizes}: {', '.join(words)}.",)


def losses_cell(losses: Losses, backtest: Backtest | None = None) -> VerdictCell:
    """Say what later turns and the person would miss; where nothing follows, also what a
    ``backtest`` found of earlier turns."""
    words, tone = losses_head(losses)
    if not losses.is_written:
        return VerdictCell(
            tuple(((part, ""),) for part in words.split(" · ")),
            ((("not written", ""),),),
            "unknown",
        )
    style = "strong" if tone == "" else tone
    parts = words.split(" · ")
    kept = backtest_share(backtest) if losses.needed is None else ""
    if kept:
        gone = sum(part.endswith(" gone") for part in parts) if losses.gone_count else 0
        parts.insert(gone, kept)
    phrases = tuple(((part, style),) for part in parts)
    short, glyph = _losses_in_short(losses)
    if kept and glyph != FATES[DROPPED]:
        short = backtest_in_short(backtest)
    if tone == "ok":
        glyph = "ok"
    first, *others = short.split(" · ")
    few = (((first, style),), *(((part, ""),) for part in others))
    return VerdictCell(phrases, few, glyph, tone)


def _losses_in_short(losses: Losses) -> tuple[str, str]:
    """Return the words for a narrow cell, and the glyph of what was done to the messages."""
    if losses.gone_count:
        return losses_count(losses.gone_count), FATES[DROPPED]
    own = next((one for one in losses.kinds if one.kind is FactKind.YOUR_MESSAGE), None)
    if own is not None and own.reworded:
        return f"{count(own.reworded)} reworded", FATES[EDITED]
    if used := losses.needed.used if losses.needed is not None else 0:
        return "the one needed here" if used == 1 else f"all {count(used)} needed here", ""
    return f"your {own_messages(own.total)} here" if own is not None else "nothing counted gone", ""


def price_cell(preview: Preview, price: str, cost: CompactionCost | None = None) -> VerdictCell:
    """Say what the summary costs, and once ``cost`` is known what calls cost before and after
    it."""
    if preview.result.result_source:
        return plain_cell(NO_PRICE)
    first, calls = ((_summary_price(preview, price, cost), "strong"),), tuple[Phrase, ...]()
    if preview.result.compaction.no_op is None and result_standing(preview).excess:
        calls += (((DUE_AGAIN, "warn"),),)
    if cost is not None and cost.rates is not None and cost.first_changed is not None:
        now, later = dollar_text(cost.later_before), dollar_text(cost.later_after)
        pays = pays_text(cost)
        calls += (((f"a call {now} → {later}", ""), (f", {pays}", "")),)
        least = (
            len(calls) + 1
        )  # where the whole does not fit, when it pays is worth more than both prices
        few = pays.replace("pays for itself", "pays")
        return VerdictCell((first, *calls), (first, *calls[:-1], ((few, ""),)), least=least)
    return VerdictCell((first, *calls))


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
