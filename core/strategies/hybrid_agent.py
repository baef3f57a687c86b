"""Hybrid's agent mode: a model compacts the history with four tools (LH-72 to LH-76), which are
functions over an agent's state of the history."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.llm.protocol import (
    SummaryRequest,
    ToolCallRequest,
    ToolModel,
    ToolTurn,
    human_text,
)
from core.settings.prompts import fill_placeholders
from core.settings.schema import HYBRID_MODE, HYBRID_PROTECTED, Values
from core.strategies import draft
from core.strategies.base import Strategy, StrategyContext
from core.strategies.draft import with_edited, with_replaced
from core.strategies.helpers import (
    no_op_compaction,
    require_limit,
    single_fate,
    trigger_tokens,
)
from core.strategies.hybrid_state import (
    DETAIL_CHARACTERS,
    HybridAgentState,
    api_role,
    has_response,
    initial_state,
    is_display_only,
    metadata_json,
    verification_json,
)
from core.strategies.hybrid_tool_results import (
    REPLACEMENTS,
    is_marked,
    replacement_text,
    with_text,
)
from core.strategies.tracker import FileTracker
from core.summarize.answer_check import text_fault
from core.transcript.compaction import (
    AgentStep,
    Compaction,
    FateKind,
    FateStep,
    HybridStats,
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

METADATA = "get_compression_metadata"
RESULT = "compress_tool_result"
SEGMENT = "compress_conversation_segment"
VERIFY = "verify_compression_target"

NONE = "none"
INVALID = "validation_failed"
UNREADABLE = "parse_error"
UNKNOWN = "not_found"
"""Types of errors; ``NONE`` where there is none."""

_SEGMENT_RULE, _RESULT_RULE = "agent segment", "agent tool result"
_MAX_ECHO = 100  # characters of a model's input repeated in an error
_TYPICAL_MESSAGE = 200  # tokens; the original's estimate of a message in a segment


def _tool(
    name: str, description: str, required: Sequence[str] = (), **properties: Json
) -> Json:
    """Return the definition of a tool as it is sent to the model: name, description, JSON
    schema."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters}


DEFINITIONS: tuple[Json, ...] = (
    _tool(
        METADATA,
        "Lists what can be compressed: every message with index, role and tokens, which of them are "
        "protected, the files that were read and changed, and the active task. With include_details "
        "also the texts; read them before you summarise.",
        include_details={"type": "boolean", "description": "Texts and summaries too."},
    ),
    _tool(
        RESULT,
        "Replaces the result of a tool by a short text. The message keeps its place, its role and its "
        "id, so indices stay as they are.",
        ("message_index", "strategy"),
        message_index={
            "type": "integer",
            "description": "Index of the tool message, from 0.",
        },
        strategy={
            "type": "string",
            "enum": list(REPLACEMENTS),
            "description": (
                "use_curator_cache for a file that was read, use_modification_metadata for one "
                "that was written, generic for all else."
            ),
        },
    ),
    _tool(
        SEGMENT,
        "Replaces a range of messages by one message with your summary. Both ends belong to it. A call "
        "and its result go together or not at all. Later indices become smaller.",
        ("start_index", "end_index", "summary"),
        start_index={"type": "integer", "description": "First message, from 0."},
        end_index={"type": "integer", "description": "Last message."},
        summary={
            "type": "string",
            "description": "What has to be known of them: requests, decisions, paths, errors.",
        },
    ),
    _tool(VERIFY, "Tells how many tokens there are now and how many more have to go."),
)
_PARAMETERS: Mapping[str, Json] = {
    tool["name"]: tool["parameters"] for tool in DEFINITIONS
}


@dataclass(frozen=True, slots=True)
class AgentToolResult:
    """The result of a call: ``data`` is JSON text, "" where refused; ``effect`` a sentence for the
    user."""

    success: bool
    data: str
    error_type: str
    error_message: str
    effect: str

    @property
    def answer(self) -> str:
        """The answer to the model: the data, or type and message of the error."""
        error = {"error_type": self.error_type, "error_message": self.error_message}
        if self.success:
            return self.data
        return json.dumps(error, ensure_ascii=False)


class _CallRefused(Exception):
    """A call that cannot be executed; its text is sent to the model."""


# The next state, and the result of the call.
_Outcome = tuple[HybridAgentState, AgentToolResult]


def call_agent_tool(state: HybridAgentState, name: str, arguments: str) -> _Outcome:
    """Execute a call; ``arguments`` is the model's JSON text. A refusal does not change the
    state."""
    tool = _TOOLS.get(name)
    if tool is None:
        return state, refused_call(
            UNKNOWN, f"Unknown tool: {name[:_MAX_ECHO]}. There are {', '.join(_TOOLS)}."
        )
    try:
        return tool(state, parse_arguments(arguments, _PARAMETERS[name]))
    except ToolArgumentsError as fault:
        return state, refused_call(UNREADABLE, str(fault))
    except _CallRefused as refusal:
        return state, refused_call(INVALID, str(refusal))


def refused_call(kind: str, message: str) -> AgentToolResult:
    return AgentToolResult(False, "", kind, message, f"Refused: {message}")


def _success(data: str, effect: str) -> AgentToolResult:
    return AgentToolResult(True, data, NONE, "", effect)


def _metadata(state: HybridAgentState, arguments: Mapping[str, Json]) -> _Outcome:
    details = bool(arguments.get("include_details"))
    effect = f"Looked at {len(state.messages):,} messages{' and their texts' if details else ''}."
    return state, _success(metadata_json(state, details=details), effect)


def _verify(state: HybridAgentState, arguments: Mapping[str, Json]) -> _Outcome:
    excess_tokens = state.tokens - state.target
    if excess_tokens <= 0:
        status = "the target is reached"
    else:
        status = f"{excess_tokens:,} tokens over the target"
    return state, _success(verification_json(state), f"Checked: {status}.")


def _compress_result(
    state: HybridAgentState, arguments: Mapping[str, Json]
) -> _Outcome:
    index, strategy = arguments["message_index"], arguments["strategy"]
    _check_result(state, index, strategy)
    old = state.messages[index]
    texts = {
        number: replacement_text(state.tracker, state.history, work, strategy)
        for number, work in state.work_at(index).items()
    }
    blocks = (
        with_text(block, texts[number])
        if isinstance(block, ToolResponse) and number in texts
        else block
        for number, block in enumerate(old.blocks)
    )
    new = replace(old, blocks=tuple(blocks))
    length = sum(len(text.encode("utf-8", "replace")) for text in texts.values())
    data = {
        "status": "success",
        "message_index": index,
        "strategy": strategy,
        "compressed_length": length,
    }
    span = state.span(index, index + 1)
    before = state.count((old,))
    after = state.count((new,))
    if after >= before:
        return state, _unchanged_result(
            data, span, "the text for it would not be shorter"
        )
    reason = f"The agent asked for it: {before:,} tokens of a tool's result became {after:,}."
    step = FateStep(_RESULT_RULE, FateKind.EDITED, reason)
    effect = f"The result in {span} became a line: {before:,} → {after:,} tokens."
    changed = replace(state, draft=with_edited(state.draft, {index: (new, step)}))
    return changed, _success(_compact(data | {"tokens_saved": before - after}), effect)


def _check_result(state: HybridAgentState, index: int, strategy: str) -> None:
    """Raise _CallRefused where the result may not be compressed, in the original's order of
    checks."""
    count = len(state.messages)
    if index >= count:
        raise _CallRefused(
            f"Message index {index} out of range (total messages: {count})"
        )
    message = state.messages[index]
    if message.speaker is not Speaker.TOOL and not has_response(message):
        raise _CallRefused(
            f"Message at index {index} is not a tool message (role: {api_role(message)})"
        )
    if strategy not in REPLACEMENTS:
        raise _CallRefused(f"Unknown strategy: {strategy[:_MAX_ECHO]}")
    if state.is_protected(index):
        raise _CallRefused(f"Cannot compress: Message at index {index} is protected")
    if _is_compressed(message):
        raise _CallRefused(f"Message at index {index} is compressed already")


def _is_compressed(message: Message) -> bool:
    results = [
        block.result for block in message.blocks if isinstance(block, ToolResponse)
    ]
    return bool(results) and all(
        isinstance(result, str) and is_marked(result) for result in results
    )


def _compress_segment(
    state: HybridAgentState, arguments: Mapping[str, Json]
) -> _Outcome:
    start, end = arguments["start_index"], arguments["end_index"]
    # JSON can hold halves of characters.
    written = arguments["summary"].encode("utf-8", "replace")
    summary = written.decode()
    _check_segment(state, start, end, summary)
    count = end - start + 1
    length = len(written)
    new = human_text(f"💭 [Compressed Segment: messages {start}-{end}]\n{summary}")
    before = state.count(state.messages[start : end + 1])
    after = state.count((new,))
    data = {
        "status": "success",
        "messages_compressed": count,
        "start_index": start,
        "summary_length": length,
        "estimated_tokens_saved": max(0, _TYPICAL_MESSAGE * count - length // 4),
    }
    span = state.span(start, end + 1)
    if after >= before:
        return state, _unchanged_result(data, span, "the summary would not be shorter")
    reason = (
        f"The agent's summary stands for {span}: {before:,} tokens became {after:,}."
    )
    step = FateStep(_SEGMENT_RULE, FateKind.SUMMARISED, reason)
    effect = f"{span} became one summary: {before:,} → {after:,} tokens."
    changed = replace(
        state, draft=with_replaced(state.draft, start, end + 1, (new,), step)
    )
    return changed, _success(_compact(data | {"tokens_saved": before - after}), effect)


def _check_segment(state: HybridAgentState, start: int, end: int, summary: str) -> None:
    """Raise _CallRefused where the range may not be replaced, the original's checks first."""
    count = len(state.messages)
    if start > end:
        raise _CallRefused(f"Invalid range: start_index ({start}) > end_index ({end})")
    if end >= count:
        raise _CallRefused(f"end_index ({end}) out of range (total messages: {count})")
    if start < state.prompt_count:
        raise _CallRefused(
            f"Cannot compress: Message at index {start} is the system prompt"
        )
    for index in range(start, end + 1):
        if state.is_protected(index):
            # System messages are protected, too, and are none of the newest ones.
            is_counted = state.messages[index].speaker in (Speaker.HUMAN, Speaker.AI)
            if is_counted:
                newest = f" (last {state.newest_count} user/assistant messages)"
            else:
                newest = ""
            raise _CallRefused(
                f"Cannot compress: Message at index {index} is protected{newest}"
            )
    pairs = state.pairs
    cut = (*pairs.pairs_across(start), *pairs.pairs_across(end + 1))
    if cut:
        low, high = sorted((cut[0].call, cut[0].response))
        raise _CallRefused(
            f"Cannot compress: the call and its result in messages {low} and {high} would be separated; "
            "take both or neither"
        )
    messages = state.messages[start : end + 1]
    request = SummaryRequest(
        prompt="",
        messages=messages,
        indices=tuple(range(start, end + 1)),
        trigger="",
        max_tokens=state.count(messages),
    )
    if fault := text_fault(summary, request, state.count):
        raise _CallRefused(f"Cannot compress: you {fault}")


def _unchanged_result(
    data: Mapping[str, Json], span: str, reason: str
) -> AgentToolResult:
    """Return the answer where the replacement would be no shorter and nothing was changed."""
    note = {"tokens_saved": 0, "note": f"Nothing was changed: {reason}."}
    return _success(_compact({**data, **note}), f"{span} stays as it is: {reason}.")


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_TOOLS: Mapping[str, Callable[[HybridAgentState, Mapping[str, Json]], _Outcome]] = {
    METADATA: _metadata,
    RESULT: _compress_result,
    SEGMENT: _compress_segment,
    VERIFY: _verify,
}


class ToolArgumentsError(Exception):
    """Unusable arguments; its text is sent to the model (LH-86)."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"Failed to parse arguments: error.{cause}")


def parse_arguments(text: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments by name; raises ToolArgumentsError unless they are an object of these
    fields. ``schema`` has ``properties`` of the types integer (not negative), string and boolean,
    and ``required``. Empty text means an object without fields."""
    try:
        if text.strip():
            parsed = json.loads(text)
        else:
            parsed = {}
    # Arguments nested deeply enough are more than the parser's stack holds.
    except (ValueError, RecursionError):
        raise ToolArgumentsError("SyntaxError") from None
    if not isinstance(parsed, dict):
        raise ToolArgumentsError("UnexpectedToken")
    properties = schema["properties"]
    if any(name not in properties for name in parsed):
        raise ToolArgumentsError("UnknownField")
    values = {
        name: _value(value, properties[name]["type"]) for name, value in parsed.items()
    }
    if any(name not in values for name in schema["required"]):
        raise ToolArgumentsError("MissingField")
    return values


def _value(value: Json, kind: str) -> Json:
    """Return a value of a field; whole numbers begin at 0, and models sometimes write 3.0 for 3."""
    # In Python, True is a number.
    if isinstance(value, bool) is not (kind == "boolean"):
        raise ToolArgumentsError("UnexpectedToken")
    if not isinstance(value, str if kind == "string" else int | float):
        raise ToolArgumentsError("UnexpectedToken")
    if kind != "integer":
        return value
    # Only NaN differs from itself, and JSON of Python may hold it.
    if value != value or value in (math.inf, -math.inf) or value != int(value):
        raise ToolArgumentsError("InvalidNumber")
    if value < 0:
        raise ToolArgumentsError("Overflow")
    return int(value)


# Hybrid's agent mode: a model compacts the history with four tools (LH-72).


PROMPT = "hybrid-agent"

MODE = "agent"  # the value of compression.hybrid.mode

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
        # An API refuses the next request where one call has no answer.
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
        number = len(used)
        id_ = request.id
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
        hint = "Run it again, choose another model, or set compression.hybrid.mode to direct."
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
    calls = len(run.steps)
    refused = sum(step.refused for step in run.steps)
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
