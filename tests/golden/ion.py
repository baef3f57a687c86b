"""The ion cases: tiers 1 to 3 in ``reference`` mode over OpenAI chat messages, and its literal
texts."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.common.json_value import MISSING
from core.llm.protocol import SummaryRequest
from core.settings.schema import (
    KEEP_OUTPUT,
    MAX_OUTPUT,
    OUTPUT_RESERVE,
    PROTECTED,
    TARGET,
    THRESHOLD,
    Mode,
    Values,
)
from core.settings_store.layers import SettingLayers
from core.strategies import tiered
from core.strategies.base import StrategyContext
from core.strategies.helpers import usable_limit
from core.strategies.tiered_outputs import message_starts, output_text
from core.tokens.counter import load_encoding
from core.transcript.compaction import Compaction, NoOpCode, TierOutcome
from core.transcript.model import (
    Block,
    Media,
    Message,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_responses,
)
from tests.core.strategies.strategy_running import ScriptedSummariser
from tests.golden import ion_texts as tiered_texts

Case = dict[str, Any]

DEFAULT_WINDOW = 200_000
KEYS = {
    "trigger_threshold": THRESHOLD,
    "target_threshold": TARGET,
    "output_reserve": OUTPUT_RESERVE,
    "max_tool_output_tokens": MAX_OUTPUT,
    "truncate_keep_tokens": KEEP_OUTPUT,
    "protected_messages": PROTECTED,
}
SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
SYSTEM_ROLES = ("system", "developer")


def message_from(entry: Case) -> Message:
    if entry["role"] == "tool":
        error = True if entry.get("is_error") else MISSING
        return Message(
            speaker=Speaker.TOOL,
            blocks=(ToolResponse(entry["tool_call_id"], "", entry["content"], error),),
        )
    blocks: list[Block] = []
    if entry.get("reasoning_content"):
        blocks.append(Thinking(entry["reasoning_content"]))
    given = entry.get("content")
    blocks += [Text(given)] if isinstance(given, str) and given else []
    blocks += [_part(part) for part in given] if isinstance(given, list) else []
    functions = (
        (call["id"], call["function"]) for call in entry.get("tool_calls") or ()
    )
    blocks += [
        ToolCall(id, one["name"], json.loads(one["arguments"])) for id, one in functions
    ]
    return Message(
        speaker=SPEAKERS.get(entry["role"], Speaker.SYSTEM), blocks=tuple(blocks)
    )


def _part(part: Case) -> Block:
    if part["type"] == "text":
        return Text(part["text"])
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return Media(head.removeprefix("data:"), data)


def entry_of(message: Message, source: Case | None) -> Case:
    """A message of a result in the case's form: an output with its text now, arguments sorted."""
    if source is None:
        text = "".join(
            block.text for block in message.blocks if isinstance(block, Text)
        )
        return {"role": "user", "content": text}
    entry = dict(source)
    for response in tool_responses(message):
        entry["content"] = output_text(response)
    if entry.get("tool_calls"):
        entry["tool_calls"] = [_sorted(call) for call in entry["tool_calls"]]
    return entry


def _sorted(call: Case) -> Case:
    function = {
        **call["function"],
        "arguments": _json(json.loads(call["function"]["arguments"])),
    }
    return {**call, "function": function}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def counter(count: Callable[[str], int]) -> Callable[[Sequence[Message]], int]:
    """Tokens as ion counts them: four for each message, a run of tool messages being one."""

    def tokens(messages: Sequence[Message]) -> int:
        return 4 * len(message_starts(messages)) + sum(
            block(one) for message in messages for one in message.blocks
        )

    def block(one: Block) -> int:
        match one:
            case Text() | Thinking():
                return count(one.text)
            case ToolCall():
                return count(one.name) + count(_json(one.arguments))
            case ToolResponse():
                return count(output_text(one))
            case Media():
                return len(one.data) * 3 // 4 // 4
        raise AssertionError(one)

    return tokens


def values(config: Mapping[str, Any]) -> Values:
    return SettingLayers(
        {KEYS[name]: value for name, value in config.items() if name in KEYS}
    ).resolve()


def pipeline(case: Case, count: Callable[[str], int]) -> Case:
    entries = list(case["messages"])
    lead = next(
        (at for at, entry in enumerate(entries) if entry["role"] not in SYSTEM_ROLES),
        len(entries),
    )
    history = tuple(map(message_from, entries[lead:]))
    answers, tokens = case.get("llm") or {}, counter(count)
    script = ScriptedSummariser(
        None if answers.get("error") else "\n".join(answers.get("texts") or ())
    )
    config = case.get("config") or {}
    window, effective = config.get("context_window", DEFAULT_WINDOW), values(config)
    context = StrategyContext(
        history=history,
        values=effective,
        estimate_tokens=tokens,
        current_token_count=tokens(history),
        limit=window,
        summariser=script.choose,
        prompt="prompt",
        mode=Mode.REFERENCE,
    )
    target, _ = tiered.target_tokens(context)
    if case["op"] == "prune":
        draft, tiers, _ = tiered.prune_tiers(context, target)
        messages, sources = (
            draft.messages,
            [entry.origins[0] for entry in draft.entries],
        )
        summary, reached = None, _pruned(tiers)
    else:
        made = tiered.compress(context)
        messages, tiers = made.messages, made.figures.tiers
        sources = [
            -1 if at in made.inserted else made.origins[at][0]
            for at in range(len(messages))
        ]
        summary, reached = made.summary, _reached(made)
    trigger = tiered.reference_share(
        usable_limit(tiered.STRATEGY.trigger, effective, window),
        config.get("trigger_threshold", tiered.STRATEGY.trigger.threshold),
    )
    before = tokens(history)
    told = [
        entry_of(one, entries[lead + at] if at >= 0 else None)
        for one, at in zip(messages, sources, strict=True)
    ]
    pruning: Case = {"messages_modified": _modified(history, tiers)}
    if case["op"] == "compact":
        pruning["tier"] = _pruned(tiers)
    return {
        "needs_compaction": before >= trigger,
        "trigger_tokens": trigger,
        "target_tokens": target,
        "tokens_before": before,
        "tokens_after": tokens(messages),
        "tier_reached": reached,
        "pruning": pruning,
        "summary": None if summary is None else summary.text,
        "llm_requests": [_request(request) for request in script.requests],
        "messages": [*entries[:lead], *told],
        "ion_message_count": len(message_starts(messages)),
    }


def _request(request: SummaryRequest) -> Case:
    return {
        "max_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "n_messages": 1,
        "conversation_text": tiered_texts.conversation_text(request.messages),
    }


def _pruned(tiers: Sequence[TierOutcome]) -> str:
    return ("None", "TruncateOutputs", "RemoveOldOutputs")[min(len(tiers), 2)]


def _reached(made: Compaction) -> str:
    if made.no_op is not None:
        assert made.no_op.code in (NoOpCode.UNDER_TARGET, NoOpCode.EMPTY_HISTORY)
        return "None"
    return "Mechanical" if made.summary is None else "Summarized"


def _modified(history: Sequence[Message], tiers: Sequence[TierOutcome]) -> int:
    """Messages as ion counts them, once for each of the first two tiers that touched them."""
    begins = message_starts(history)
    of = {}
    for number, start in enumerate(begins):
        end = begins[number + 1] if number + 1 < len(begins) else len(history)
        of.update(dict.fromkeys(range(start, end), number))
    return sum(
        len({of[index] for index in tier.messages}) for tier in tiers if tier.number < 3
    )


def select_model(case: Case) -> Any:
    names = ("id", "input", "context_window", "created")
    return tiered_texts.select_model(
        [
            tiered_texts.ProviderModel(*(one[name] for name in names))
            for one in case["models"]
        ]
    )


def status(case: Case) -> Any:
    """The share of the window in the status line, its colour, or the warning about attachments.

    No case of this kind was at hand; the figures are given under every name that the spec uses.
    """
    given = case["input"]
    window = given.get(
        "max", given.get("window", given.get("context_window", DEFAULT_WINDOW))
    )
    attached = given.get("attachments", given.get("attachment_tokens"))
    if attached is not None:
        return tiered_texts.attachments_warning(attached, window) or None
    used = given["used"]
    percent = tiered_texts.used_percentage(used, window)
    colour = tiered_texts.status_colour(percent)
    known = dict.fromkeys(("percent", "pct", "percentage"), percent) | {
        "used": used,
        "max": window,
    }
    known |= {"colour": colour, "color": colour}
    expected = case["expected"]
    if isinstance(expected, dict):
        return {name: known[name] for name in expected}
    if isinstance(expected, int):
        return percent
    return (
        colour
        if expected in ("red", "yellow", "green")
        else f" · {used}/{window} ({percent}%)"
    )


TEXTS: dict[str, Callable[[Case], Any]] = {
    "select_model": select_model,
    "compact_tool_result": lambda case: tiered_texts.compact_result(**case["input"]),
    "notice": lambda case: tiered_texts.compaction_notice(**case["input"]),
    "status": status,
}


def run(case: Case) -> tuple[Any, Any]:
    if case["op"] in TEXTS:
        return case["expected"], TEXTS[case["op"]](case)
    encoding = load_encoding("cl100k_base")
    actual = pipeline(case, lambda text: len(encoding.encode_ordinary(text)))
    return {name: case["expected"].get(name) for name in actual}, actual


def is_case(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and data.get("system") == "ion"
        and "op" in data
        and "expected" in data
    )
