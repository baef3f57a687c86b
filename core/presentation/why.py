"""Explains why a message has its fate; also for kept messages."""

from __future__ import annotations

from core.common import number_format
from core.presentation import message_links
from core.presentation.lists.row_texts import row_text
from core.presentation.model import FATES, INSERTED, LabelledFigure, TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.preview_columns import INSERTED_CODE, result_index_of
from core.presentation.why_wording import fix_text, pin_strategy_link, provenance_section
from core.preview.options import Preview
from core.transcript.compaction import Fate, FateKind, FateStep
from core.transcript.model import tool_calls
from core.transcript.pins import PinKind
from core.transcript.restore import RULE

RESTORE_LINK, UNDO_RESTORE_LINK = "put-back", "let-go"
"""Prefixes of links that restore a source message in the result, and that undo it."""

_TONES = {FateKind.DROPPED: "warn", FateKind.PRUNED: "warn"}


def why_message(preview: Preview, side: str, index: int) -> WhyPage:
    """Return the page of a source ("before") or result ("after") message, counted from 0."""
    if side == "before":
        return _why_source(preview, index)
    origins = preview.compaction.origins[index]
    if index in preview.compaction.inserted or not origins:
        return _why_inserted(preview, index)
    return _why_result(preview, index, origins)


def _why_source(preview: Preview, index: int) -> WhyPage:
    fate = preview.compaction.fates[index]
    title = f"{number_format.message_number(index)} {fate.kind.value}"
    return WhyPage(
        title,
        number_format.tokens(preview.count_method.mark, preview.counts[index]) + " tokens",
        FATES.index(fate.kind.value),
        _linked(preview, fate.last.reason),
        _steps(preview, index, fate),
        _sections(preview, index, fate),
    )


def _why_result(preview: Preview, index: int, origins: tuple[int, ...]) -> WhyPage:
    page = _why_source(preview, origins[0])
    fate = preview.compaction.fates[origins[0]]
    origin_spans = message_links.sentence_spans(
        "In the source it is ", message_links.message_link("before", origins[0]), ". "
    )
    return WhyPage(
        f"{number_format.message_number(index)} {fate.kind.value}",
        number_format.tokens(preview.count_method.mark, preview.after_counts[index]) + " tokens",
        page.fate,
        (*origin_spans, *page.sentence),
        page.steps,
        page.sections,
    )


def _why_inserted(preview: Preview, index: int) -> WhyPage:
    origins = preview.compaction.origins[index]
    return WhyPage(
        f"{number_format.message_number(index)} {INSERTED}",
        number_format.tokens(preview.count_method.mark, preview.after_counts[index]) + " tokens",
        INSERTED_CODE,
        _stands_for(preview, origins) if origins else _follows_summary(preview, index),
        _inserted_steps(preview, origins),
        _author(preview),
    )


def _stands_for(preview: Preview, origins: tuple[int, ...]) -> tuple[TextSpan, ...]:
    tokens = number_format.tokens(
        preview.count_method.mark, sum(preview.counts[origin] for origin in origins)
    )
    first_origin, last_origin = origins[0], origins[-1]
    range_end = (
        ("–", message_links.message_link("before", last_origin)) if last_origin != first_origin else ()
    )
    return message_links.sentence_spans(
        "Stands for ",
        message_links.message_link("before", first_origin),
        *range_end,
        f": {number_format.plural(len(origins), 'message')}, {tokens} tokens.",
    )


def _follows_summary(preview: Preview, index: int) -> tuple[TextSpan, ...]:
    text = "Answers the summary, so that the speakers go on by turns; names the first open task, if any."
    if index and not preview.compaction.origins[index - 1]:
        return message_links.sentence_spans(text)
    return message_links.sentence_spans(
        text, " The summary is ", message_links.message_link("after", max(0, index - 1)), "."
    )


def _inserted_steps(preview: Preview, origins: tuple[int, ...]) -> tuple[WhyStep, ...]:
    if not origins:
        return ()
    return _steps(preview, origins[0], preview.compaction.fates[origins[0]])


def _author(preview: Preview) -> tuple[WhySection, ...]:
    summary = preview.compaction.summary
    if summary is None:
        return ()
    facts = [LabelledFigure("profile", summary.profile), LabelledFigure("model", summary.model)]
    if summary.sections:
        facts.append(LabelledFigure("sections", number_format.count(len(summary.sections))))
    if preview.draft:
        facts.append(LabelledFigure("state", "not yet written; its size is the budget", "warn"))
    return (WhySection("Written by", facts=tuple(facts)),)


def _steps(preview: Preview, index: int, fate: Fate) -> tuple[WhyStep, ...]:
    """Return a step per stage, then one for the pair; the last is marked "end"."""
    steps = [
        why_step
        for step in fate.steps
        for why_step in _step(preview, index, step, alone=len(fate.steps) == 1)
    ]
    partners = preview.pairs.partners.get(index, ())
    if fate.kind is FateKind.PRUNED and partners:
        pair = message_links.sentence_spans(
            message_links.message_link("before", index),
            " and ",
            message_links.message_link("before", partners[0]),
        )
        steps.append(
            WhyStep(
                message_links.sentence_spans("Call and result go together"),
                (*pair, TextSpan(" form one pair")),
            )
        )
    last_step = steps[-1]
    steps[-1] = WhyStep(last_step.title, last_step.detail, "end")
    return tuple(steps)


def _step(preview: Preview, index: int, step: FateStep, *, alone: bool) -> list[WhyStep]:
    """Return the rule and its reason, then the message that it names. A single step shows the message itself:
    its reason is the page's sentence."""
    title = message_links.sentence_spans(f"{step.rule[:1].upper()}{step.rule[1:]}: {step.kind.value}")
    detail = _row_spans(preview, index) if alone else _linked(preview, step.reason)
    steps = [WhyStep(title, detail, _TONES.get(step.kind, ""))]
    for link in step.links[:1]:
        steps.append(
            WhyStep(
                message_links.sentence_spans("Because of ", message_links.message_link("before", link)),
                _row_spans(preview, link),
            )
        )
    return steps


def _row_spans(preview: Preview, index: int) -> tuple[TextSpan, ...]:
    """Return a message's line as in the list."""
    lead, text, _, failed = row_text(preview.messages[index], preview.conversation.cwd)
    words = " ".join(part for part in (lead, text) if part) or "no content"
    return (TextSpan(f"{'error: ' if failed else ''}{words}"),)


def _linked(preview: Preview, reason: str) -> tuple[TextSpan, ...]:
    return message_links.linked_spans(reason, len(preview.messages))


def _sections(preview: Preview, index: int, fate: Fate) -> tuple[WhySection, ...]:
    sections = [provenance_section(preview, index), _sub_agents(preview, index)]
    sections += [_pinned(preview, index), _in_result(preview, index, fate), _pair(preview, index)]
    sections.append(_links(preview, fate))
    sections += [_reference(preview, step) for step in fate.steps if step.fix and preview.strategy.reference]
    return tuple(section for section in sections if section is not None)


def _sub_agents(preview: Preview, index: int) -> WhySection | None:
    """Link the sub-agents that the message's calls started, if they are in the file."""
    calls = {call.id for call in tool_calls(preview.messages[index])}
    conversations = [
        listed for listed in preview.conversation.listed if listed.call_id and listed.call_id in calls
    ]
    parts: list[str | TextSpan] = []
    for number, conversation in enumerate(conversations):
        name = f" {conversation.number}" if len(conversations) > 1 else ""
        link = TextSpan(f"Open the sub-agent's conversation{name}", f"conversation:{conversation.number}")
        parts += ["\n" if number else "", link, f": {conversation.title}" if conversation.title else ""]
    return WhySection("Sub-agent", message_links.sentence_spans(*parts)) if conversations else None


def _pinned(preview: Preview, index: int) -> WhySection | None:
    """Describe a pin that the strategy ignores; an obeyed one is part of the fate."""
    pin = preview.pins.get(index)
    if pin is None or pin.kind is PinKind.NOTE or preview.strategy.obeys_pins:
        return None
    title = "Pinned to keep" if pin.kind is PinKind.KEEP else "Pinned to drop"
    text = f"{preview.strategy.name} does not obey pins: "
    return WhySection(title, message_links.sentence_spans(text, pin_strategy_link(), "."))


def _in_result(preview: Preview, index: int, fate: Fate) -> WhySection | None:
    result_index = result_index_of(preview.compaction, index)
    if result_index < 0:
        return WhySection(
            "In the result",
            message_links.sentence_spans("It is not in the result. ", *_restore_link(preview, index)),
        )
    parts: list[str | TextSpan] = ["It is ", message_links.message_link("after", result_index)]
    if fate.kind is FateKind.SUMMARISED:
        parts = ["The summary in ", message_links.message_link("after", result_index), " stands for it"]
    before, after = preview.counts[index], preview.after_counts[result_index]
    if fate.kind is FateKind.EDITED:
        parts.append(f", {number_format.count(before)} tokens became {number_format.count(after)}")
    return WhySection(
        "In the result", message_links.sentence_spans(*parts, ". ", *_restore_link(preview, index))
    )


def _restore_link(preview: Preview, index: int) -> tuple[TextSpan, ...]:
    """Return the link that restores a message, or that undoes it."""
    fate = preview.compaction.fates[index]
    if preview.result_source or preview.compaction.no_op is not None:
        return ()
    if fate.last.rule == RULE:
        return (TextSpan("Let it go again", f"{UNDO_RESTORE_LINK}:{index}"),)
    if fate.kind is FateKind.KEPT:
        return ()
    return (TextSpan("Put it back", f"{RESTORE_LINK}:{index}"),)


def _pair(preview: Preview, index: int) -> WhySection | None:
    partners = preview.pairs.partners.get(index, ())
    if not partners:
        return None
    partner_spans: list[str | TextSpan] = []
    for number, partner in enumerate(partners[:8]):
        partner_spans += [", " if number else "", message_links.message_link("before", partner)]
    more_text = f" and {len(partners) - 8} more" if len(partners) > 8 else ""
    text = message_links.sentence_spans(
        "Call and response stay on one side: with ", *partner_spans, more_text, "."
    )
    return WhySection("Pair", text)


def _links(preview: Preview, fate: Fate) -> WhySection | None:
    linked_indices = {
        index for step in fate.steps for index in step.links if 0 <= index < len(preview.messages)
    }
    reason_links = "".join(span.link for step in fate.steps for span in _linked(preview, step.reason))
    missing = [index for index in sorted(linked_indices) if f"before:{index}" not in reason_links]
    if not missing:
        return None
    parts: list[str | TextSpan] = []
    for number, index in enumerate(missing[:12]):
        parts += [", " if number else "", message_links.message_link("before", index)]
    return WhySection("See also", message_links.sentence_spans(*parts))


def _reference(preview: Preview, step: FateStep) -> WhySection:
    name = f"Reference ({preview.strategy.reference})"
    return WhySection(name, _linked(preview, fix_text(step.fix)))
