"""The hybrid strategy: tool results become metadata, old messages are summarised singly (LH, seed 004).
Display-only messages are dropped first; tool results, old injections of context and old messages follow until
the target is met. Alike in both modes; the original and its faults: ion-and-localharness.md section 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.number_format import share_of
from core.facts.sentences import is_summary
from core.settings import keys
from core.strategies import names
from core.strategies.base import CheckPoint, Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.helpers import empty_history_no_op, hidden_tokens_no_op, no_op_compaction, require_limit
from core.strategies.hybrid import agent_mode as hybrid_agent
from core.strategies.hybrid.agent_state import is_display_only
from core.strategies.hybrid.message_summaries import ASSISTANT_PROMPT, USER_PROMPT, summarise_messages
from core.strategies.hybrid.placeholder_lines import injection_line, is_marked
from core.strategies.hybrid.tool_results import HybridRun, finish_run, shorten_results
from core.strategies.tool_work import BlockPlace, ToolWork, find_tool_work
from core.strategies.tracker import FileTracker, build_tracker
from core.strategies.trigger import target_fraction
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import Message, MessageFlag, Speaker, Text, joined_text

NAME = names.HYBRID
TARGET = 0.40  # the target that belongs to the declared trigger
_NOT_CONVERSATION = (
    MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
)


def compress(context: StrategyContext) -> Compaction:
    """Compress single messages until the target is met (LH-01 to LH-05); InputError without a limit."""
    values, count = context.values, len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    min_messages = values.integer(keys.HYBRID_MIN)
    if count < min_messages:
        reason = (
            f"The history has {count:,} messages, fewer than {keys.HYBRID_MIN} asks for: {min_messages:,}."
        )
        return no_op_compaction(context, NAME, NoOpCode.TOO_FEW, reason, f"{keys.HYBRID_MIN}=0", parts=None)
    fraction, lowered = target_fraction(STRATEGY, values, values.number(keys.HYBRID_TARGET), TARGET)
    target = share_of(limit, fraction)
    if refused := hidden_tokens_no_op(context, NAME, target):
        return refused
    work = find_tool_work(context.history)
    compaction = _compact(context, build_tracker(context.history, work), work, target)
    return replace(compaction, warnings=(lowered, *compaction.warnings)) if lowered else compaction


def _compact(
    context: StrategyContext, tracker: FileTracker, work: Mapping[BlockPlace, ToolWork], target: int
) -> Compaction:
    """Run the agent where it is selected and available, else the direct mode."""
    wants_agent = context.values.text(keys.HYBRID_MODE) == hybrid_agent.MODE
    is_above = context.estimate_tokens(context.history) + context.hidden > target
    if wants_agent and context.agent is not None and is_above:
        protected = protected_messages(context.history, context.values.integer(keys.HYBRID_PROTECTED))
        message_target = target - context.hidden
        compaction = hybrid_agent.run_agent(context, tracker, message_target, protected, strategy=STRATEGY)
        return replace(compaction, target=target)
    compaction = compress_directly(context, tracker, target, work)
    if not wants_agent or context.agent is not None:
        return compaction
    warning = f"{keys.HYBRID_MODE} is agent: until the run, this shows what direct would do."
    if not compaction.budgets:
        name = context.summariser(context.profile).profile
        missing = f"the profile {name} has no model with tools"
        warning = f"{keys.HYBRID_MODE} is agent, but {missing}: direct ran instead."
    return replace(compaction, warnings=(warning, *compaction.warnings))


def compress_directly(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    work: Mapping[BlockPlace, ToolWork] | None = None,
) -> Compaction:
    """Compress in direct mode to ``target`` tokens; ``work`` is that of the history if known."""
    history = context.history
    max_count = context.values.integer(keys.HYBRID_PROTECTED)
    protected = protected_messages(history, max_count)
    total = context.estimate_tokens(history) + context.hidden
    works = find_tool_work(history) if work is None else work
    run = HybridRun(NAME, context, tracker, works, target, protected, total)
    reason = f"It is among the newest {max_count} messages of talk, or the last of the person."
    for index in protected:
        run.keep(index, "protected", reason)
    step = FateStep("display only", FateKind.DROPPED, "It is only shown, and never sent to a model.")
    for index, message in enumerate(history):  # dropped whatever the target is
        if is_display_only(message) and index not in protected:
            run.drop(index, step)
    shorten_results(run)
    _shorten_injections(run)
    summarise_messages(run)
    if not run.changes and not run.drops:
        return _no_op_run(run)
    if not run.is_done:
        shortfall = f"The target of {target:,} tokens is missed by {run.total - target:,}"
        run.warnings.append(f"{shortfall}: calls, protected and short messages stay.")
    return finish_run(run)


def protected_messages(history: Sequence[Message], max_count: int) -> frozenset[int]:
    """Return the newest human and ai messages with text, and the user's last one (LH-03, LH-04). Harness
    rows, commands and provider errors do not count."""
    newest: list[int] = []
    last: int | None = None
    for index in range(len(history) - 1, -1, -1):
        if len(newest) >= max_count and last is not None:
            break
        if _is_conversation(history[index]):
            newest += [index] if len(newest) < max_count else []
            last = index if last is None and history[index].speaker is Speaker.HUMAN else last
    return frozenset(newest if last is None else (*newest, last))


def _is_conversation(message: Message) -> bool:
    return (
        message.speaker in (Speaker.HUMAN, Speaker.AI)
        and not message.flags & _NOT_CONVERSATION
        and bool(joined_text(message).strip())
        and not is_summary(message)
    )


def _shorten_injections(run: HybridRun) -> None:
    """Shorten all system messages but the first and the newest to one line each (LH-18 to LH-20)."""
    history = run.context.history
    places = [index for index, message in enumerate(history) if message.speaker is Speaker.SYSTEM]
    for index in {*places[:1], *places[-1:]}:
        run.keep(index, "system message", "The first system message and the newest one stay.")
    for index in places[1:-1]:
        text = joined_text(history[index])
        if run.is_done:
            return
        if is_marked(text) or is_summary(history[index]):
            run.keep(index, "shortened before", "It stands for what an earlier run shortened.")
            continue
        line = replace(history[index], blocks=(Text(injection_line(text)),))
        if run.tokens(line) < run.tokens(history[index]):
            reason = "An older injection of context, as one line."
            run.change(index, line, FateStep("old context", FateKind.EDITED, reason))


def _no_op_run(run: HybridRun) -> Compaction:
    if run.failures:
        code = NoOpCode.SUMMARY_FAILED
        reason = f"Every summary failed, and there was nothing else to shorten. {run.failures[0]}"
    elif run.is_done:
        code = NoOpCode.UNDER_TARGET
        reason = f"A request has {run.total:,} tokens, within the target of {run.target:,}."
    else:
        code = NoOpCode.NOTHING_TO_PRUNE
        reason = "Nothing but protected messages is left that could get shorter."
    unchanged = no_op_compaction(run.context, NAME, code, reason, parts=None)
    return replace(
        unchanged,
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
        *(keys.HYBRID_MODE, keys.HYBRID_TARGET, keys.HYBRID_PROTECTED, keys.HYBRID_MIN),
        *(keys.HYBRID_USER, keys.HYBRID_ASSISTANT, keys.HYBRID_OTHER),
        *(keys.HYBRID_FAILURE, keys.HYBRID_BATCH, keys.PROFILE, keys.THRESHOLD, keys.LIMIT),
    ),
    compress,
    needs_limit=True,
    prompts=(USER_PROMPT, ASSISTANT_PROMPT, hybrid_agent.PROMPT),
)
