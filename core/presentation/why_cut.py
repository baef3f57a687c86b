"""Explains a cut: its boundary, the reference's choice, and valid cuts nearby."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.model import LabelledFigure
from core.presentation.preview_columns import (
    PreviewColumns,
    kept_pair_text,
    preview_columns,
)
from core.presentation.preview_wording import cut_text
from core.presentation.ruler.bands import cut_handles
from core.presentation.ruler.model import CutHandle
from core.presentation.why import fix_text, linked_spans
from core.preview.options import Preview
from core.settings.schema import Mode
from core.strategies import middle_out, one_shot
from core.strategies.helpers import MIN_MESSAGES
from core.strategies.reference_fixes import CUT_FIXES
from core.transcript.compaction import Cut

_NEIGHBOURS = 2
_MAX_CALLS, _MAX_ID = 3, 40  # orphaned calls listed, and characters of an id


def why_cut(preview: Preview, name: str) -> WhyPage:
    """Return the page of a cut ("top", "bottom", "cut", "tail"); raise InputError if there is
    none."""
    columns = preview_columns(preview)
    number = next(
        (number for number, cut in enumerate(columns.cuts) if cut.name == name), None
    )
    if number is None:
        raise InputError(
            f"There is no cut {name!r} now.",
            f"{preview.strategy.name} made no such cut.",
        )
    cut, handle = columns.cuts[number], cut_handles(columns)[number]
    sections, reference = list[WhySection](), preview.strategy.reference
    if reference:
        text = linked_spans(_reference(columns, cut), columns.length)
        sections.append(WhySection(f"Reference ({reference})", text))
    if handle.locked:
        sections.append(WhySection("Locked", (TextSpan(handle.locked),)))
    else:
        sections.append(
            WhySection("Nearby valid cuts", facts=_nearby(columns, cut, handle))
        )
    location = cut_text(cut.name, cut.index, columns.length)
    sentence = linked_spans(_sentence(columns, cut), columns.length)
    return WhyPage(location, "", -1, sentence, _steps(columns, cut), tuple(sections))


def _sentence(columns: PreviewColumns, cut: Cut) -> str:
    if cut.name == "top":
        kept_count = cut.index
    else:
        kept_count = columns.length - cut.index
    verb = "stays" if kept_count == 1 else "stay"
    kept_text = f"{number_format.plural(kept_count, 'message')} {verb} word for word"
    if cut.name == "top":
        difference = cut.index - cut.requested
    else:
        difference = cut.requested - cut.index
    if not difference:
        return f"{kept_text}, as asked."
    more = "more" if difference > 0 else "fewer"
    return f"{kept_text}; {number_format.count(abs(difference))} {more} than asked for."


def _steps(columns: PreviewColumns, cut: Cut) -> tuple[WhyStep, ...]:
    length, tones = columns.length, {True: "ok", False: "error", None: ""}
    steps = [
        WhyStep(
            linked_spans(one.title, length),
            linked_spans(one.detail, length),
            tones[one.valid],
        )
        for one in cut.trace
    ]
    split, name = columns.compaction.split, columns.preview.strategy.name
    has_summary = split is not None and columns.compaction.summary is not None
    if split and has_summary and name in (middle_out.NAME, one_shot.NAME):
        part = "middle" if len(columns.cuts) > 1 else "before the cut"
        detail = f"{part} {number_format.count(split.middle)} ≥ {MIN_MESSAGES} messages"
        minimum = WhyStep((TextSpan("Minimums hold"),), (TextSpan(detail),), "ok")
        steps.insert(max(0, len(steps) - 1), minimum)
    if not steps:
        return (
            WhyStep(
                (TextSpan(f"Cut before {number_format.message_number(cut.index)}"),),
                (),
                "end",
            ),
        )
    outcome: tuple[TextSpan, ...] = ()
    if columns.preview.strategy.reference:
        negation = "" if cut.index == cut.reference else "not "
        outcome = (TextSpan(f"{negation}where the reference cuts"),)
    return (*steps[:-1], WhyStep(steps[-1].title, steps[-1].detail or outcome, "end"))


def _reference(columns: PreviewColumns, cut: Cut) -> str:
    """Say where the reference and safe mode cut, and what the reference separates."""
    name, location = columns.preview.strategy.reference, f"before #{cut.reference + 1}"
    orphans = _results(cut.reference_orphans)
    if columns.preview.mode is Mode.REFERENCE:
        cuts = f"{name} cuts {location}{f' and orphans {orphans}' if orphans else ''}."
        if cut.safe < 0:
            return f"{cuts} Safe mode finds no boundary here."
        return (
            f"{cuts} Safe mode cuts "
            f"{'there, too' if cut.safe == cut.index else f'before #{cut.safe + 1}'}."
        )
    if cut.index == cut.reference:
        return f"{name} cuts {location}, too."
    if not orphans:
        return f"{name} would have cut {location}."
    kept_pair, fix = kept_pair_text(columns, cut), fix_text(CUT_FIXES[name])
    if kept_pair:
        here = f"; here {kept_pair}"
    else:
        here = ""
    return f"{name} would have cut {location} and orphaned {orphans}{here}. {fix}"


def _results(ids: Sequence[str]) -> str:
    """Return "the result of toolu_01", "the results of a, b, c and 2 more" or nothing."""
    if not ids:
        return ""
    names = [
        one_line_text(call_id, _MAX_ID) or "a call without id"
        for call_id in ids[:_MAX_CALLS]
    ]
    names += [f"{len(ids) - _MAX_CALLS} more"] if len(ids) > _MAX_CALLS else []
    names_text = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"the result{'s' if len(ids) > 1 else ''} of {names_text}"


def _nearby(
    columns: PreviewColumns, cut: Cut, handle: CutHandle
) -> tuple[LabelledFigure, ...]:
    stop_index = bisect_left(handle.stops, cut.index)
    figures, sign = [], 1 if cut.name == "top" else -1
    for stop in handle.stops[
        max(0, stop_index - _NEIGHBOURS) : stop_index + _NEIGHBOURS + 1
    ]:
        is_end = stop >= columns.length
        if is_end:
            label = "behind the last"
        else:
            label = f"before {number_format.message_number(stop)}"
        messages, tokens = (
            stop - cut.index,
            columns.sums[stop] - columns.sums[cut.index],
        )
        kept = f"{number_format.signed(sign * messages)} kept · {number_format.signed(sign * tokens)}"
        is_this = stop == cut.index
        figures.append(
            LabelledFigure(
                label, "this one" if is_this else kept, "strong" if is_this else ""
            )
        )
    return tuple(figures)
