"""A preset beside what its agent really did with the same messages: the differences, said in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.analysis.compare.model import RecordedComparison
from core.analysis.compare.recorded_row import (
    NOT_THERE,
    NOTHING_BEFORE,
    file_preview,
    is_hidden,
    recorded_preview,
)
from core.analysis.compare.row_computation import CompareContext, run_strategy
from core.analysis.fidelity.evaluate import fidelity_of
from core.common import number_format
from core.common.errors import FoldlineError
from core.preview.options import Preview
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind
from core.transcript.model import Conversation, RecordedCompaction
from core.transcript.scopes import BEFORE, replaces_messages

PROGRAMS: Mapping[str, str] = {
    "claude_code": "Claude Code",
    "codex_rollout": "Codex CLI",
    "cline_session": "Cline SDK",
}
"""The program that writes a format, as the presets name whom they emulate."""

_SPANS = 6  # of a list of messages that are named


def against_recorded(contest: CompareContext) -> Iterator[RecordedComparison]:
    """What each preset of the conversation's agent would have done at each recorded compaction.

    One for each pair of compaction and preset, as it is made; nothing where no preset emulates the agent.
    """
    for number, strategy in agent_pairs(contest.conversation):
        yield against_one(contest, number, strategy)


def agent_pairs(conversation: Conversation) -> tuple[tuple[int, Strategy], ...]:
    """Each recorded compaction, by its number from 1, with each preset of the agent that made it."""
    return tuple(
        (number, strategy)
        for number, found in enumerate(conversation.recorded, 1)
        for strategy in emulating_presets(conversation, found)
    )


def against_file(contest: CompareContext, other: Conversation) -> Iterator[RecordedComparison]:
    """The same where what the agent went on with lies in a file of its own (Cline)."""
    found = other.recorded[-1] if other.recorded else None
    for strategy in emulating_presets(contest.conversation, found):
        contest.ask.progress(0.0, f"{strategy.name} against {other.document.name}")
        yield _compared(contest, 1, strategy, file_preview(contest, other), contest.ask.scope)


def emulating_presets(conversation: Conversation, found: RecordedCompaction | None) -> tuple[Strategy, ...]:
    """The presets that emulate such a compaction of the conversation's agent: those that write a summary
    where the agent folded its context, those that do not where it only cleared results."""
    program = PROGRAMS.get(conversation.format)
    own = [one for one in STRATEGIES if one.emulates is not None and one.emulates.program == program]
    is_fold = found is None or replaces_messages(found)
    fitting = [one for one in own if one.requires_llm is is_fold]
    return tuple(fitting or own)


def against_one(contest: CompareContext, number: int, strategy: Strategy) -> RecordedComparison:
    """What a preset would have done at a recorded compaction. Cancelled comes through."""
    contest.ask.progress(0.0, f"{strategy.name} against recorded {number}")
    if contest.conversation.recorded[number - 1].lost:
        return RecordedComparison(number, strategy.name, (NOT_THERE,))
    agent = recorded_preview(contest, number)
    if not agent.messages:
        return RecordedComparison(number, strategy.name, (NOTHING_BEFORE,))
    return _compared(contest, number, strategy, agent, f"{BEFORE}{number}")


def _compared(
    contest: CompareContext, number: int, strategy: Strategy, agent: Preview, scope: str
) -> RecordedComparison:
    there = replace(contest, ask=replace(contest.ask, scope=scope))
    try:
        preset = run_strategy(there, strategy)
    except FoldlineError as error:
        return RecordedComparison(number, strategy.name, (f"{strategy.name} did not run: {error}",))
    return _told(contest, number, preset, agent)


def _told(contest: CompareContext, number: int, preset: Preview, agent: Preview) -> RecordedComparison:
    hidden = is_hidden(agent)
    tokens = None if hidden else agent.after_tokens
    kept = _kept(agent), _kept(preset)
    both, alone, other = kept[0] & kept[1], kept[0] - kept[1], kept[1] - kept[0]
    messages = (tuple(sorted(both)), tuple(sorted(alone)), tuple(sorted(other)))
    sizes = None if hidden else _inserted(agent), _inserted(preset)
    stages, read = contest.stages, contest.read
    worth = None if hidden else fidelity_of(agent, stages, read=read).weighted
    fidelity = worth, fidelity_of(preset, stages, read=read).weighted
    found = RecordedComparison(
        number, preset.strategy.name, (), (tokens, preset.after_tokens), messages, sizes, fidelity
    )
    return replace(found, sentences=tuple(_sentences(found, preset, agent)))


def _kept(made: Preview) -> frozenset[int]:
    return frozenset(place for place, fate in enumerate(made.compaction.fates) if fate.kind is FateKind.KEPT)


def _inserted(made: Preview) -> int | None:
    """Tokens of the messages that no source message is; None without any."""
    places = made.compaction.inserted
    return sum(made.after_counts[place] for place in places) if places else None


def _sentences(found: RecordedComparison, preset: Preview, agent: Preview) -> Iterator[str]:
    name, mark = found.preset, preset.method.mark
    if preset.compaction.no_op is not None:
        yield f"{name} would have done nothing: {preset.compaction.no_op.reason}"
    yield _sizes(found, preset, mark)
    yield _messages(found, len(agent.messages))
    yield _summaries(found, mark)
    mine, its = found.fidelity
    if mine is not None and its is not None:
        shares = number_format.percent(mine, 0), number_format.percent(its, 0)
        yield f"Of what the facts weigh, the agent's result holds {shares[0]}, that of {name} {shares[1]}."


def _sizes(found: RecordedComparison, preset: Preview, mark: str) -> str:
    agent, own = found.tokens
    before = number_format.tokens(mark, preset.before_tokens)
    left = number_format.tokens(mark, own)
    if agent is None or own is None:
        return f"Of {before} tokens {found.preset} leaves {left}; what the agent left is encrypted."
    theirs = number_format.tokens(mark, agent)
    return f"Of {before} tokens the agent left {theirs}, {found.preset} leaves {left}{_apart(own, agent)}."


def _apart(own: int, agent: int) -> str:
    """How far two sizes are apart: ", 3 % more", ", 13.9 times as many"."""
    if not agent:
        return ""
    if own >= 2 * agent:
        return f", {own / agent:.1f} times as many"
    share = abs(own / agent - 1)
    return (
        f", {number_format.percent(share, 0)} {'more' if own > agent else 'fewer'}"
        if share >= 0.005
        else ", as many"
    )


def _messages(found: RecordedComparison, count: int) -> str:
    both, alone, other = found.messages
    agent, own = len(both) + len(alone), len(both) + len(other)
    start = (
        f"Of {count:,} messages the agent kept {_some(agent)} as they were, {found.preset} keeps {_some(own)}"
    )
    parts = [f"{len(both):,} of them the same"] if both else []
    parts += [f"only the agent {_spans(alone)}"] if alone else []
    parts += [f"only {found.preset} {_spans(other)}"] if other else []
    return f"{start}: {'; '.join(parts)}." if parts else f"{start}."


def _some(count: int) -> str:
    return number_format.count(count) if count else "none"


def _summaries(found: RecordedComparison, mark: str) -> str:
    agent, own = found.summary_tokens
    wrote = f"{number_format.tokens(mark, agent)} tokens" if agent is not None else "none that can be read"
    has = f"{number_format.tokens(mark, own)} (written offline)" if own is not None else "none"
    return f"New text: of the agent {wrote}; of {found.preset} {has}."


def _spans(places: Sequence[int]) -> str:
    """Messages as runs: "#3–#5, #9"."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][1] == place:
            runs[-1][1] = place + 1
        else:
            runs.append([place, place + 1])
    shown = ", ".join(number_format.span(start, end) for start, end in runs[:_SPANS])
    more = sum(end - start for start, end in runs[_SPANS:])
    return f"{shown} and {more:,} more" if more else shown
