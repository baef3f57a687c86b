"""LocalHarness's cases: the direct path by its intent and its target, the four tools by their
answers.

The intent (golden/README.md) says which messages may change, which must not and which are deleted;
the texts are ours. Positions 0 and 1 of that system are its system prompt and its hot context
whatever their role; a history of ours begins behind them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.llm.catalog import ModelLimit
from core.preview.options import PreviewSizes, missed_size, missed_text
from core.settings_store.layers import SettingLayers
from core.strategies.base import StrategyContext
from core.strategies.hybrid import compact_directly
from core.tokens.counter import CountMethod
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, tool_responses
from tests.core.strategies.strategy_running import ScriptedSummariser
from tests.golden.localharness_tools import difference, messages_of, tokens, tracker

SYSTEM = "localharness"
HEAD = 2
Case = Mapping[str, Any]


def is_case(data: object) -> bool:
    return isinstance(data, dict) and data.get("system") == SYSTEM


def failure(case: Case) -> str:
    """What is wrong with our answer to a case, "" for nothing."""
    if case["op"] == "tools":
        return difference(case["expected"]["tool_results"], case)
    return _judged(case)


def _judged(case: Case) -> str:
    messages = messages_of(case)
    head, history = messages[:HEAD], messages[HEAD:]
    target = max(0, case["expected"]["target_tokens"] - tokens(head))
    replies = () if case.get("llm_error") else case.get("llm_responses") or ()
    script = ScriptedSummariser(*replies, None)
    limit = case["max_context_tokens"]
    context = StrategyContext(
        history=history,
        values=SettingLayers().resolve(),
        estimate_tokens=tokens,
        current_token_count=tokens(messages),
        limit=limit,
        summariser=script.choose,
        prompt="",
    )
    made = compact_directly(context, tracker(case), target)
    return _against(case["intent"], history, made) or _missed(made, target)


def _against(intent: Case, history: Sequence[Message], made: Compaction) -> str:
    """Where a message changed that must not, or a deletion differs; indices are those of the
    case."""
    kinds = {place + HEAD: fate.kind for place, fate in enumerate(made.fates)}
    deleted = [
        place
        for place, kind in kinds.items()
        if kind in (FateKind.DROPPED, FateKind.PRUNED)
    ]
    if deleted != sorted(intent["deleted"]):
        return f"deleted: expected {intent['deleted']}, got {deleted}"
    changed = {
        place
        for place, kind in kinds.items()
        if kind in (FateKind.EDITED, FateKind.SUMMARISED)
    }
    wrong = sorted(
        changed - set(intent["may_change"]) - _larger(intent, history, changed)
    )
    if wrong:
        return f"changed: {wrong} must not change"
    now = {
        places[0] + HEAD: message
        for places, message in zip(made.origins, made.messages, strict=True)
    }
    other = [
        place for place in intent["unchanged"] if place in now and place not in changed
    ]
    return next(
        (f"changed: {place}" for place in other if now[place] != history[place - HEAD]),
        "",
    )


def _larger(intent: Case, history: Sequence[Message], changed: set[int]) -> set[int]:
    """Tool results that came before smaller ones which the intent takes first.

    The intent takes the oldest result first, Foldline the largest.
    """
    sizes = {
        place + HEAD: tokens((one,))
        for place, one in enumerate(history)
        if any(tool_responses(one))
    }
    left = [
        sizes[place]
        for place in intent["may_change"]
        if place in sizes and place not in changed
    ]
    return {place for place, size in sizes.items() if left and size > max(left)}


def _sizes(after: int, target: int) -> PreviewSizes:
    return PreviewSizes(
        count_method=CountMethod("=", "", ""),
        model_limit=ModelLimit(None, "", ""),
        message_tokens_before=after,
        message_tokens_after=after,
        system_tokens=0,
        trigger_tokens=None,
        target=target,
    )


def _missed(made: Compaction, target: int) -> str:
    """The target is met, or what is said of the result names what it is missed by."""
    over = tokens(made.messages) - target
    counts = [tokens((message,)) for message in made.messages]
    missed = missed_size(_sizes(sum(counts), target), made, counts)
    is_reported = made.no_op is not None or (
        missed is not None and f"{over:,} above the target" in missed_text(missed)
    )
    return (
        ""
        if over <= 0 or is_reported
        else f"target: missed by {over} tokens, and nothing says so"
    )
