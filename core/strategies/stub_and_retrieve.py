"""stub-and-retrieve: large tool results become stubs whose handle gives the original back."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.settings.keys import STUB_KEEP, STUB_TOKENS
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import begin_draft, finish_compaction, with_edited
from core.strategies.helpers import empty_history_no_op, no_op_compaction, single_fate
from core.strategies.presets.tool_results import find_results, result_blocks, result_text_at, with_text
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import Message, Speaker

NAME = names.STUB
RULE = "stub"
"""The rule in the fate of a message whose results became stubs."""
_BEGIN = 120  # characters of a result that its stub shows


def compress(context: StrategyContext) -> Compaction:
    """Replace large results by stubs, but the newest ones and those that the model has not read yet."""
    history = context.history
    if not history:
        return empty_history_no_op(context, NAME)
    smallest, keep = context.values.integer(STUB_TOKENS), context.values.integer(STUB_KEEP)
    last_answer = max((at for at, one in enumerate(history) if one.speaker is Speaker.AI), default=-1)
    results = find_results(context, history)
    old = results[: len(results) - keep]
    large = [one for one in old if one.tokens >= smallest and one.message < last_answer]
    edited: dict[int, Message] = {}
    handles: dict[int, list[str]] = defaultdict(list)
    for place in large:
        message = edited.get(place.message, history[place.message])
        text = result_text_at(message, place.block)
        shorter = with_text(message, place.block, stub_text(text))
        if context.estimate_tokens((shorter,)) < context.estimate_tokens((message,)):
            edited[place.message] = shorter
            handles[place.message].append(result_handle(text))
    if not edited:
        reason = (
            f"None of the {len(results):,} results that the model has read has {smallest:,} tokens or more,"
            f" the newest {keep} left out."
        )
        return no_op_compaction(context, NAME, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None)
    steps = {
        at: FateStep(RULE, FateKind.EDITED, f"Large; expand gives it back: {', '.join(handles[at])}.")
        for at in edited
    }
    draft = with_edited(begin_draft(history), {at: (edited[at], steps[at]) for at in edited})
    kept = single_fate(FateKind.KEPT, "no large result", "It holds no large result that is old.")
    return finish_compaction(context, draft, NAME, {}, kept, llm_call_made=False)


def result_handle(text: str) -> str:
    """Return the handle of a result, which is the same wherever its text is."""
    return "r-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def stub_text(text: str) -> str:
    size = f"{len(text):,} characters, {len(text.splitlines()):,} lines"
    begin = one_line_text(text, _BEGIN)
    return f'[Stored as {result_handle(text)}: {size}. expand("{result_handle(text)}") returns it. {begin}]'


def stored_results(messages: Sequence[Message]) -> dict[str, str]:
    """Return the texts of all tool results by handle."""
    texts = (result_text_at(message, block) for message in messages for block in result_blocks(message))
    return {result_handle(text): text for text in texts}


def stubbed_results(messages: Sequence[Message], run: Compaction) -> dict[str, str]:
    """Return by handle the results of messages that a run replaced by stubs."""
    if run.no_op is not None:
        return {}
    return stored_results(
        [message for message, fate in zip(messages, run.fates, strict=True) if fate.last.rule == RULE]
    )


def expand_result(stored: Mapping[str, str], handle: str) -> str:
    """Return the original of a stub. Raises InputError for an unknown handle."""
    if handle not in stored:
        raise InputError(
            f"There is no stored result {handle!r}.", 'Copy the handle from a stub: "Stored as r-…".'
        )
    return stored[handle]


STRATEGY = Strategy(
    name=NAME,
    about="Replaces large, old tool results by stubs whose handle gives them back.",
    requires_llm=False,
    trigger=Trigger(TriggerMode.THRESHOLD, 0.60),
    options=(STUB_TOKENS, STUB_KEEP),
    compress=compress,
)
