"""Pages of a run: its summary with checks and sources, and its log stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from core.common import number_format
from core.common.excerpts import one_line_text
from core.losses.evidence import Losses
from core.losses.summary_check import LinkedSentence, SourceLink, SummaryFinding
from core.presentation.inspector_model import (
    SentenceRow,
    SummaryFindingRow,
    SummaryPage,
    TextSpan,
    WhyPage,
    WhySection,
    WhyStep,
)
from core.presentation.losses_words import losses_head
from core.presentation.model import LabelledFigure
from core.presentation.preview_columns import result_index_of
from core.presentation.preview_wording import (
    marked_tokens,
    request_sizes_text,
    target_outcome,
)
from core.presentation.why import linked_spans, message_link, sentence_spans
from core.preview.options import Preview
from core.transcript.compaction import (
    AgentStep,
    FateKind,
    HybridStats,
    ModelCall,
    TierOutcome,
)

NO_SOURCE = "no source found"
_MAX_FACTS, _MAX_FACT_LENGTH = 4, 60  # shared facts listed, and characters of each


def summary_verdict(
    findings: Sequence[SummaryFinding],
    losses: str = "",
    sections: Sequence[tuple[str, bool]] = (),
) -> str:
    """Return "All 9 sections are there; 2 of your messages gone."; ``losses`` is what is said of
    them. ``sections`` are those of the prompt, and whether the summary has each."""
    there = sum(is_there for _, is_there in sections)
    parts = [number_format.plural(len(findings), "warning") if findings else ""]
    if sections:
        if there == len(sections):
            share = "All"
        else:
            share = f"{there} of"
        parts.insert(0, f"{share} {len(sections)} sections are there")
    elif not findings:
        parts = [ALL_FOUND]
    return f"{'; '.join(filter(None, (*parts, losses)))}."


def links_text(sentence: LinkedSentence, folder: str = "") -> tuple[TextSpan, ...]:
    """Return "from #12, #40: src/a.py, 429" with links, or that there is no source. Paths are
    relative to the session's ``folder``."""
    parts: list[str | TextSpan] = []
    for number, link in enumerate(sentence.links):
        parts += [", " if number else "from ", message_link("before", link.message)]
    parts.append(
        f": {', '.join(shared_words(sentence.links, folder))}"
        if sentence.links
        else NO_SOURCE
    )
    if sentence.nowhere:
        names = ", ".join(
            one_line_text(name, _MAX_FACT_LENGTH)
            for name in sentence.nowhere[:_MAX_FACTS]
        )
        parts.append(f" · nowhere in the session: {names}")
    return sentence_spans(*parts)


def shared_words(links: Sequence[SourceLink], folder: str = "") -> tuple[str, ...]:
    """Return what a sentence shares with its sources, best source first."""
    if folder:
        start = f"{folder.rstrip('/')}/"
    else:
        start = ""
    shared_facts = dict.fromkeys(
        fact.removeprefix(start) for link in links for fact in link.facts
    )
    return tuple(one_line_text(fact, _MAX_FACT_LENGTH) for fact in shared_facts)[
        :_MAX_FACTS
    ]


def links_verdict(sentences: Sequence[LinkedSentence]) -> str:
    linked = number_format.count(sum(bool(sentence.links) for sentence in sentences))
    nowhere = sum(len(sentence.nowhere) for sentence in sentences)
    text = (
        f"{linked} of {number_format.plural(len(sentences), 'sentence')} have a source"
    )
    if nowhere:
        return (
            f"{text}; {number_format.plural(nowhere, 'name')} nowhere in the session."
        )
    return f"{text}."


ALL_FOUND = (
    "No requested section is missing, its names stand in the session, and what it quotes from you "
    "stands in your messages"
)
CHECK_TITLE = "Summary check"
SENTENCES_TITLE = "Where its sentences come from"
SENTENCE_LINK = "sentence"
"""Prefix of links to a sentence: "sentence:12" is the thirteenth."""
_MAX_SENTENCES = 120  # sentences of a Why page
_MAX_QUOTE = 100  # characters of a sentence there


def summary_page(
    result_index: int,
    findings: Sequence[SummaryFinding] | None,
    sentences: Sequence[LinkedSentence],
    folder: str = "",
    losses: Losses | None = None,
    sections: tuple[tuple[str, bool], ...] = (),
) -> SummaryPage:
    """Return the page of a summary, or with ``result_index`` -1 of the check only. Paths are
    relative to the session's ``folder``; what is gone and missing sections prevent a green
    verdict."""
    words, losses_tone, gone = "", "", None
    if losses is not None:
        words, losses_tone = losses_head(losses)
        gone = losses.gone_count
    if gone:
        losses_tone = "error"

    tone, verdict = "", ""
    if findings is not None:
        verdict = summary_verdict(
            findings, words if result_index >= 0 else "", sections
        )
        tone = _verdict_tone(findings, sections, gone)

    rows = tuple(_sentence_row(one, folder) for one in sentences)
    why = [check_section(findings, words)]
    if rows:
        why.append(
            WhySection(SENTENCES_TITLE, _sentence_list(rows, links_verdict(sentences)))
        )
    return SummaryPage(
        result_index=result_index,
        verdict=verdict,
        tone=tone,
        findings=tuple(map(finding_row, findings or ())),
        sentences=rows,
        verdict_text=links_verdict(sentences) if rows else "",
        sections=tuple(section for section in why if section is not None),
        losses_text=f"{words[:1].upper()}{words[1:]}",
        losses_tone=losses_tone,
        prompt_sections=sections,
    )


def _verdict_tone(
    findings: Sequence[SummaryFinding],
    sections: Iterable[tuple[str, bool]],
    gone: int | None,
) -> str:
    has_all_sections = all(there for _, there in sections)
    if findings or not has_all_sections:
        return "warn"
    # No fault was found, but a summary with losses is not called good.
    return "" if gone else "ok"


def _sentence_row(sentence: LinkedSentence, folder: str) -> SentenceRow:
    is_linked = bool(sentence.links) and not sentence.nowhere
    messages = tuple(link.message for link in sentence.links)
    return SentenceRow(
        sentence.text,
        links_text(sentence, folder),
        messages,
        "" if is_linked else "warn",
    )


def check_section(
    findings: Sequence[SummaryFinding] | None, losses: str = ""
) -> WhySection | None:
    """Return the findings with links, a line each; None if nothing was checked."""
    if findings is None:
        return None
    parts: list[str | TextSpan] = [summary_verdict(findings, losses)]
    for one in map(finding_row, findings):
        parts += [
            f"\n{one.severity}, ",
            TextSpan(one.location, one.link),
            f": {one.text}",
        ]
    return WhySection(CHECK_TITLE, sentence_spans(*parts))


def finding_row(finding: SummaryFinding) -> SummaryFindingRow:
    side, index, prefix = "after", finding.index, "result "
    if finding.messages:
        side, index, prefix = "before", finding.messages[0], ""
    location = f"{prefix}{number_format.message_number(index)}"
    return SummaryFindingRow(
        finding.severity, one_line_text(finding.text), f"{side}:{index}", location
    )


def _sentence_list(rows: Sequence[SentenceRow], verdict: str) -> tuple[TextSpan, ...]:
    """Return each sentence with a numbered link and its sources."""
    parts: list[str | TextSpan] = [
        f"{verdict} Its number shows a sentence in the text."
    ]
    for number, row in enumerate(rows[:_MAX_SENTENCES]):
        link = TextSpan(f"{number + 1}", f"{SENTENCE_LINK}:{number}")
        parts += [
            "\n",
            link,
            f" {one_line_text(row.text, _MAX_QUOTE)} ",
            "(",
            *row.origin_text,
            ")",
        ]
    if (unlisted_count := len(rows) - _MAX_SENTENCES) > 0:
        parts.append(f"\nAnd {number_format.plural(unlisted_count, 'more sentence')}.")
    return sentence_spans(*parts)


_RUN_FATE = -1
_MAX_RANGES = 60  # messages or ranges per section; the rest is counted
_MAX_CALLS = 40
_MAX_ARGUMENTS = 300  # characters of a tool call's arguments


def run_page(
    preview: Preview,
    findings: Sequence[SummaryFinding] | None = None,
    losses: Losses | None = None,
) -> WhyPage:
    """Return the page of the previewed or finished run; never empty. ``findings`` are those of its
    summary check, None without one."""
    run = preview.result.compaction
    sections = [_tier(preview, tier) for tier in run.figures.tiers]
    sections += _agent(preview, run.calls)
    if run.figures.stats is not None:
        sections.append(_stats(preview, run.figures.stats))
    if run.calls:
        sections.append(_calls(run.calls))
    check = check_section(
        findings, losses_head(losses)[0] if losses is not None else ""
    )
    sections += [check] if check is not None else []
    if run.warnings:
        sections.append(WhySection("Warnings", sentence_spans("\n".join(run.warnings))))
    sentence = sentence_spans(_sentence(preview))
    title = preview.run_name
    return WhyPage(
        "Compaction log", title, _RUN_FATE, sentence, _steps(preview), tuple(sections)
    )


def _sentence(preview: Preview) -> str:
    run = preview.result.compaction
    if run.no_op is not None:
        return run.no_op.reason
    before = number_format.plural(len(preview.messages), "message")
    text = f"{before} became {number_format.count(len(run.messages))}, {request_sizes_text(preview)}"
    if run.target is None:
        return f"{text}."
    target = f"target of {number_format.count(run.target)} tokens"
    return f"{text}; the {target} is {target_outcome(preview)}."


def _steps(preview: Preview) -> tuple[WhyStep, ...]:
    """Return a step per tier, else per fate that occurs."""
    run = preview.result.compaction
    if run.figures.tiers:
        steps = [_tier_step(preview, tier) for tier in run.figures.tiers]
        return (*steps[:-1], replace(steps[-1], tone=steps[-1].tone or "end"))
    sizes: dict[FateKind, list[int]] = {kind: [] for kind in FateKind}
    for fate, count in zip(run.fates, preview.source.counts, strict=True):
        sizes[fate.kind].append(count)
    return tuple(
        WhyStep(
            sentence_spans(
                f"{number_format.plural(len(counts), 'message')} {kind.value}"
            ),
            sentence_spans(
                f"{marked_tokens(preview, sum(counts))} tokens in the source"
            ),
        )
        for kind, counts in sizes.items()
        if counts and run.no_op is None
    )


def _tier_step(preview: Preview, tier: TierOutcome) -> WhyStep:
    count = len(tier.messages)
    if count:
        done = f"{number_format.plural(count, 'message')} changed"
    else:
        done = "nothing changed"
    detail = f"{marked_tokens(preview, tier.tokens)} tokens after it" + (
        f" · {tier.note}" if tier.note else ""
    )
    tone = "warn" if tier.note else ""
    if tier.messages:
        tone = "ok"
    title = f"Tier {tier.number}, {tier.name}: {done}"
    return WhyStep(sentence_spans(title), sentence_spans(detail), tone)


def _tier(preview: Preview, tier: TierOutcome) -> WhySection:
    """List messages with their sizes, or ranges where sizes are unknown or belong to a later
    tier."""
    tiers = preview.result.compaction.figures.tiers
    later = {
        index
        for other in tiers
        if other.number > tier.number
        for index in other.messages
    }
    ranges: list[tuple[int, int, str]] = []
    for index in tier.messages:
        if index in later:
            size = ""
        else:
            size = _size(preview, index)
        first, last, before = ranges[-1] if ranges else (-1, -1, "-")
        if not size and not before and last == index - 1:
            ranges[-1] = (first, index, "")
        else:
            ranges.append((index, index, size))
    if ranges:
        text = _ranges_text(ranges)
    else:
        text = "It changed no message."
    facts = (LabelledFigure("tokens after it", marked_tokens(preview, tier.tokens)),)
    return WhySection(
        f"Tier {tier.number}: {tier.name}",
        linked_spans(text, len(preview.messages)),
        facts,
    )


def _ranges_text(ranges: Sequence[tuple[int, int, str]]) -> str:
    """Return "#3–#9, #12 4,100 → 510 and 20 more."."""
    names = []
    for first, last, size in ranges[:_MAX_RANGES]:
        end = ""
        if last > first:
            mark = "–" if last > first + 1 else ", "
            end = f"{mark}#{last + 1}"
        names.append(f"#{first + 1}{end}{size}")
    listed = ", ".join(names)
    unlisted = sum(last - first + 1 for first, last, _ in ranges[_MAX_RANGES:])
    if unlisted:
        listed += f" and {number_format.count(unlisted)} more"
    return f"{listed}."


def _size(preview: Preview, index: int) -> str:
    """Return " 4,100 → 510", or "" if the message shares its place in the result."""
    result_index = result_index_of(preview.result.compaction, index)
    if result_index < 0 or len(preview.result.compaction.origins[result_index]) > 1:
        return ""
    before = preview.source.counts[index]
    after = preview.result.after_counts[result_index]
    return f" {number_format.count(before)} → {number_format.count(after)}"


def single_message_counts(stats: HybridStats) -> tuple[tuple[str, int], ...]:
    """Return what was done with single messages, with its label (LH-53)."""
    return (
        ("tool results compressed", stats.tool_results_compressed),
        ("human messages compressed", stats.user_messages_compressed),
        ("ai messages compressed", stats.assistant_messages_compressed),
        ("display-only messages dropped", stats.display_data_deleted),
        ("messages protected", stats.messages_protected),
    )


def _stats(preview: Preview, stats: HybridStats) -> WhySection:
    counts = single_message_counts(stats)
    facts = (
        LabelledFigure("tokens before", marked_tokens(preview, stats.original_tokens)),
        LabelledFigure(
            "tokens after", marked_tokens(preview, stats.compressed_tokens), "strong"
        ),
        LabelledFigure(
            "share that is left", number_format.percent(stats.compression_ratio, 0)
        ),
        *(LabelledFigure(label, number_format.count(count)) for label, count in counts),
    )
    return WhySection("Statistics", facts=facts)


def _agent(preview: Preview, calls: Sequence[ModelCall]) -> Iterator[WhySection]:
    """Yield what an agent did, then a section per round of its tool calls; nothing without an
    agent."""
    if not (steps := [step for call in calls for step in call.agent_steps]):
        return
    rounds = number_format.plural(steps[-1].round, "round")
    summary = (
        f"{number_format.plural(len(steps), 'call')} in {rounds} by {calls[0].model}."
    )
    yield WhySection("What the agent did", sentence_spans(summary))
    for number, group in groupby(steps, lambda step: step.round):
        round_steps = [*group]
        text = "\n".join(
            f"{step.tool} {_shortened(step.arguments)}\n→ {_outcome(step)}"
            for step in round_steps
        )
        facts = (
            LabelledFigure(
                "tokens after it", marked_tokens(preview, round_steps[-1].tokens)
            ),
        )
        yield WhySection(
            f"Round {number}", linked_spans(text, len(preview.messages)), facts
        )


def _outcome(step: AgentStep) -> str:
    """Return a call's effect, prefixed if it was refused."""
    is_unsaid = step.refused and not step.effect.lower().startswith("refused")
    if is_unsaid:
        return f"refused: {step.effect}"
    return step.effect


def _shortened(text: str) -> str:
    if len(text) <= _MAX_ARGUMENTS:
        return text
    return f"{text[:_MAX_ARGUMENTS]}…"


def _calls(calls: Sequence[ModelCall]) -> WhySection:
    facts = []
    for call in calls[:_MAX_CALLS]:
        sizes = " → ".join(
            number_format.tokens("", one)
            for one in (call.input_tokens, call.output_tokens)
        )
        if call.retries:
            retries = f" · {number_format.plural(call.retries, 'retry', 'retries')}"
        else:
            retries = ""
        facts.append(
            LabelledFigure(
                call.purpose or call.profile, f"{call.model} · {sizes}{retries}"
            )
        )
    if (unlisted := len(calls) - _MAX_CALLS) > 0:
        facts.append(LabelledFigure("further calls", number_format.count(unlisted)))
    title = number_format.plural(
        len(calls), "call of a summariser", "calls of a summariser"
    )
    return WhySection(title, facts=tuple(facts))
