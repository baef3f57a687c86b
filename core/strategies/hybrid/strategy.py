"""hybrid: tool results become metadata, old talk is summarised message by message (LH, seed 004).

Display-only messages go first, then come tool results, old injections of context and old talk, until the
target is met. Alike in both modes; the original and its faults: ion-and-localharness.md section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.common.rounding import share_of
from core.facts.sentences import is_summary
from core.settings.keys import (
    HYBRID_ASSISTANT,
    HYBRID_BATCH,
    HYBRID_FAILURE,
    HYBRID_MIN,
    HYBRID_MODE,
    HYBRID_OTHER,
    HYBRID_PROTECTED,
    HYBRID_TARGET,
    HYBRID_USER,
    LIMIT,
    PROFILE,
    THRESHOLD,
)
from core.strategies.base import CheckPoint, Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import hidden_above, known_limit, no_op
from core.strategies.hybrid import agent_mode as hybrid_agent
from core.strategies.hybrid.agent_state import is_display_only
from core.strategies.hybrid.direct_run import HybridRun, HybridRunCache, finish_run
from core.strategies.hybrid.message_summaries import ASSISTANT_PROMPT, USER_PROMPT, summarise_messages
from core.strategies.hybrid.placeholder_lines import injection_line, is_marked, text_of
from core.strategies.hybrid.tool_results import shorten_results
from core.strategies.tool_work import BlockPlace, ToolWork, work_of
from core.strategies.tracker import FileTracker
from core.strategies.tracker_extraction import tracker_of
from core.strategies.trigger import target_fraction
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import Message, MessageFlag, Speaker, Text

NAME = "hybrid"
TARGET = 0.40
"""The target that goes with the declared trigger."""

_AGENT = "agent"
_NO_TALK = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY


def compress(context: StrategyContext, memory: HybridRunCache | None = None) -> Compaction:
    """Compress single messages until the target is met (LH-01 to LH-05); raises where no limit is known."""
    values, count = context.values, len(context.history)
    if not count:
        return no_op(context, NAME, NoOpCode.EMPTY_HISTORY, "The history is empty.", parts=None)
    limit = known_limit(context, NAME)
    least = values.whole(HYBRID_MIN)
    if count < least:
        reason = f"The history has {count:,} messages, fewer than {HYBRID_MIN} asks for: {least:,}."
        return no_op(context, NAME, NoOpCode.TOO_FEW, reason, f"{HYBRID_MIN}=0", parts=None)
    fraction, lowered = target_fraction(STRATEGY, values, values.number(HYBRID_TARGET), TARGET)
    target = share_of(limit, fraction)
    if nothing := hidden_above(context, NAME, target):
        return nothing
    memory = memory or HybridRunCache()
    work = memory.works.of(context.history)
    made = _made(context, tracker_of(context.history, work), work, target, memory)
    return replace(made, warnings=(lowered, *made.warnings)) if lowered else made


def incremental_hybrid() -> Callable[[StrategyContext], Compaction]:
    """``compress`` for one history, with what it knows of that from run to run."""
    return partial(compress, memory=HybridRunCache())


def _made(
    context: StrategyContext,
    tracker: FileTracker,
    work: Mapping[BlockPlace, ToolWork],
    target: int,
    memory: HybridRunCache,
) -> Compaction:
    """By the agent where it is asked for and there is one, else directly."""
    if context.values.text(HYBRID_MODE) != _AGENT:
        return compress_directly(context, tracker, target, work, memory)
    if context.agent is not None and context.estimate_tokens(context.history) + context.hidden > target:
        protected = protected_messages(context.history, context.values.whole(HYBRID_PROTECTED))
        mine = target - context.hidden
        made = hybrid_agent.run_agent(context, tracker, mine, protected, strategy=STRATEGY)
        return replace(made, target=target)
    made = compress_directly(context, tracker, target, work, memory)
    if context.agent is not None:
        return made
    return replace(made, warnings=(_no_agent(context, made), *made.warnings))


def _no_agent(context: StrategyContext, made: Compaction) -> str:
    if made.budgets:
        return f"{HYBRID_MODE} is agent: until the run, this shows what direct would do."
    name = context.summariser(context.profile).profile
    return f"{HYBRID_MODE} is agent, but the profile {name} has no model with tools: direct ran instead."


def compress_directly(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    work: Mapping[BlockPlace, ToolWork] | None = None,
    memory: HybridRunCache | None = None,
) -> Compaction:
    """The direct way to ``target`` tokens, with what is known of files and tasks; ``work`` for those who
    know what each result tells, ``memory`` for those who run again."""
    history = context.history
    protected = protected_messages(history, context.values.whole(HYBRID_PROTECTED))
    total = context.estimate_tokens(history) + context.hidden
    known = work_of(history) if work is None else work
    run = HybridRun(NAME, context, tracker, known, target, protected, total, memory or HybridRunCache())
    _note_protected(run)
    _drop_display_only(run)
    shorten_results(run)
    _shorten_injections(run)
    summarise_messages(run)
    if not run.changes and not run.drops:
        return _nothing(run)
    if not run.is_done:
        missed = f"The target of {target:,} tokens is missed by {run.total - target:,}"
        run.warnings.append(f"{missed}: calls, protected and short messages stay.")
    return finish_run(run)


def protected_messages(history: Sequence[Message], most: int) -> frozenset[int]:
    """The newest human and ai messages with text, and always the last that a person wrote (LH-03, LH-04).

    Rows that a harness wrote, commands and errors of the provider take no place among them.
    """
    newest: list[int] = []
    last: int | None = None
    for index in range(len(history) - 1, -1, -1):
        if len(newest) >= most and last is not None:
            break
        if _is_talk(history[index]):
            newest += [index] if len(newest) < most else []
            last = index if last is None and history[index].speaker is Speaker.HUMAN else last
    return frozenset(newest if last is None else (*newest, last))


def _is_talk(message: Message) -> bool:
    return (
        message.speaker in (Speaker.HUMAN, Speaker.AI)
        and not message.flags & _NO_TALK
        and bool(text_of(message).strip())
        and not is_summary(message)
    )


def _note_protected(run: HybridRun) -> None:
    most = run.context.values.whole(HYBRID_PROTECTED)
    for index in run.protected:
        run.keep(
            index, "protected", f"It is among the newest {most} messages of talk, or the last of the person."
        )


def _drop_display_only(run: HybridRun) -> None:
    """What is only shown was never sent and counts for nothing, so that it goes whatever the target is."""
    for index, message in enumerate(run.context.history):
        if is_display_only(message) and index not in run.protected:
            run.drop(
                index,
                FateStep("display only", FateKind.DROPPED, "It is only shown, and never sent to a model."),
            )


def _shorten_injections(run: HybridRun) -> None:
    """System messages but the first and the newest become one line each (LH-18 to LH-20)."""
    history = run.context.history
    places = [index for index, message in enumerate(history) if message.speaker is Speaker.SYSTEM]
    for index in {*places[:1], *places[-1:]}:
        run.keep(index, "system message", "The first system message and the newest one stay.")
    for index in places[1:-1]:
        text = text_of(history[index])
        if run.is_done:
            return
        if is_marked(text) or is_summary(history[index]):
            run.keep(index, "shortened before", "It stands for what an earlier run shortened.")
            continue
        line = replace(history[index], blocks=(Text(injection_line(text)),))
        if run.tokens(line) < run.tokens(history[index]):
            reason = "An older injection of context, as one line."
            run.change(index, line, FateStep("old context", FateKind.EDITED, reason))


def _nothing(run: HybridRun) -> Compaction:
    """The history as it was, and why."""
    if run.failures:
        code = NoOpCode.SUMMARY_FAILED
        reason = f"Every summary failed, and there was nothing else to shorten. {run.failures[0]}"
    elif run.is_done:
        code = NoOpCode.UNDER_TARGET
        reason = f"A request has {run.total:,} tokens, within the target of {run.target:,}."
    else:
        code = NoOpCode.NOTHING_TO_PRUNE
        reason = "Nothing but protected messages is left that could get shorter."
    nothing = no_op(run.context, NAME, code, reason, parts=None)
    return replace(
        nothing,
        target=run.target,
        calls=tuple(run.calls),
        warnings=tuple(run.warnings),
        protected=tuple(sorted(run.protected)),
    )


STRATEGY = Strategy(
    NAME,
    "Turns tool results into metadata and summarises old messages one by one; the newest talk stays.",
    True,
    Trigger(TriggerMode.THRESHOLD, 0.70, CheckPoint.AFTER_USER),
    (
        HYBRID_MODE,
        HYBRID_TARGET,
        HYBRID_PROTECTED,
        HYBRID_MIN,
        HYBRID_USER,
        HYBRID_ASSISTANT,
        HYBRID_OTHER,
        HYBRID_FAILURE,
        HYBRID_BATCH,
        PROFILE,
        THRESHOLD,
        LIMIT,
    ),
    compress,
    needs_limit=True,
    prompts=(USER_PROMPT, ASSISTANT_PROMPT, hybrid_agent.PROMPT),
    remembering=incremental_hybrid,
)
