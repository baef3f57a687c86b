"""Explains a cut: its position, the reference's choice, and valid cuts nearby."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.model import LabelledFigure
from core.presentation.preview_columns import PreviewColumns, preview_columns
from core.presentation.preview_wording import cut_text
from core.presentation.ruler.bands import cut_handles
from core.presentation.ruler.model import CutHandle
from core.presentation.ruler.ruler_lines import kept_pair_text
from core.presentation.why import fix_text, linked_spans
from core.preview.options import Preview
from core.settings.schema import Mode
from core.strategies import middle_out, one_shot
from core.strategies.helpers import MIN_MESSAGES
from core.strategies.reference_fixes import CUT_FIXES
from core.transcript.compaction import Cut, TraceStep

_NEIGHBOURS = 2
_MAX_CALLS, _MAX_ID = 3, 40  # orphaned calls listed, and characters of an id


def why_cut(preview: Preview, name: str) -> WhyPage:
    """Return the page of a cut ("top", "bottom", "cut", "tail"); raise InputError if there is none."""
    columns = preview_columns(preview)
    for number, cut in enumerate(columns.cuts):
        if cut.name == name:
            return _page(columns, number, cut)
    raise InputError(f"There is no cut {name!r} now.", f"{preview.strategy.name} made no such cut.")


def _page(columns: PreviewColumns, number: int, cut: Cut) -> WhyPage:
    location = cut_text(cut.name, cut.index, columns.length)
    sentence = linked_spans(_sentence(columns, cut), columns.length)
    return WhyPage(location, "", -1, sentence, _steps(columns, cut), _sections(columns, number, cut))


def _sentence(columns: PreviewColumns, cut: Cut) -> str:
    kept_count = cut.index if cut.name == "top" else columns.length - cut.index
    kept_text = (
        f"{number_format.plural(kept_count, 'message')} "
        f"{'stays' if kept_count == 1 else 'stay'} word for word"
    )
    difference = cut.index - cut.requested if cut.name == "top" else cut.requested - cut.index
    if not difference:
        return f"{kept_text}, as asked."
    return (
        f"{kept_text}; {number_format.count(abs(difference))} "
        f"{'more' if difference > 0 else 'fewer'} than asked for."
    )


def _steps(columns: PreviewColumns, cut: Cut) -> tuple[WhyStep, ...]:
    steps = [_step(columns, step) for step in cut.trace]
    minimum = _minimum(columns)
    if minimum is not None:
        steps.insert(max(0, len(steps) - 1), minimum)
    if not steps:
        return (WhyStep((TextSpan(f"Cut before {number_format.message_number(cut.index)}"),), (), "end"),)
    last_step = steps[-1]
    steps[-1] = WhyStep(last_step.title, last_step.detail or _outcome(columns, cut), "end")
    return tuple(steps)


def _step(columns: PreviewColumns, step: TraceStep) -> WhyStep:
    tone = "error" if step.valid is False else "ok" if step.valid else ""
    return WhyStep(linked_spans(step.title, columns.length), linked_spans(step.detail, columns.length), tone)


def _minimum(columns: PreviewColumns) -> WhyStep | None:
    """Return a step that the minimum for a summary is met, if it applies."""
    split = columns.compaction.split
    counts = columns.preview.strategy.name in (middle_out.NAME, one_shot.NAME)
    if split is None or columns.compaction.summary is None or not counts:
        return None
    middle, min_messages = number_format.count(split.middle), MIN_MESSAGES
    detail = f"{'middle' if len(columns.cuts) > 1 else 'before the cut'} {middle} ≥ {min_messages} messages"
    return WhyStep((TextSpan("Minimums hold"),), (TextSpan(detail),), "ok")


def _outcome(columns: PreviewColumns, cut: Cut) -> tuple[TextSpan, ...]:
    if not columns.preview.strategy.reference:
        return ()
    return (
        TextSpan(
            "where the reference cuts" if cut.index == cut.reference else "not where the reference cuts"
        ),
    )


def _sections(columns: PreviewColumns, number: int, cut: Cut) -> tuple[WhySection, ...]:
    handle = cut_handles(columns)[number]
    name, sections = columns.preview.strategy.reference, list[WhySection]()
    if name:
        text = linked_spans(_reference(columns, cut), columns.length)
        sections.append(WhySection(f"Reference ({name})", text))
    if handle.locked:
        sections.append(WhySection("Locked", (TextSpan(handle.locked),)))
    else:
        sections.append(WhySection("Nearby valid cuts", facts=_nearby(columns, cut, handle)))
    return tuple(sections)


def _reference(columns: PreviewColumns, cut: Cut) -> str:
    """Say where the reference and safe mode cut, and what the reference separates."""
    if columns.preview.mode is Mode.REFERENCE:
        return _in_reference(columns.preview.strategy.reference, cut)
    name, location = columns.preview.strategy.reference, f"before #{cut.reference + 1}"
    orphans = _results(cut.reference_orphans)
    if cut.index == cut.reference:
        return f"{name} cuts {location}, too. No fix of the table applies."
    if not orphans:
        return f"{name} would have cut {location}."
    kept_pair, fix = kept_pair_text(columns, cut), fix_text(CUT_FIXES[name])
    if not kept_pair:
        return " ".join((f"{name} would have cut {location} and orphaned {orphans}.", fix))
    return " ".join((f"{name} would have cut {location} and orphaned {orphans}; here {kept_pair}.", fix))


def _in_reference(name: str, cut: Cut) -> str:
    orphans = _results(cut.reference_orphans)
    cuts = f"{name} cuts before #{cut.reference + 1}{f' and orphans {orphans}' if orphans else ''}."
    if cut.safe < 0:
        return f"{cuts} Safe mode finds no boundary here."
    there = "there, too" if cut.safe == cut.index else f"before #{cut.safe + 1}"
    return f"{cuts} Safe mode cuts {there}."


def _results(ids: Sequence[str]) -> str:
    """Return "the result of toolu_01", "the results of a, b, c and 2 more" or nothing."""
    if not ids:
        return ""
    names = [one_line_text(call_id, _MAX_ID) or "a call without id" for call_id in ids[:_MAX_CALLS]]
    names += [f"{len(ids) - _MAX_CALLS} more"] if len(ids) > _MAX_CALLS else []
    names_text = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"the result{'s' if len(ids) > 1 else ''} of {names_text}"


def _nearby(columns: PreviewColumns, cut: Cut, handle: CutHandle) -> tuple[LabelledFigure, ...]:
    stop_index = bisect_left(handle.stops, cut.index)
    stops = handle.stops[max(0, stop_index - _NEIGHBOURS) : stop_index + _NEIGHBOURS + 1]
    return tuple(_neighbour(columns, cut, stop) for stop in stops)


def _neighbour(columns: PreviewColumns, cut: Cut, stop: int) -> LabelledFigure:
    label = f"before {number_format.message_number(stop)}" if stop < columns.length else "behind the last"
    if stop == cut.index:
        return LabelledFigure(label, "this one", "strong")
    messages, tokens = stop - cut.index, columns.sums[stop] - columns.sums[cut.index]
    if cut.name != "top":
        messages, tokens = -messages, -tokens
    return LabelledFigure(label, f"{number_format.signed(messages)} kept · {number_format.signed(tokens)}")
