"""The hybrid strategy: tool results become metadata, old messages are summarised singly (LH).
Display-only messages are dropped first; tool results, old injections of context and old messages
follow until the target is met. Alike in both modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.number_format import share_of
from core.facts.sentences import is_summary
from core.settings import keys
from core.settings.aim import share_of_aim
from core.settings.schema import Values
from core.strategies import names
from core.strategies.base import (
    CheckPoint,
    HistoryEdits,
    Strategy,
    StrategyContext,
    Trigger,
    TriggerMode,
)
from core.strategies.helpers import (
    empty_history_no_op,
    no_op_compaction,
    require_limit,
    target_fraction,
)
from core.strategies.hybrid import agent_mode as hybrid_agent
from core.strategies.hybrid.agent_state import is_display_only
from core.strategies.hybrid.message_summaries import (
    ASSISTANT_PROMPT,
    USER_PROMPT,
    summarise_messages,
)
from core.strategies.hybrid.placeholder_lines import injection_line, is_marked
from core.strategies.hybrid.tool_results import HybridRun, finish_run, shorten_results
from core.strategies.tool_work import ToolWork, find_tool_work, moves_shell
from core.strategies.tracker import FileTracker, build_tracker
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import (
    Message,
    MessageFlag,
    Speaker,
    Text,
    joined_text,
    tool_calls,
    tool_responses,
)
from core.transcript.todos import todo_call_ids
from core.transcript.tool_pairs import BlockPlace

NAME = names.HYBRID
TARGET = 0.40  # the target that belongs to the declared trigger
_NOT_CONVERSATION = (
    MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
)


def compress(context: StrategyContext) -> Compaction:
    """Compress single messages until the target is met (LH-01 to LH-05); InputError without a
    limit."""
    values, count = context.values, len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    min_messages = values.integer(keys.HYBRID_MIN)
    if count < min_messages:
        reason = (
            f"The history has {count:,} messages, fewer than {keys.HYBRID_MIN} asks for: "
            f"{min_messages:,}."
        )
        return no_op_compaction(
            context, NAME, NoOpCode.TOO_FEW, reason, f"{keys.HYBRID_MIN}=0", parts=None
        )
    target, lowered = _target(values, limit)
    work = find_tool_work(context.history, progress=context.progress)
    compaction = _compact(context, build_tracker(context.history, work), work, target)
    return replace(compaction, warnings=(lowered, *compaction.warnings)) if lowered else compaction


def _target(values: Values, limit: int) -> tuple[int, str]:
    """Return the target in tokens, and a sentence where it was lowered."""
    configured = share_of_aim(values.number(keys.HYBRID_TARGET), limit)
    fraction, lowered = target_fraction(STRATEGY, values, configured, TARGET)
    return share_of(limit, fraction), lowered


def _compact(
    context: StrategyContext, tracker: FileTracker, work: Mapping[BlockPlace, ToolWork], target: int
) -> Compaction:
    """Run the agent where it is selected and available, else the direct mode."""
    wants_agent = context.values.text(keys.HYBRID_MODE) == hybrid_agent.MODE
    is_above = context.estimate_tokens(context.history) + context.hidden > target
    if wants_agent and context.agent is not None and is_above:
        protected = protected_messages(
            context.history, context.values.integer(keys.HYBRID_PROTECTED)
        )
        message_target = target - context.hidden
        compaction = hybrid_agent.run_agent(
            context, tracker, message_target, protected, strategy=STRATEGY
        )
        return replace(compaction, target=target)
    compaction = compact_directly(context, tracker, target, work)
    if not wants_agent or context.agent is not None:
        return compaction
    warning = f"{keys.HYBRID_MODE} is agent: until the run, this shows what direct would do."
    if not compaction.budgets:
        name = context.summariser(context.profile).profile
        missing = f"the profile {name} has no model with tools"
        warning = f"{keys.HYBRID_MODE} is agent, but {missing}: direct ran instead."
    return replace(compaction, warnings=(warning, *compaction.warnings))


def compact_directly(
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
    run = HybridRun(
        strategy=NAME,
        context=context,
        tracker=tracker,
        tool_work=works,
        target=target,
        protected=protected,
        total=total,
    )
    reason = f"It is among the newest {max_count} messages of talk, or the last of the person."
    for index in protected:
        run.keep(index, "protected", reason)
    step = FateStep(
        "display only", FateKind.DROPPED, "It is only shown, and never sent to a model."
    )
    for index, message in enumerate(history):  # dropped whatever the target is
        if is_display_only(message) and index not in protected:
            run.drop(index, step)
    shorten_results(run)
    _shorten_injections(run)
    summarise_messages(run)
    if not run.changes and not run.drops:
        return _no_op_run(run)
    return finish_run(run)


def protected_messages(history: Sequence[Message], max_count: int) -> frozenset[int]:
    """Return the newest human and ai messages with text, and the user's last one (LH-03, LH-04).
    Harness rows, commands and provider errors do not count."""
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
    """Shorten all system messages but the first and the newest to one line each (LH-18 to
    LH-20)."""
    history = run.context.history
    injections = [
        index for index, message in enumerate(history) if message.speaker is Speaker.SYSTEM
    ]
    for index in {*injections[:1], *injections[-1:]}:
        run.keep(index, "system message", "The first system message and the newest one stay.")
    for index in injections[1:-1]:
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
    if run.summaries.failures:
        code = NoOpCode.SUMMARY_FAILED
        reason = (
            f"Every summary failed, and there was nothing else to shorten. "
            f"{run.summaries.failures[0]}"
        )
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
        calls=tuple(run.summaries.calls),
        warnings=tuple(run.summaries.warnings),
        protected=tuple(sorted(run.protected)),
    )


_SETTLED = (
    *("no text", "short", "not shorter", "shortened before", "earlier summary", "other tool"),
    "nothing to shorten",
)
"""Rules of messages that every later run would leave as they are, too."""


class _IncrementalHybrid:
    """Runs the direct mode over the messages that may still change: what a run that missed its
    target has shortened, or could not shorten, is only counted from then on."""

    def __init__(self, count: Callable[[Message], int]) -> None:
        self._count = count
        self._indices: list[int] = []
        self._messages: list[Message] = []
        self._todo_ids: set[str] = set()
        self._settled_count = self._settled_tokens = 0
        self._touched: set[str] = set()  # by tools of settled messages
        self._shell_moved = False
        self._run: Compaction | None = None
        self._target = 0  # of the last run, for its messages alone

    def add(self, index: int, message: Message) -> None:
        self._indices.append(index)
        self._messages.append(message)
        self._todo_ids.update(todo_call_ids(message))

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the result of ``compress``; not known for an agent and for messages that go."""
        values, history = context.values, tuple(self._messages)
        too_few = len(history) + self._settled_count < max(1, values.integer(keys.HYBRID_MIN))
        if too_few or context.limit is None or values.text(keys.HYBRID_MODE) == hybrid_agent.MODE:
            return None
        target, _ = _target(values, context.limit)
        if any(map(is_display_only, history)):
            return None
        hidden = context.hidden + self._settled_tokens
        context = replace(
            context, history=history, sources=tuple(self._indices), hidden=hidden, known_pairs=None
        )
        work = find_tool_work(history, self._touched, shell_moved=self._shell_moved)
        run = self._run = compact_directly(context, build_tracker(history, work), target, work)
        self._target = target - hidden
        old_and_new = zip(self._indices, history, run.messages, strict=True)
        edited = {index: new for index, old, new in old_and_new if new is not old}
        return HistoryEdits(edited, run.no_op, run.calls)

    def apply(self, edits: HistoryEdits) -> None:
        """Accept the last run; where it missed its target, it has looked at all messages."""
        assert self._run is not None
        self._messages = list(self._run.messages)
        if sum(map(self._count, self._messages)) <= self._target:
            return
        work = find_tool_work(self._messages, self._touched, shell_moved=self._shell_moved)
        settled = set(filter(self._is_settled, range(len(self._messages))))
        for (index, _), item in work.items():
            if index in settled and not item.failed:
                self._touched.update(file.path for file in item.files)
        gone = [self._messages[index] for index in settled]
        self._shell_moved = self._shell_moved or any(map(moves_shell, gone))
        self._settled_count += len(gone)
        self._settled_tokens += sum(map(self._count, gone))
        pending = [index for index in range(len(self._messages)) if index not in settled]
        self._indices = [self._indices[index] for index in pending]
        self._messages = [self._messages[index] for index in pending]

    def _is_settled(self, index: int) -> bool:
        run, message = self._run, self._messages[index]
        assert run is not None
        ids = {call.id for call in tool_calls(message)} | {
            block.call_id for block in tool_responses(message)
        }
        if index in run.protected or not ids.isdisjoint(self._todo_ids):
            return False
        fate, is_talk = run.fates[index], message.speaker in (Speaker.HUMAN, Speaker.AI)
        if fate.kind is FateKind.KEPT:
            rule = fate.steps[-1].rule
            return rule in _SETTLED and not (
                is_talk and rule == "not shorter"
            )  # a summary is tried again
        text = joined_text(message).strip() if is_talk else ""
        return not text or is_marked(text)


STRATEGY = Strategy(
    name=NAME,
    about="Shortens tool results; rewrites old messages one by one.",
    requires_llm=True,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=0.70, check=CheckPoint.AFTER_USER),
    options=(
        *(keys.HYBRID_MODE, keys.HYBRID_TARGET, keys.HYBRID_PROTECTED, keys.HYBRID_MIN),
        *(keys.HYBRID_USER, keys.HYBRID_ASSISTANT, keys.HYBRID_OTHER),
        *(keys.HYBRID_FAILURE, keys.HYBRID_BATCH, keys.PROFILE, keys.THRESHOLD, keys.LIMIT),
    ),
    compress=compress,
    needs_limit=True,
    prompts=(USER_PROMPT, ASSISTANT_PROMPT, hybrid_agent.PROMPT),
    incremental=_IncrementalHybrid,
)
