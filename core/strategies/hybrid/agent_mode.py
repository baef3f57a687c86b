"""Hybrid's agent mode: a model compacts the history with four tools (LH-72)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.llm.chat_messages import human_text
from core.llm.tools import ToolCallRequest, ToolModel, ToolTurn
from core.settings.keys import HYBRID_MODE, HYBRID_PROTECTED
from core.settings.prompts.placeholders import fill_placeholders
from core.settings.schema import Values
from core.strategies import draft
from core.strategies.base import Strategy, StrategyContext
from core.strategies.helpers import (
    no_op_compaction,
    require_limit,
    single_fate,
    trigger_tokens,
)
from core.strategies.hybrid.agent_state import (
    DETAIL_CHARACTERS,
    HybridAgentState,
    has_response,
    initial_state,
    is_display_only,
)
from core.strategies.hybrid.agent_tools import (
    DEFINITIONS,
    INVALID,
    METADATA,
    call_agent_tool,
    refused_call,
)
from core.strategies.tracker import FileTracker
from core.transcript.compaction import (
    Compaction,
    FateKind,
    FateStep,
    ModelCall,
    NoOpCode,
    StrategyFigures,
)
from core.transcript.model import (
    Block,
    Message,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
)
from core.transcript.run_details import AgentStep, HybridStats

PROMPT = "hybrid-agent"

MODE = "agent"  # the value of hybrid.mode

MAX_ROUNDS = 8  # most answers of the model in one run (LH-87)

MAX_CALLS = 20  # most calls executed per answer; bounds the cost of a run
_ANSWER_TOKENS = 100  # the answer to a call other than the list of messages
_ROW_TOKENS = 30  # a row of that list
_OUTDATED_LIST = "(This list is out of date; a newer one follows.)"


@dataclass(slots=True)
class _AgentRun:
    """The running state: the history, the chat with the model, and the record of its calls."""

    state: HybridAgentState
    chat: list[Message]
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def steps(self) -> tuple[AgentStep, ...]:
        return tuple(step for call in self.calls for step in call.agent_steps)


def is_agent(strategy: Strategy, values: Values) -> bool:
    """Return whether a model compacts with tools instead of writing summaries."""
    return PROMPT in strategy.prompts and values.text(HYBRID_MODE) == MODE


def run_agent(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    protected: frozenset[int],
    *,
    strategy: Strategy,
) -> Compaction:
    """Let the model of the context's profile compact the history down to ``target`` tokens.
    ``protected`` are messages of the history that it may not change; ``strategy`` is the running
    strategy. Raises the model's errors: CompactionFailed leaves the history unchanged (LH-92), as
    does Cancelled."""
    if context.agent is None:
        raise InputError(
            "Agent mode needs a model that can call tools.",
            "Choose a profile with a model.",
        )
    agent = context.agent(context.profile)
    initial_state = initial_agent_state(context, tracker, target, protected, strategy)
    step = FateStep(
        "display only", FateKind.DROPPED, "It is only shown, and never sent to a model."
    )
    drops = {
        index: step
        for index, message in enumerate(context.history)
        if is_display_only(message)
    }
    state = replace(initial_state, draft=draft.with_removed(initial_state.draft, drops))
    run = _AgentRun(state, [human_text(agent_task(state, context.focus))])
    system = fill_placeholders(context.prompts[PROMPT], {"focus": context.focus})
    for number in range(1, MAX_ROUNDS + 1):
        reply = agent.converse(system, current_chat(run.chat), DEFINITIONS)
        steps = tuple(_execute_calls(run, agent, number, reply))
        run.calls.append(_record(agent, number, reply, steps))
        if not reply.calls:
            break
    return _finish_run(context, initial_state, run, strategy)


def initial_agent_state(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    protected: frozenset[int],
    strategy: Strategy,
) -> HybridAgentState:
    """Return the initial state of the tools; raises InputError where no limit is known."""
    limit = require_limit(context, strategy.name)
    systems = [
        index
        for index, message in enumerate(context.history)
        if message.speaker is Speaker.SYSTEM
    ]
    return initial_state(
        context.history,
        tracker,
        context.estimate_tokens,
        target=target,
        limit=limit,
        trigger=trigger_tokens(strategy, context.values, limit) or 0,
        protected=protected | frozenset(systems[-1:]),
        newest_count=context.values.integer(HYBRID_PROTECTED),
        sources=context.sources,
    )


def max_round_tokens(first_round: int, answer_tokens: int) -> tuple[int, ...]:
    """Return the most tokens that each round can send. ``first_round`` is a round in which the
    agent has read everything, ``answer_tokens`` the budget of one answer: each later round holds
    the earlier answers and the results of their calls."""
    growth = answer_tokens + MAX_CALLS * _ANSWER_TOKENS
    return tuple(
        first_round + growth * earlier_rounds for earlier_rounds in range(MAX_ROUNDS)
    )


def estimate_first_round(message_count: int, prompt_tokens: int) -> int:
    """Estimate the tokens of a round in which the agent has read everything; ``prompt_tokens`` is
    in tokens."""
    return prompt_tokens + _ROW_TOKENS * message_count + DETAIL_CHARACTERS // 4


def agent_task(state: HybridAgentState, focus: str = "") -> str:
    """Return the first message to the model: the figures of the run, in tokens and messages, and
    the focus."""
    tokens = state.tokens
    if focus:
        focus_text = f" Above all keep what has to do with: {focus}"
    else:
        focus_text = ""
    return (
        f"The conversation has {len(state.messages):,} messages with {tokens:,} tokens. "
        f"The target is {state.target:,} tokens, so {max(0, tokens - state.target):,} have to go. "
        "Begin with tool results, go on with old segments where that is not enough, and check in between."
        f"{focus_text}"
    )


def current_chat(chat: Sequence[Message]) -> tuple[Message, ...]:
    """Return the chat with only the newest list of messages: older indices mislead, and cost
    tokens."""
    lists = [
        index
        for index, message in enumerate(chat)
        if any(map(_is_list, message.blocks))
    ]
    current = list(chat)
    for index in lists[:-1]:
        blocks = (
            replace(block, result=_OUTDATED_LIST)
            if isinstance(block, ToolResponse) and _is_list(block)
            else block
            for block in chat[index].blocks
        )
        current[index] = replace(chat[index], blocks=tuple(blocks))
    return tuple(current)


def _is_list(block: Block) -> bool:
    return isinstance(block, ToolResponse) and block.name == METADATA


def _execute_calls(
    run: _AgentRun, agent: ToolModel, number: int, reply: ToolTurn
) -> Iterator[AgentStep]:
    """Execute the calls of an answer one by one; every call gets an answer, executed or not."""
    text_blocks = (Text(reply.text),) if reply.text else ()
    requests = _with_unique_ids(run, reply.calls)
    calls = tuple(
        ToolCall(request.id, request.name, request.arguments) for request in requests
    )
    run.chat.append(Message(speaker=Speaker.AI, blocks=(*text_blocks, *calls)))
    for call_number, request in enumerate(requests):
        if call_number < MAX_CALLS:
            run.state, result = call_agent_tool(
                run.state, request.name, request.arguments
            )
        else:
            refusal = (
                f"At most {MAX_CALLS} calls in one answer are carried out; ask again"
            )
            result = refused_call(INVALID, refusal)
        answer = ToolResponse(request.id, request.name, result.answer)
        run.chat.append(Message(speaker=Speaker.TOOL, blocks=(answer,)))
        step = AgentStep(
            number,
            request.name,
            request.arguments,
            result.effect,
            not result.success,
            run.state.tokens,
        )
        agent.report_step(step)
        yield step


def _with_unique_ids(
    run: _AgentRun, requests: Sequence[ToolCallRequest]
) -> list[ToolCallRequest]:
    """Return the calls with unique ids, since some servers count from 1 in every answer."""
    used = {call.id for message in run.chat for call in tool_calls(message)}
    distinct: list[ToolCallRequest] = []
    for request in requests:
        number, id_ = len(used), request.id
        while id_ in used:
            number, id_ = number + 1, f"{request.id}_{number}"
        used.add(id_)
        distinct.append(replace(request, id=id_))
    return distinct


def _record(
    agent: ToolModel, number: int, reply: ToolTurn, steps: tuple[AgentStep, ...]
) -> ModelCall:
    return ModelCall(
        profile=agent.profile,
        model=agent.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        retries=reply.retries,
        steps=reply.steps,
        cost=reply.cost,
        seconds=reply.seconds,
        purpose=f"round {number}",
        agent_steps=steps,
    )


def _finish_run(
    context: StrategyContext,
    initial_state: HybridAgentState,
    run: _AgentRun,
    strategy: Strategy,
) -> Compaction:
    """Return the result, or a no-op that says why there is none."""
    target = initial_state.target
    no_result = _no_result_reason(initial_state, run)
    if no_result:
        code, reason = no_result
        hint = "Run it again, choose another model, or set hybrid.mode to direct."
        unchanged = no_op_compaction(
            context, strategy.name, code, reason, hint, parts=None
        )
        return replace(unchanged, calls=tuple(run.calls), target=target)
    prompt_fate = single_fate(
        FateKind.KEPT, "protected", "It opens the history as system prompt and stays."
    )
    other_fate = single_fate(
        FateKind.KEPT, "protected", "It is protected: the tools refuse to touch it."
    )
    default_fate = single_fate(FateKind.KEPT, "agent", "The agent left it as it was.")
    prompts = range(initial_state.prompt_count)
    kept_fates = dict.fromkeys(initial_state.protected, other_fate) | dict.fromkeys(
        prompts, prompt_fate
    )
    compaction = draft.finish_compaction(
        context,
        run.state.draft,
        strategy.name,
        kept_fates,
        default_fate,
        llm_call_made=True,
    )
    return replace(
        compaction,
        target=target,
        calls=tuple(run.calls),
        warnings=tuple(_warnings(run)),
        figures=StrategyFigures(
            stats=_stats(initial_state, run.state, len(kept_fates))
        ),
        protected=tuple(sorted(kept_fates)),
    )


def _no_result_reason(
    initial_state: HybridAgentState, run: _AgentRun
) -> tuple[NoOpCode, str] | None:
    """Return why the history is unchanged; None where it became smaller."""
    model_label = f"{run.calls[0].profile} ({run.calls[0].model})"
    if not run.steps:
        return (
            NoOpCode.NOTHING_TO_PRUNE,
            f"{model_label} called none of the four tools.",
        )
    if run.state.tokens < initial_state.tokens:
        return None
    calls, refused = len(run.steps), sum(step.refused for step in run.steps)
    counts = f"{calls} calls of tools, {refused} of them refused"
    return NoOpCode.NOT_SMALLER, f"{model_label} took nothing away: {counts}."


def _warnings(run: _AgentRun) -> Iterator[str]:
    if len(run.calls) == MAX_ROUNDS and run.calls[-1].agent_steps:
        yield f"The agent was stopped after {MAX_ROUNDS} rounds."


def _stats(
    before: HybridAgentState, after: HybridAgentState, protected: int
) -> HybridStats:
    """Return the counters of the reference program, each source message counted once, by its
    speaker."""
    steps = after.draft.steps
    touched = [
        before.messages[i] for i in steps if steps[i][-1].kind is not FateKind.DROPPED
    ]
    results = sum(has_response(message) for message in touched)
    speakers = [message.speaker for message in touched if not has_response(message)]
    old, new = before.tokens, after.tokens
    return HybridStats(
        original_tokens=old,
        compressed_tokens=new,
        compression_ratio=new / old if old else 1.0,
        tool_results_compressed=results,
        user_messages_compressed=speakers.count(Speaker.HUMAN),
        assistant_messages_compressed=speakers.count(Speaker.AI),
        display_data_deleted=len(steps) - len(touched),
        messages_protected=protected,
    )
