"""stub-and-retrieve: large tool results become stubs whose handle gives the original back."""

from __future__ import annotations

from core.settings.schema import STUB_KEEP, STUB_TOKENS
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import begin_draft, finish_compaction, with_edited
from core.strategies.helpers import empty_history_no_op, no_op_compaction, single_fate
from core.strategies.presets.split import find_results
from core.strategies.stubs import with_stubs
from core.transcript.compaction import Compaction, FateKind, NoOpCode
from core.transcript.model import Speaker

NAME = names.STUB


def compress(context: StrategyContext) -> Compaction:
    """Replace large results by stubs, but the newest ones and those that the model has not read
    yet."""
    history = context.history
    if not history:
        return empty_history_no_op(context, NAME)
    smallest = context.values.integer(STUB_TOKENS)
    keep = context.values.integer(STUB_KEEP)
    last_answer = max(
        (at for at, one in enumerate(history) if one.speaker is Speaker.AI), default=-1
    )
    results = find_results(context, history)
    old = results[: len(results) - keep]
    large = [one for one in old if one.tokens >= smallest and one.message < last_answer]
    changes = with_stubs(context, history, large)
    if not changes:
        reason = (
            f"None of the {len(results):,} results that the model has read has {smallest:,} tokens or more,"
            f" the newest {keep} left out."
        )
        return no_op_compaction(
            context, NAME, NoOpCode.NOTHING_TO_PRUNE, reason, parts=None
        )
    draft = with_edited(begin_draft(history), changes)
    kept = single_fate(
        FateKind.KEPT, "no large result", "It holds no large result that is old."
    )
    return finish_compaction(context, draft, NAME, {}, kept, llm_call_made=False)


STRATEGY = Strategy(
    name=NAME,
    about="Replaces large, old tool results by stubs whose handle gives them back.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=0.60),
    options=(STUB_TOKENS, STUB_KEEP),
    compress=compress,
)
