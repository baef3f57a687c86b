"""Explains why a message has its fate; also for kept messages."""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.number_format import plural
from core.facts.sentences import plain_text
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.lists.row_texts import row_text
from core.presentation.model import FATES, INSERTED, INSERTED_CODE, LabelledFigure
from core.presentation.preview_columns import (
    PreviewColumns,
    kept_pair_text,
    preview_columns,
    result_index_of,
)
from core.presentation.preview_wording import cut_text, marked_tokens
from core.presentation.ruler.bands import cut_handles
from core.presentation.ruler.geometry import CutHandle
from core.preview.options import Preview
from core.settings.schema import Mode
from core.strategies import middle_out, one_shot
from core.strategies.excerpt_units import HEADING
from core.strategies.helpers import MIN_MESSAGES
from core.strategies.names import EXCERPT
from core.strategies.reference_fixes import CUT_FIXES, find_fix
from core.transcript.compaction import Cut, Fate, FateKind, FateStep
from core.transcript.model import tool_calls
from core.transcript.pins import RULE, PinKind, restore_messages
from core.transcript.provenance import message_provenance

_NUMBER = re.compile(r"#(\d[\d,]*)")
_MAX_LINES, _MAX_NAMES, _LINE_WIDTH = 40, 6, 80  # of excerpts on a page, in characters


def linked_spans(text: str, length: int) -> tuple[TextSpan, ...]:
    """Split a text into spans; numbers beyond ``length`` messages are no links."""
    spans: list[TextSpan] = []
    position = 0
    for match in _NUMBER.finditer(text):
        digits = match.group(1).rstrip(",")
        index = int(digits.replace(",", "")) - 1
        if not 0 <= index < length:
            continue
        if match.start() > position:
            spans.append(TextSpan(text[position : match.start()]))
        position = match.start() + 1 + len(digits)
        spans.append(TextSpan(text[match.start() : position], f"before:{index}"))
    if position < len(text):
        spans.append(TextSpan(text[position:]))
    return tuple(spans)


def sentence_spans(*parts: str | TextSpan) -> tuple[TextSpan, ...]:
    """Join texts and links, without empty ones."""
    return tuple(
        part if isinstance(part, TextSpan) else TextSpan(part) for part in parts if part
    )


def message_names(indices: Sequence[int], most: int) -> str:
    """Return "#1, #2 and 3 more"."""
    names = ", ".join(f"#{index + 1}" for index in indices[:most])
    if len(indices) > most:
        return f"{names} and {len(indices) - most} more"
    return names


def message_link(side: str, index: int) -> TextSpan:
    return TextSpan(f"#{index + 1}", f"{side}:{index}")


TITLE = "Before it was compacted"
_MAX_RANGES = 8  # ranges listed; the rest is counted


def provenance_section(preview: Preview, index: int) -> WhySection | None:
    """Return the former messages that a message replaces, and how to restore one. None for an
    original message without removed neighbours. Numbers are those of the former session, hence no
    links."""
    provenance = message_provenance(preview.messages[index])
    if provenance is None or not (provenance.fates or provenance.removed):
        return None
    sentences, numbers = [], (*provenance.fates, *provenance.removed)
    if provenance.fates:
        word = "Stands for" if len(provenance.fates) > 1 else "Was"
        ranges = _ranges_text(provenance.fates)
        sentences.append(
            f"{word} {ranges} of the session before it, {_fates(provenance.fates)}."
        )
    if provenance.removed:
        sentences.append(
            f"Beside it stood {_ranges_text(provenance.removed)}, {_fates(provenance.removed)}."
        )
    sentences.append("The file holds them as they were; one comes back with:")
    name = shlex.quote(preview.source.conversation.document.name)
    target = preview.source.conversation.format
    command = (
        f"foldline convert {name} --put-back {min(numbers) + 1} --to {target} -o NEW"
    )
    return WhySection(TITLE, sentence_spans(" ".join(sentences)), mono=command)


def _ranges_text(indices: Iterable[int]) -> str:
    """Return messages as ranges: "#3–#9, #12"."""
    numbered = groupby(enumerate(sorted(indices)), lambda pair: pair[1] - pair[0])
    ranges = [[index for _, index in group] for _, group in numbered]
    words = ", ".join(
        number_format.span(run[0], run[-1] + 1) for run in ranges[:_MAX_RANGES]
    )
    unlisted = sum(map(len, ranges[_MAX_RANGES:]))
    if unlisted:
        return f"{words} and {number_format.plural(unlisted, 'other')}"
    return words


def _fates(fates: Mapping[int, FateKind]) -> str:
    """Return "20 summarised, 6 dropped", or the fate of a single message."""
    if len(fates) == 1:
        return next(iter(fates.values())).value
    counts = Counter(fates.values()).items()
    return ", ".join(
        f"{number_format.count(count)} {kind.value}" for kind, count in counts
    )


def pin_strategy_link() -> TextSpan:
    """Return a link that chooses a strategy that obeys pins."""
    return TextSpan(f"use {EXCERPT}", f"strategy:{EXCERPT}")


def fix_text(id_: str) -> str:
    """Return what the reference does and what Foldline does: "… Here: … (fix BD-01)"."""
    fix = find_fix(id_)
    if fix is None:
        return f"Fix {id_}."
    return f"{fix.fault} Here: {fix.fix[:1].lower()}{fix.fix[1:].rstrip('.')} (fix {fix.id})."


_TONES = {FateKind.DROPPED: "warn", FateKind.PRUNED: "warn"}
_Spans = tuple[TextSpan, ...]


def why_message(preview: Preview, side: str, index: int) -> WhyPage:
    """Return the page of a source ("before") or result ("after") message, counted from 0."""
    run, source, beginning = preview.result.compaction, index, ""
    if side == "after":
        origins = run.origins[index]
        if index in run.inserted or not origins:
            return _why_inserted(preview, index, origins)
        source, beginning = origins[0], f"In the source it is #{origins[0] + 1}. "
    fate = run.fates[source]
    return WhyPage(
        f"{number_format.message_number(index)} {fate.kind.value}",
        _tokens(
            preview,
            (
                preview.source.counts
                if side == "before"
                else preview.result.after_counts
            )[index],
        ),
        FATES.index(fate.kind.value),
        _linked(preview, f"{beginning}{fate.last.reason}"),
        _steps(preview, source, fate),
        _sections(preview, source, fate),
    )


def _why_inserted(preview: Preview, index: int, origins: tuple[int, ...]) -> WhyPage:
    """Return the page of a message that stands for others, or of the answer to a summary."""
    steps: tuple[WhyStep, ...] = ()
    if origins:
        if len(origins) > 1:
            end = f"–#{origins[-1] + 1}"
        else:
            end = ""
        size = _tokens(
            preview, sum(preview.source.counts[origin] for origin in origins)
        )
        count = number_format.plural(len(origins), "message")
        sentence = _linked(
            preview, f"Stands for #{origins[0] + 1}{end}: {count}, {size}."
        )
        steps = _steps(preview, origins[0], preview.result.compaction.fates[origins[0]])
    elif _holds_excerpts(preview, index, origins):
        sentence = sentence_spans("Lines of messages that are gone or shortened.")
    else:
        text = (
            "It answers the summary, so that speakers still take turns, and names the first open "
            "task, if there is one."
        )
        sentence = sentence_spans(text)
        if not index or preview.result.compaction.origins[index - 1]:
            link = message_link("after", max(0, index - 1))
            sentence = sentence_spans(text, " The summary is ", link, ".")
    title = f"{number_format.message_number(index)} {INSERTED}"
    tokens = preview.result.after_counts[index]
    sections = _author(preview)
    if _holds_excerpts(preview, index, origins):
        lines = _excerpt_lines(preview, range(len(preview.messages)))
        if lines is not None:
            sections = (lines,)
        else:
            sections = ()
    return WhyPage(
        title, _tokens(preview, tokens), INSERTED_CODE, sentence, steps, sections
    )


def _holds_excerpts(preview: Preview, index: int, origins: tuple[int, ...]) -> bool:
    run = preview.result.compaction
    if origins:
        return run.fates[origins[0]].kind is FateKind.EXCERPTED
    return index in run.inserted and plain_text(run.messages[index]).startswith(HEADING)


def _excerpt_lines(preview: Preview, indices: Sequence[int]) -> WhySection | None:
    """Return the lines of these messages that stand in the result, each with the names that it
    states there for the first time."""
    wanted = set(indices)
    found = preview.result.compaction.figures.excerpts
    lines = [line for line in found if line.source_index in wanted]
    facts = [
        LabelledFigure(one_line_text(line.text, _LINE_WIDTH), _first_names(line.names))
        for line in lines[:_MAX_LINES]
    ]
    if len(lines) > _MAX_LINES:
        facts.append(LabelledFigure("more", plural(len(lines) - _MAX_LINES, "line")))
    if facts:
        return WhySection("Lines that stand", facts=tuple(facts))
    return None


def _first_names(names: Sequence[str]) -> str:
    """Return why a line stands: "`PoolError`, `retry_at` for the first time"."""
    shown = ", ".join(f"`{name}`" for name in names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        shown += f" and {len(names) - _MAX_NAMES:,} more"
    if names:
        return f"{shown} for the first time"
    return "no name that is new"


def _tokens(preview: Preview, count: int) -> str:
    return f"{marked_tokens(preview, count)} tokens"


def _author(preview: Preview) -> tuple[WhySection, ...]:
    summary = preview.result.compaction.summary
    if summary is None:
        return ()
    facts = [
        LabelledFigure("profile", summary.profile),
        LabelledFigure("model", summary.model),
    ]
    if summary.sections:
        facts.append(
            LabelledFigure("sections", number_format.count(len(summary.sections)))
        )
    if preview.summary.provisional:
        facts.append(
            LabelledFigure("state", "not yet written; its size is the budget", "warn")
        )
    return (WhySection("Written by", facts=tuple(facts)),)


def _steps(preview: Preview, index: int, fate: Fate) -> tuple[WhyStep, ...]:
    """Return a step per stage, then one for the pair; the last is marked "end"."""
    steps = [
        sentence
        for step in fate.steps
        for sentence in _step(preview, index, step, len(fate.steps) == 1)
    ]
    partners = preview.source.pairs.partners.get(index, ())
    if fate.kind is FateKind.PRUNED and partners:
        pair = _linked(preview, f"#{index + 1} and #{partners[0] + 1} form one pair")
        steps.append(WhyStep(sentence_spans("Call and result go together"), pair))
    last_step = steps[-1]
    return (*steps[:-1], WhyStep(last_step.title, last_step.detail, "end"))


def _step(preview: Preview, index: int, step: FateStep, is_only: bool) -> list[WhyStep]:
    """Return the rule and its reason, then the message that it names. A single step shows the
    message itself: its reason is the page's sentence."""
    title = sentence_spans(f"{step.rule[:1].upper()}{step.rule[1:]}: {step.kind.value}")
    if is_only:
        detail = _row_spans(preview, index)
    else:
        detail = _linked(preview, step.reason)
    steps = [WhyStep(title, detail, _TONES.get(step.kind, ""))]
    for link in step.links[:1]:
        steps.append(
            WhyStep(
                _linked(preview, f"Because of #{link + 1}"), _row_spans(preview, link)
            )
        )
    return steps


def _row_spans(preview: Preview, index: int) -> _Spans:
    lead, text, _, failed = row_text(
        preview.messages[index], preview.source.conversation.cwd
    )
    words = " ".join(part for part in (lead, text) if part) or "no content"
    return (TextSpan(f"{'error: ' if failed else ''}{words}"),)


def _linked(preview: Preview, text: str) -> _Spans:
    return linked_spans(text, len(preview.messages))


def _sections(preview: Preview, index: int, fate: Fate) -> tuple[WhySection, ...]:
    partners = preview.source.pairs.partners.get(index, ())
    pair = f"Call and response stay on one side: with {message_names(partners, 8)}."
    sections = (
        provenance_section(preview, index),
        _sub_agents(preview, index),
        _pinned(preview, index),
        WhySection("In the result", _in_result(preview, index, fate)),
        _excerpt_lines(preview, (index,)),
        WhySection("Pair", _linked(preview, pair)) if partners else None,
        _links(preview, fate),
        *(
            WhySection(
                f"Reference ({preview.strategy.reference})",
                _linked(preview, fix_text(step.fix)),
            )
            for step in fate.steps
            if step.fix and preview.strategy.reference
        ),
    )
    return tuple(section for section in sections if section is not None)


def _sub_agents(preview: Preview, index: int) -> WhySection | None:
    """Link the sub-agents that the message's calls started, if they are in the file."""
    calls = {call.id for call in tool_calls(preview.messages[index])}
    listed = [
        one
        for one in preview.source.conversation.listed
        if one.call_id and one.call_id in calls
    ]
    parts: list[str | TextSpan] = []
    for number, conversation in enumerate(listed):
        if len(listed) > 1:
            name = f" {conversation.number}"
        else:
            name = ""
        link = TextSpan(
            f"Open the sub-agent's conversation{name}",
            f"conversation:{conversation.number}",
        )
        parts += [
            "\n" if number else "",
            link,
            f": {conversation.title}" if conversation.title else "",
        ]
    if listed:
        return WhySection("Sub-agent", sentence_spans(*parts))
    return None


def _pinned(preview: Preview, index: int) -> WhySection | None:
    """Describe a pin that the strategy ignores; an obeyed one is part of the fate."""
    pin = preview.source.pins.get(index)
    if pin is None or pin.kind is PinKind.NOTE or preview.strategy.obeys_pins:
        return None
    title = "Pinned to keep" if pin.kind is PinKind.KEEP else "Pinned to drop"
    text = f"{preview.strategy.name} does not obey pins: "
    return WhySection(title, sentence_spans(text, pin_strategy_link(), "."))


def _in_result(preview: Preview, index: int, fate: Fate) -> _Spans:
    at = result_index_of(preview.result.compaction, index)
    restore = _restore_link(preview, index, fate)
    if at < 0:
        return sentence_spans("It is not in the result. ", *restore)
    link = message_link("after", at)
    edit = ""
    if fate.kind is FateKind.SUMMARISED:
        return sentence_spans("The summary in ", link, " stands for it. ", *restore)
    if fate.kind is FateKind.EXCERPTED:
        return sentence_spans("Lines of it stand in ", link, ". ", *restore)
    if fate.kind is FateKind.EDITED:
        before, after = preview.source.counts[index], preview.result.after_counts[at]
        edit = f", {number_format.count(before)} tokens became {number_format.count(after)}"
    return sentence_spans("It is ", link, edit, ". ", *restore)


def _restore_link(preview: Preview, index: int, fate: Fate) -> _Spans:
    if preview.result.result_source or preview.result.compaction.no_op is not None:
        return ()
    if fate.last.rule == RULE:
        return (TextSpan("Let it go again", f"let-go:{index}"),)
    if fate.kind is FateKind.KEPT:
        return ()
    more = number_format.signed(_tokens_put_back(preview, index))
    return (TextSpan(f"Put back · {more}", f"put-back:{index}"),)


def _tokens_put_back(preview: Preview, index: int) -> int:
    """Return by how much the result grows if a source message is put back, with what goes with
    it."""
    run, sizes = preview.result.compaction, preview.result.after_counts
    back = restore_messages(run, preview.messages, preview.source.pairs, (index,))
    stay = set(map(id, back.messages))
    came = sum(
        preview.source.counts[at]
        for at, (old, new) in enumerate(zip(run.fates, back.fates, strict=True))
        if old is not new
    )
    return came - sum(
        size
        for size, one in zip(sizes, run.messages, strict=True)
        if id(one) not in stay
    )


_MAX_LINKED = 12  # messages


def _links(preview: Preview, fate: Fate) -> WhySection | None:
    """Return the messages that the steps link, but for those that a reason names."""
    linked: set[int] = set()
    named: set[str] = set()
    for step in fate.steps:
        linked.update(step.links)
        named.update(span.link for span in _linked(preview, step.reason))
    indices = sorted(linked.intersection(range(len(preview.messages))))
    missing = [index for index in indices if f"before:{index}" not in named]
    if not missing:
        return None
    names = message_names(missing, _MAX_LINKED)
    return WhySection("See also", _linked(preview, names))


# Explains a cut: its boundary, the reference's choice, and valid cuts nearby.


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
    cut = columns.cuts[number]
    handle = cut_handles(columns)[number]
    sections = list[WhySection]()
    reference = preview.strategy.reference
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
    return WhyPage(
        location, "", -1, sentence, _cut_steps(columns, cut), tuple(sections)
    )


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


def _cut_steps(columns: PreviewColumns, cut: Cut) -> tuple[WhyStep, ...]:
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
    kept_pair = kept_pair_text(columns, cut)
    fix = fix_text(CUT_FIXES[name])
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
    figures = []
    sign = 1 if cut.name == "top" else -1
    for stop in handle.stops[
        max(0, stop_index - _NEIGHBOURS) : stop_index + _NEIGHBOURS + 1
    ]:
        is_end = stop >= columns.length
        if is_end:
            label = "after the last"
        else:
            label = f"before {number_format.message_number(stop)}"
        messages = stop - cut.index
        tokens = columns.sums[stop] - columns.sums[cut.index]
        kept = f"{number_format.signed(sign * messages)} kept · {number_format.signed(sign * tokens)}"
        is_this = stop == cut.index
        figures.append(
            LabelledFigure(
                label, "this one" if is_this else kept, "strong" if is_this else ""
            )
        )
    return tuple(figures)
