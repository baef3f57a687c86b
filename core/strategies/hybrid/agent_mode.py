"""Hybrid's agent mode: a model compresses the history by itself, with four tools (seed 004, spec 2.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.llm.chat_messages import human_text
from core.llm.protocol import ToolCallRequest, ToolModel, ToolTurn
from core.settings.keys import HYBRID_MODE, HYBRID_PROTECTED
from core.settings.prompts import fill_placeholders
from core.settings.values import Values
from core.strategies import draft
from core.strategies.base import Strategy, StrategyContext
from core.strategies.helpers import known_limit, no_op, single_fate
from core.strategies.hybrid.agent_report import DETAIL_CHARACTERS
from core.strategies.hybrid.agent_state import HybridAgentState, has_response, initial_state, is_display_only
from core.strategies.hybrid.agent_tools import (
    DEFINITIONS,
    INVALID,
    METADATA,
    AgentToolResult,
    call_agent_tool,
)
from core.strategies.tracker import FileTracker
from core.strategies.trigger import trigger_tokens
from core.transcript.compaction import (
    AgentStep,
    Compaction,
    Fate,
    FateKind,
    FateStep,
    HybridStats,
    ModelCall,
    NoOpCode,
)
from core.transcript.model import Message, Speaker, Text, ToolCall, ToolResponse, tool_calls

PROMPT = "hybrid-agent"
"""Name of the prompt that explains the task to the agent."""

MODE = "agent"
"""The value of hybrid.mode that asks for it."""

ROUNDS = 8
"""Most answers of the model in one run (LH-87)."""

MOST_CALLS = 20
"""Most calls of one answer that are carried out; bounds what a run can cost."""

_ANSWER_TOKENS = 100  # an answer to a call, the list of messages apart
_ROW_TOKENS = 30  # a row of that list
_OLDER = "(This list is out of date; a newer one follows.)"


@dataclass(slots=True)
class _AgentRun:
    """A run on its way: the history, what was said to and by the model, and the record."""

    state: HybridAgentState
    talk: list[Message]
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def steps(self) -> tuple[AgentStep, ...]:
        return tuple(step for one in self.calls for step in one.agent_steps)


def is_agent(strategy: Strategy, values: Values) -> bool:
    """True where a model works with tools instead of writing summaries."""
    return PROMPT in strategy.prompts and values.text(HYBRID_MODE) == MODE


def run_agent(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    protected: frozenset[int],
    *,
    strategy: Strategy,
) -> Compaction:
    """Let the model of the context's profile compress the history down to ``target`` tokens.

    ``protected`` are messages of the history that it may not touch; ``strategy`` is the one that runs.
    Raises what the model raises: CompactionFailed leaves the history as it was (LH-92), Cancelled too.
    """
    agent = _agent(context)
    before = state_of(context, tracker, target, protected, strategy)
    start = before.with_draft(draft.with_removed(before.draft, _shown_only(context)))
    work = _AgentRun(start, [human_text(agent_task(start))])
    system = fill_placeholders(context.prompts[PROMPT], {"focus": context.focus})
    for number in range(1, ROUNDS + 1):
        reply = agent.converse(system, current_talk(work.talk), DEFINITIONS)
        steps = tuple(_carried_out(work, agent, number, reply))
        work.calls.append(_record(agent, number, reply, steps))
        if not reply.asks:
            break
    return _finished(context, before, work, strategy)


def _shown_only(context: StrategyContext) -> Mapping[int, FateStep]:
    """What never went to a model, and goes before the agent looks (LH-21)."""
    step = FateStep("display only", FateKind.DROPPED, "It is only shown, and never sent to a model.")
    return {index: step for index, message in enumerate(context.history) if is_display_only(message)}


def _agent(context: StrategyContext) -> ToolModel:
    if context.agent is None:
        raise InputError("Agent mode needs a model that works with tools.", "Choose a profile with a model.")
    return context.agent(context.profile)


def state_of(
    context: StrategyContext, tracker: FileTracker, target: int, protected: frozenset[int], strategy: Strategy
) -> HybridAgentState:
    """The history of a context as the tools see it; InputError where no limit is known.

    The newest system message is protected as well: it is the context that holds now (LH-19).
    """
    limit = known_limit(context, strategy.name)
    systems = [index for index, one in enumerate(context.history) if one.speaker is Speaker.SYSTEM]
    return initial_state(
        context.history,
        tracker,
        context.estimate_tokens,
        target=target,
        limit=limit,
        trigger=trigger_tokens(strategy, context.values, limit) or 0,
        protected=protected | frozenset(systems[-1:]),
        newest=context.values.whole(HYBRID_PROTECTED),
        sources=context.sources,
    )


def most_sent(first: int, output: int) -> tuple[int, ...]:
    """The most tokens that each round can send.

    ``first`` is a round in which the agent has looked at everything, ``output`` what one answer may have:
    each later round holds the answers before it, and what their calls gave.
    """
    growth = output + MOST_CALLS * _ANSWER_TOKENS
    return tuple(first + growth * before for before in range(ROUNDS))


def rough_first(messages: int, prompt: int) -> int:
    """About the tokens of a round in which the agent has looked at everything; ``prompt`` in tokens."""
    return prompt + _ROW_TOKENS * messages + DETAIL_CHARACTERS // 4


def agent_task(state: HybridAgentState) -> str:
    """What the model is asked first: the figures of the run, in tokens and messages."""
    now = state.tokens
    return (
        f"The conversation has {len(state.messages):,} messages with {now:,} tokens. "
        f"The target is {state.target:,} tokens, so {max(0, now - state.target):,} have to go. "
        "Begin with tool results, go on with old segments where that is not enough, and check in between."
    )


def current_talk(talk: Sequence[Message]) -> tuple[Message, ...]:
    """The talk with only the newest list of messages in it: indices of older ones mislead, and cost."""
    lists = [place for place, message in enumerate(talk) if _has_list(message)]
    stale = set(lists[:-1])
    return tuple(_without_list(one) if place in stale else one for place, one in enumerate(talk))


def _has_list(message: Message) -> bool:
    return any(isinstance(block, ToolResponse) and block.name == METADATA for block in message.blocks)


def _without_list(message: Message) -> Message:
    return replace(
        message,
        blocks=tuple(
            replace(block, result=_OLDER)
            if isinstance(block, ToolResponse) and block.name == METADATA
            else block
            for block in message.blocks
        ),
    )


def _carried_out(work: _AgentRun, agent: ToolModel, number: int, reply: ToolTurn) -> Iterator[AgentStep]:
    """Carry out the calls of an answer one by one; each is answered, carried out or not."""
    said = (Text(reply.text),) if reply.text else ()
    asks = _distinct(work, reply.asks)
    asked = tuple(ToolCall(ask.id, ask.name, ask.arguments) for ask in asks)
    work.talk.append(Message(Speaker.AI, (*said, *asked)))
    for place, ask in enumerate(asks):
        result = _call(work, ask) if place < MOST_CALLS else _too_many()
        answer = ToolResponse(ask.id, ask.name, result.answer)
        work.talk.append(Message(Speaker.TOOL, (answer,)))
        step = AgentStep(
            number, ask.name, ask.arguments, result.effect, not result.success, work.state.tokens
        )
        agent.note(step)
        yield step


def _distinct(work: _AgentRun, asks: Sequence[ToolCallRequest]) -> list[ToolCallRequest]:
    """The calls with ids that nothing else in the talk has; some servers count from 1 in every answer."""
    used = {one.id for message in work.talk for one in tool_calls(message)}
    found: list[ToolCallRequest] = []
    for ask in asks:
        number, id_ = len(used), ask.id
        while id_ in used:
            number, id_ = number + 1, f"{ask.id}_{number}"
        used.add(id_)
        found.append(replace(ask, id=id_))
    return found


def _call(work: _AgentRun, ask: ToolCallRequest) -> AgentToolResult:
    work.state, result = call_agent_tool(work.state, ask.name, ask.arguments)
    return result


def _too_many() -> AgentToolResult:
    message = f"At most {MOST_CALLS} calls in one answer are carried out; ask again"
    return AgentToolResult(False, "", INVALID, message, f"Refused: {message}")


def _record(agent: ToolModel, number: int, reply: ToolTurn, steps: tuple[AgentStep, ...]) -> ModelCall:
    return ModelCall(
        agent.profile,
        agent.model,
        reply.input_tokens,
        reply.output_tokens,
        reply.retries,
        reply.steps,
        reply.cost,
        reply.seconds,
        purpose=f"round {number}",
        agent_steps=steps,
    )


def _finished(
    context: StrategyContext, before: HybridAgentState, work: _AgentRun, strategy: Strategy
) -> Compaction:
    """The result, or a no-op that says why nothing came of it."""
    target, now = before.target, work.state.tokens
    refused = _nothing(before, work)
    if refused:
        code, reason = refused
        way_out = "Run it again, choose another model, or set hybrid.mode to direct."
        nothing = no_op(context, strategy.name, code, reason, way_out, parts=None)
        return replace(nothing, calls=tuple(work.calls), target=target)
    left = single_fate(FateKind.KEPT, "agent", "The agent left it as it was.")
    made = draft.finish_compaction(
        context, work.state.draft, strategy.name, _stayed(before), left, llm_call_made=True
    )
    return replace(
        made,
        target=target,
        calls=tuple(work.calls),
        warnings=tuple(_warnings(work, target, now)),
        stats=_stats(before, work.state),
        protected=tuple(sorted(_untouchable(before))),
    )


def _nothing(before: HybridAgentState, work: _AgentRun) -> tuple[NoOpCode, str] | None:
    """Why the history is as it was; None where it became smaller."""
    who = f"{work.calls[0].profile} ({work.calls[0].model})"
    if not work.steps:
        return NoOpCode.NOTHING_TO_PRUNE, f"{who} called none of the four tools."
    if work.state.tokens < before.tokens:
        return None
    calls, refused = len(work.steps), sum(step.refused for step in work.steps)
    words = f"{calls} calls of tools, {refused} of them refused"
    return NoOpCode.NOT_SMALLER, f"{who} took nothing away: {words}."


def _warnings(work: _AgentRun, target: int, now: int) -> Iterator[str]:
    if len(work.calls) == ROUNDS and work.calls[-1].agent_steps:
        yield f"The agent was stopped after {ROUNDS} rounds."
    if now > target:
        yield f"The result has {now:,} tokens, {now - target:,} more than the target of {target:,}."


def _untouchable(state: HybridAgentState) -> frozenset[int]:
    """The source messages that were refused to every tool."""
    return state.protected | frozenset(range(state.prompts))


def _stayed(state: HybridAgentState) -> Mapping[int, Fate]:
    prompt = single_fate(FateKind.KEPT, "protected", "It opens the history as system prompt and stays.")
    other = single_fate(FateKind.KEPT, "protected", "It is protected: the tools refuse to touch it.")
    return {index: prompt if index < state.prompts else other for index in _untouchable(state)}


def _stats(before: HybridAgentState, after: HybridAgentState) -> HybridStats:
    """The counters of the seed, each source message counted once, by what it was."""
    steps = after.draft.steps
    touched = [before.messages[i] for i in steps if steps[i][-1].kind is not FateKind.DROPPED]
    results = sum(has_response(message) for message in touched)
    talks = [message.speaker for message in touched if not has_response(message)]
    old, new = before.tokens, after.tokens
    return HybridStats(
        old,
        new,
        new / old if old else 1.0,
        tool_results_compressed=results,
        user_messages_compressed=talks.count(Speaker.HUMAN),
        assistant_messages_compressed=talks.count(Speaker.AI),
        display_data_deleted=len(steps) - len(touched),
        messages_protected=len(_untouchable(before)),
    )
