"""The verdict on a preview, in four cells: size, messages, losses, price; and what each opens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.model import CompactionCost
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import abbreviated, count, dollar_text, whole_calls
from core.facts.model import Fact, FactKind
from core.facts.sentences import has_modal_word, sentences
from core.llm.request_size import RequestSizing
from core.losses.evidence import Losses, MustStatus, counted_musts
from core.losses.must_keep import MustEvidence
from core.presentation import late
from core.presentation.changes_page import word_parts
from core.presentation.inspector_model import MUST, LossRow, MustPage, WordPart
from core.presentation.losses_words import (
    COUNTING,
    MUST_LOOKS,
    NOTHING_NEAR,
    backtest_share,
    loss_units,
    losses_head,
    must_counts,
    must_detail,
    must_state,
    others_gone,
    person_messages,
    unwritten_units,
)
from core.presentation.model import (
    DROPPED,
    EDITED,
    EXCERPTED,
    FATES,
    INSERTED,
    KEPT,
    PRUNED,
    SUMMARISED,
)
from core.presentation.paid_words import (
    UNPRICED_MODEL,
    cost_source,
    summary_by_model,
)
from core.presentation.preview_columns import PreviewColumns
from core.presentation.preview_wording import (
    ABOVE_LIMIT,
    FITS,
    ONE_SUMMARY,
    SizeStanding,
    clearing_sentences,
    not_counted,
    reduction_text,
    result_standing,
    scope_label,
)
from core.presentation.ruler.geometry import RulerMust
from core.presentation.verdict_model import (
    FigurePage,
    LossUnit,
    Phrase,
    SizeGauge,
    SizePoint,
    TextPart,
    Verdict,
    VerdictCell,
    plain_cell,
)
from core.preview.options import Preview
from core.tokens.calibration import CalibrationSegment, ReportedRequest
from core.transcript.compaction import NoOp, NoOpCode
from core.transcript.scopes import CURRENT

if TYPE_CHECKING:
    from core.trials.trial import Backtest

_MAX_TEXT, _MAX_NEAREST = 300, 160  # characters of a must, and of its nearest sentence
_MAX_SUGGESTIONS = 3
_SUGGESTED_LENGTH = range(12, 200)


def must_page(
    musts: Sequence[MustEvidence],
    from_file: Collection[str],
    suggestions: Sequence[str] = (),
) -> MustPage:
    """Return the section: a row for each text, worst first. ``from_file`` are the texts that a file
    holds, which can be ignored but not removed."""
    rows = tuple(_row(one, is_from_file=one.text in from_file) for one in musts)
    return MustPage(must_counts(musts), rows, tuple(suggestions), _marks(musts))


def _marks(musts: Sequence[MustEvidence]) -> tuple[RulerMust, ...]:
    """Return a mark for each must that a message says, ascending."""
    said = [(rank, one) for rank, one in enumerate(musts) if one.message >= 0]
    said.sort(key=lambda pair: pair[1].message)
    return tuple(_mark(rank, one) for rank, one in said)


def _mark(rank: int, must: MustEvidence) -> RulerMust:
    glyph, tone = MUST_LOOKS[must.status]
    place = number_format.message_number(must.message)
    words = f"{one_line_text(must.text, _MAX_NEAREST)}: {must_state(must)} · {place}"
    return RulerMust(must.message, rank, glyph, tone, words)


def _row(must: MustEvidence, *, is_from_file: bool) -> LossRow:
    if must.message < 0:
        place = ""
    else:
        place = number_format.message_number(must.message)
    source = "file" if is_from_file else ""
    detail = one_line_text(must_detail(must), _MAX_NEAREST)
    return LossRow(
        status=must.status.value,
        kind=must_state(must),
        label=MUST,
        text=one_line_text(must.text, _MAX_TEXT),
        note=" · ".join(filter(None, (detail, place, source))),
        source_index=must.message,
        result_index=_result_index(must),
        must=must.text,
        is_from_file=is_from_file,
        parts=_parts(must),
        detail=_detail(must),
    )


def _parts(must: MustEvidence) -> tuple[WordPart, ...]:
    """Return the words of a must; those of a single sentence that the nearest one lacks are
    marked."""
    worst = must.worst
    if len(must.sentences) != 1 or worst is None or len(must.text) > _MAX_TEXT:
        return (WordPart(one_line_text(must.text, _MAX_TEXT)),)
    return word_parts(worst.text, worst.differs.missing)


def _detail(must: MustEvidence) -> tuple[WordPart, ...]:
    """Return what stands below a must that is not there as it is: what comes near, or why nothing
    is said of it."""
    if must.status is MustStatus.WORD_FOR_WORD:
        return ()
    if must.status is MustStatus.NOT_SAID:
        return (WordPart(f"{must.status.value} · not counted"),)
    if must.status is MustStatus.NOT_WRITTEN:
        return (WordPart(f"{must.status.value}: it depends on what the model writes"),)
    worst = must.worst
    state = must_state(must)
    words: tuple[WordPart, ...] = (WordPart(NOTHING_NEAR),)
    if worst is not None and worst.nearest:
        words = word_parts(worst.nearest, worst.differs.added)
    if state == MustStatus.IN_PART.value:
        return words
    return (WordPart(f"{state} · "), *words)


def _result_index(must: MustEvidence) -> int:
    """Return the message of the result that holds a must, or what comes near it; -1 for none."""
    places = [part.result_index for part in must.sentences if part.result_index >= 0]
    return min(places, default=-1)


def suggested_musts(facts: Sequence[Fact]) -> list[str]:
    """Return sentences of the person with a modal word, the newest first."""
    found: list[str] = []
    for fact in reversed(facts):
        if fact.kind is not FactKind.YOUR_MESSAGE:
            continue
        for sentence in sentences(fact.text):
            text = re.sub(r"\s+", " ", sentence).strip()
            if _may_be_rule(text) and text not in found:
                found.append(text)
        if len(found) >= _MAX_SUGGESTIONS:
            break
    return found[:_MAX_SUGGESTIONS]


def _may_be_rule(text: str) -> bool:
    """Return whether a sentence demands something; one that announces a list or a log does not say
    what."""
    if len(text) not in _SUGGESTED_LENGTH or text.endswith(":"):
        return False
    return has_modal_word(text)


def must_units(musts: Sequence[MustEvidence]) -> tuple[LossUnit, ...]:
    """Return what the verdict says first of the musts, each a count with its verb: "1 of 6 musts
    gone", "2 in part"; "all 6 musts are here" where nothing is missing."""
    counts = Counter(one.status for one in musts)
    total = len(counted_musts(musts))
    if not total:
        return ()
    noun = number_format.plural(total, "must")
    gone, in_part = counts[MustStatus.GONE], counts[MustStatus.IN_PART]
    unwritten = counts[MustStatus.NOT_WRITTEN]
    if unwritten:
        text = f"{total - unwritten} of {noun} stay for sure"
        return (LossUnit(text, MustStatus.NOT_WRITTEN),)
    if not gone and not in_part:
        return (LossUnit(_all_here(total), MustStatus.WORD_FOR_WORD),)
    units: list[LossUnit] = []
    if gone:
        units.append(LossUnit(f"{gone} of {noun} gone", MustStatus.GONE))
    if in_part:
        if gone:
            of_total = ""
        else:
            of_total = f" of {noun}"
        units.append(LossUnit(f"{in_part}{of_total} in part", MustStatus.IN_PART))
    return tuple(units)


def _all_here(total: int) -> str:
    if total == 1:
        return "the must is here"
    return f"all {total} musts are here"


_MIN_SHARE = 0.1  # share of the changed messages from which an effect is named
NO_LIMIT = "no limit known · choose a model"
DUE_AGAIN = "due again at the next call"
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
        gauge,
        size,
        messages_cell(columns),
        plain_cell(COUNTING),
        price_cell(preview, price),
    )


def size_cell(columns: PreviewColumns, refused_by: str = "") -> VerdictCell:
    """Say how the next request stands with the result; ``refused_by`` is an API whose rules it
    breaks."""
    preview = columns.preview
    if refused_by:
        state = _refusal(columns, refused_by)
    else:
        state = _state(columns)
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
    return VerdictCell(
        phrases, tuple(shorter), glyph, state.tone, _size_details(columns)
    )


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
    limit = sizes.model_limit.tokens
    now = sizes.before_tokens
    after = sizes.after_tokens
    of_limit: Phrase = ((f" of {write_limit(limit)}", ""),) if limit is not None else ()
    if state.sizes == "limit":
        return ((*state.words, *of_limit),)
    if state.sizes == "target":
        wanted = sizes.aim or sizes.target or 0
        return ((*state.words, (f" of {write_limit(wanted)}", "")),)
    mark = "≈" if columns.preview.summary.provisional else ""
    if columns.is_upper_bound:
        mark = "≤"
    text = number_format.at_least(
        f"{mark}{write(after)}", columns.unknown_counts.result
    )
    if state.sizes == "after":
        return (state.words, ((f"fits: {text}", "quiet"),))
    if now == after:
        return (
            state.words,
            ((write(now), "strong"), *of_limit, (", unchanged", "quiet")),
        )
    return (state.words, ((f"{write(now)} → ", ""), (text, "strong"), *of_limit))


def _refusal(columns: PreviewColumns, api: str) -> _SizeState:
    standing = result_standing(columns.preview)
    fits = "both" if standing.excess else "after"
    return _SizeState(((f"{api} refuses it", "error"),), "error", fits)


def _state(columns: PreviewColumns) -> _SizeState:
    """Return how the next request would stand with the result."""
    preview = columns.preview
    sizes = preview.sizes
    standing = result_standing(preview)
    is_unwritten = preview.summary.unwritten and preview.result.compaction.no_op is None
    by = "by up to" if is_unwritten else "by"
    if standing.excess:
        return _excess_state(standing, by)

    grows = sizes.after_tokens - sizes.before_tokens
    if grows > 0 and not preview.result.result_source:
        return _SizeState(((f"Grows {by} {count(grows)}", "warn"),), "warn")
    if sizes.model_limit.tokens is None or standing.word != FITS:
        return _SizeState()
    return _fitting_state(columns)


def _fitting_state(columns: PreviewColumns) -> _SizeState:
    """Return how sure it is that a result fits, and whether it misses the aim."""
    sizes = columns.preview.sizes
    if columns.unknown_counts.result:
        return _SizeState((("Fits as far as it is counted", "strong"),))
    if columns.is_upper_bound:
        return _SizeState(
            ((f"At most {count(sizes.after_tokens)}", "strong"),), sizes="limit"
        )
    if missed := _missed_aim(columns):
        return _SizeState(((missed, "warn"),), "warn", "target")
    return _SizeState((("Fits", "ok"),), "ok")


def _missed_aim(columns: PreviewColumns) -> str:
    """Return by how much a result is above what the person aims for, without that above the target
    of its strategy; "" where it is not."""
    sizes = columns.preview.sizes
    if sizes.aim:
        missed = sizes.after_tokens - sizes.aim
        return f"{count(missed)} above your aim" if missed > 0 else ""
    if not sizes.is_changed or not sizes.missed_tokens:
        return ""
    return f"{count(sizes.missed_tokens)} above its aim"


def _excess_state(standing: SizeStanding, by: str) -> _SizeState:
    is_refused = standing.word == ABOVE_LIMIT
    place = "limit" if is_refused else "trigger"
    words: list[TextPart] = [
        (f"Over the {place} {by} {count(standing.excess)}", standing.tone)
    ]
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
        details.append(
            f"{count(overhead)} before and after are {name}, which are in no message."
        )
    if reduction := reduction_text(preview):
        messages = (
            preview.sizes.message_tokens_before,
            preview.sizes.message_tokens_after,
        )
        details.append(
            f"{reduction}; messages alone: {' → '.join(map(count, messages))}."
        )
    if missing := columns.unknown_counts.result:
        details.append(f"{not_counted(missing)}.")
    return (*details, f"Counted with {preview.sizes.count_method.label}.")


def _effects(columns: PreviewColumns) -> list[tuple[int, int, str]]:
    """Return how many messages changed in which way, with the fate and its word; without what
    happened to few of them."""
    fates = columns.fates
    effects = (
        (fates.count(SUMMARISED), SUMMARISED, "summarised"),
        (fates.count(EXCERPTED), EXCERPTED, "excerpted"),
        (fates.count(EDITED), EDITED, "shortened"),
        (fates.count(PRUNED) + fates.count(DROPPED), DROPPED, "removed"),
    )
    least = max(1, _MIN_SHARE * (columns.length - fates.count(KEPT)))
    return [effect for effect in effects if effect[0] >= least]


def messages_cell(columns: PreviewColumns) -> VerdictCell:
    """Say how many messages become what."""
    no_op = columns.preview.result.compaction.no_op
    if no_op is not None:
        return _no_op_cell(no_op)

    fates, all_count = columns.fates, columns.length
    found = _effects(columns)
    if not found:
        return VerdictCell(
            (((f"All {count(all_count)}", "strong"), (" messages stay", "")),)
        )

    main = max(found)[1]
    if main == DROPPED:
        glyph = _removal_glyph(fates)
    else:
        glyph = FATES[main]
    if len(found) == 1 and main == SUMMARISED:
        phrase, in_short = _summarised_words(columns, found[0][0])
    else:
        parts: list[TextPart] = []
        for number, _, word in found:
            parts += [(count(number), "strong"), (f" {word}, ", "")]
        phrase = (*parts, (f"of {count(all_count)}", ""))
        changed = all_count - fates.count(KEPT)
        in_short = (
            (f"{count(changed)} of {count(all_count)}", "strong"),
            (" changed", ""),
        )
    return VerdictCell((phrase,), ((in_short,),), glyph, glyph, _fate_details(columns))


def _no_op_cell(no_op: NoOp) -> VerdictCell:
    """Say that nothing changed, and why; in short without the reason."""
    title = (
        "Not applied" if no_op.code is NoOpCode.NOT_SMALLER else "Nothing to compact"
    )
    whole = (((f"{title}:", "strong"),), ((no_op.detail, ""),))
    few = _NO_OP_IN_SHORT.get(no_op.code)
    if few is None:
        return VerdictCell(whole, ((((title, "strong"),),),))
    short: tuple[Phrase, ...] = (((title, "strong"),), ((few, ""),))
    return VerdictCell(whole, (short, short[:1]))


def _removal_glyph(fates: bytes) -> str:
    """Return the glyph of the removal that is more frequent; of two alike, that of dropping."""
    is_mostly_pruned = fates.count(PRUNED) > fates.count(DROPPED)
    return FATES[PRUNED if is_mostly_pruned else DROPPED]


def made_words(columns: PreviewColumns) -> str:
    """Return what a compaction made of the messages: "88 messages became one summary", or what the
    cell of the verdict says where it did more than that."""
    number = columns.fates.count(SUMMARISED)
    is_all = [fate for _, fate, _ in _effects(columns)] == [SUMMARISED]
    if is_all and number > 1 and columns.has_one_summary:
        return f"{number_format.plural(number, 'message')} became one summary"
    return messages_cell(columns).text


def _summarised_words(columns: PreviewColumns, number: int) -> tuple[Phrase, Phrase]:
    """Return "88 of 150 become one summary", and "88 of 150 → 1"."""
    share = f"{count(number)} of {count(columns.length)}"
    if number == 1:
        verb = "becomes a summary"
    elif columns.has_one_summary:
        verb = ONE_SUMMARY
    else:
        verb = "become summaries"
    result = "1" if columns.has_one_summary else "Σ"
    return (
        ((share, "strong"), (f" {verb}", "")),
        ((share, "strong"), (f" → {result}", "")),
    )


def _fate_details(columns: PreviewColumns) -> tuple[str, ...]:
    fates = columns.fates
    result = len(columns.after_fates)
    words = [
        f"{count(fates.count(code))} {name}"
        for code, name in enumerate(FATES)
        if code in fates
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
        units = unwritten_units(losses)
        # What the person named is more than how many of the messages stay.
        return _units_cell((*named, units[-1]) if named else units)

    is_named_here = bool(named) and named[0].status is MustStatus.WORD_FOR_WORD
    missing = loss_units(losses)
    if is_named_here and missing:
        # What is missing must not be pushed out of the cell by what is not.
        return _units_cell((*missing, *named))
    if named or missing:
        return _units_cell((*named, *missing))

    # Nothing is missing. Only then is there room for what the session's past says.
    if losses.needed is None:
        kept = backtest_share(backtest)
    else:
        kept = ""
    if kept:
        return _kept_cell(kept, others_gone(losses.kinds))
    head, tone = losses_head(losses)
    style = tone or "strong"
    return VerdictCell((((head, style),),), _here_in_short(losses, style), tone, tone)


def _kept_cell(kept: str, gone: str) -> VerdictCell:
    """Say what the session's past says, then how much is gone all the same."""
    first: Phrase = ((kept, "strong"),)
    if not gone:
        return VerdictCell((first,))
    return VerdictCell((first, ((gone, ""),)), ((first,),))


_AND_MORE: Phrase = (("and more", "quiet"),)


def _units_cell(units: Sequence[LossUnit]) -> VerdictCell:
    """Return a cell of units: without room the last go first, and the first never."""
    glyph, tone = MUST_LOOKS[units[0].status]
    style = "strong" if tone == "quiet" else tone
    first: Phrase = ((units[0].text, style),)
    phrases = (first, *(((one.text, ""),) for one in units[1:]))
    shorter = [
        (*phrases[:count], _AND_MORE) for count in range(len(phrases) - 1, 0, -1)
    ]
    if shorter:
        shorter.append((first,))
    return VerdictCell(phrases, tuple(shorter), glyph, "" if tone == "quiet" else tone)


def _here_in_short(losses: Losses, style: str) -> tuple[tuple[Phrase, ...], ...]:
    """Return the words for a narrow cell where nothing is missing."""
    own = next((one for one in losses.kinds if one.kind is FactKind.YOUR_MESSAGE), None)
    if used := losses.needed.used if losses.needed is not None else 0:
        if used == 1:
            text = "the one needed here"
        else:
            text = f"all {count(used)} needed here"
    elif own is not None:
        text = f"your {person_messages(own.total)} here"
    else:
        text = "nothing counted gone"
    return ((((text, style),),),)


def price_cell(
    preview: Preview, price: str, cost: CompactionCost | None = None
) -> VerdictCell:
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
    before, after = number_format.dollar_pair(cost.later_before, cost.later_after)
    calls = f"a call {before} → {after}, {pays}"
    words = (calls, pays, pays_text(cost, "pays"))
    phrases, *shorter = [(*first, ((text, ""),)) for text in words]
    least: tuple[Phrase, ...] = () if first == _FREE else first[:1]
    return VerdictCell(phrases, (*shorter, first, least))


_FREE: tuple[Phrase, ...] = ((("free", "strong"),),)


def _summary_price(preview: Preview, price: str, cost: CompactionCost | None) -> str:
    """Return "free", "≈ $0.05", or what a model was paid for the summary that is shown."""
    summary = preview.summary
    if summary.unwritten:
        # A summary that was not to be written costs nothing.
        return price if price and not summary.provisional else "free"
    if summary.profile.is_offline or not preview.result.compaction.calls:
        return "free"
    if cost is None or cost.summary is None:
        return NO_PRICE
    return f"{dollar_text(cost.summary)} paid"


def pays_text(cost: CompactionCost, verb: str = "pays for itself") -> str:
    """Return when a compaction has paid for itself, as a sentence without its subject."""
    if not cost.knows_break_even:
        return "the price of its summary is not known"
    if cost.break_even is None:
        return f"never {verb}"
    after = "after " if whole_calls(cost.break_even) else ""
    return f"{verb} {after}{cost.break_even_text}"


def _with_model_summary(cost: CompactionCost) -> str:
    """Say when it pays with a summary by the session's model, at the price of Compare."""
    found = summary_by_model(cost)
    if found is None:
        return "A summary by a model would come on top."
    model, priced = found
    price = dollar_text(priced.summary)
    return f"With a summary by {model}, ≈ {price}, it {pays_text(priced)}."


def price_page(preview: Preview, cost: CompactionCost | None) -> FigurePage:
    """Return the parts of the price: calls before and after, the cached start, when it pays."""
    if cost is None or cost.rates is None:
        return FigurePage("Price", (), (), (UNPRICED_MODEL,) if cost else ())
    now, later = number_format.dollar_pair(cost.later_before, cost.later_after)
    facts = [("A call now", f"≈ {now}")]
    notes = [f"By the prices of {cost.rates.model} and {cost_source(cost)}."]
    if cost.first_changed is not None:
        mark = preview.sizes.count_method.mark
        facts += [
            (
                "The first call after it, which writes the cache anew",
                f"≈ {dollar_text(cost.first_after)}",
            ),
            ("Each call after that", f"≈ {later}"),
            (
                "Start that stays cached",
                f"{number_format.tokens(mark, cost.prefix)} tokens",
            ),
        ]
        if cost.summary:
            facts.append(("The summary", dollar_text(cost.summary)))
        elif cost.unpaid.requests:
            notes.append(_with_model_summary(cost))
        facts.append(("It", pays_text(cost)))
    return FigurePage("Price", (), tuple(facts), tuple(notes))


def checked_cost(preview: Preview) -> CompactionCost | None:
    """Return the cost of a compaction, None while its checks are not known: the first preview waits
    for no prices."""
    if (
        preview.result.result_source
        or preview.summary.provisional
        or not preview.checks.lint
    ):
        return None
    return late.compaction_cost(preview)


def size_parts(preview: Preview, context_tokens: int, images: str = "") -> FigurePage:
    """Return the size of the next request and its parts, which add up, and how they are known.
    ``images`` is what is said of the images of the current context."""
    mark = preview.sizes.count_method.mark
    difference = preview.sizes.before_tokens - preview.sizes.message_tokens_before
    sizes = [
        ("Messages", number_format.tokens(mark, preview.sizes.message_tokens_before))
    ]
    if difference >= 0:
        if difference:
            overhead = number_format.tokens(mark, difference)
        else:
            overhead = "– not in the file"
        sizes.append((preview.sizes.overhead_name, overhead))
    else:
        sizes.append(("dropped by the agent", number_format.signed(difference)))
    sizes += [
        ("Next request", number_format.tokens(mark, preview.sizes.before_tokens)),
        (
            "Next request with the result",
            number_format.tokens(mark, preview.sizes.after_tokens),
        ),
    ]
    if context_tokens != preview.sizes.before_tokens:
        name = f"Next request of the {scope_label(CURRENT)}"
        sizes.append((name, number_format.tokens(mark, context_tokens)))
    if (reported := preview.source.conversation.reported_context) is not None:
        sizes.append(
            (
                "Last request, as the provider counted it",
                number_format.tokens("=", reported),
            )
        )
    if images:
        sizes.append(("Images and bytes of the next request", images))
    limit = number_format.tokens("", preview.sizes.model_limit.tokens)
    sizes += [
        (f"Limit, {preview.sizes.model_limit.source}", limit),
        ("Counted with", preview.sizes.count_method.label),
    ]
    return size_page(preview.sizes.sizing, tuple(sizes))


_MAX_POINTS = 240  # requests in the plot
_CARRIED = (
    "Foldline exported this file and wrote into it how its sizes were calibrated, on {requests}; reports of "
    "the agent after the export take its place."
)


def size_page(sizing: RequestSizing, sizes: tuple[tuple[str, str], ...]) -> FigurePage:
    """Return the page of these sizes, and of the sizing where requests are reported."""
    calibration = sizing.calibration
    points = [
        _point(request, segment)
        for segment in calibration.segments
        for request in segment.requests
    ]
    is_carried = calibration.source == "export"
    fit = calibration.fit
    if not points and not is_carried:
        return FigurePage("Size", (), sizes, ())
    on = number_format.plural(fit.requests, "request")
    fitted = f"fitted to {on} of {number_format.count(len(points))} reported"
    facts = (
        (
            "Factor",
            f"×{fit.factor:.2f}, {'as calibrated before the export' if is_carried else fitted}",
        ),
        (
            "Hidden",
            f"{number_format.count(max(0, sizing.hidden))} tokens in every request",
        ),
        ("Typical error", number_format.percent(fit.error)),
    )
    if is_carried:
        return FigurePage(
            "Size", _sampled(points), (*sizes, *facts), (_CARRIED.format(requests=on),)
        )
    notes = clearing_sentences(sizing) or ("No silent clearing was found.",)
    return FigurePage(
        "Size", _sampled(points), (*sizes, *facts), (*_estimated(sizing), *notes)
    )


def _estimated(sizing: RequestSizing) -> tuple[str, ...]:
    """Return why the factor is not fitted, or nothing."""
    if sizing.is_reported:
        return ()
    if sizing.reporting_model:
        return (
            (
                f"The requests were {sizing.reporting_model}'s: the factor is that of the "
                f"chosen model's family."
            ),
        )
    return ("Too few requests are reported: the factor is that of the model's family.",)


def _point(request: ReportedRequest, segment: CalibrationSegment) -> SizePoint:
    calibrated = segment.fit.size(request)
    return SizePoint(
        request.reported, request.counted, calibrated, request is segment.requests[0]
    )


def _sampled(points: list[SizePoint]) -> tuple[SizePoint, ...]:
    step = max(1.0, len(points) / _MAX_POINTS)
    return tuple(
        points[int(index * step)] for index in range(min(len(points), _MAX_POINTS))
    )
