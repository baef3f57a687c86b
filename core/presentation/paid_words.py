"""What was paid for a session, in words and as JSON, and whence the price of a compaction comes:
one text for the command line and the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.analysis.model import CompactionCost, ReplayResult
from core.common import number_format
from core.common.json_value import Json
from core.common.number_format import message_number, plural
from core.presentation import late
from core.tokens.recorded_compactions import LEAST_FREED, LOOP_REQUESTS

if TYPE_CHECKING:
    from core.analysis.paid import Paid, PaidCompaction, PaidRequest

_MAX_REWRITES = 8
_MAX_LOOPS = 5
"""The newest loops are named."""
UNPRICED_MODEL = "No price is known for the model."


def paid_rows(paid: Paid) -> list[tuple[str, str]]:
    """Return labels and values; nothing where the file reports no request."""
    if paid.requests:
        return [*_sums(paid), *map(_compaction, paid.compactions)]
    return []


def paid_notes(paid: Paid) -> list[str]:
    """Return in short what was paid so far, and which compactions are loops or in vain."""
    notes: list[str] = []
    if paid.cost is not None:
        notes.append(f"{_cost(paid)} paid for {plural(paid.priced, 'request')}")
    if paid.loops:
        numbers = ", ".join(str(one.number) for one in paid.loops[-_MAX_LOOPS:])
        noun = "compaction" if len(paid.loops) == 1 else "compactions"
        notes.append(f"{noun} {numbers}: {_loop_words(paid)}")
    return notes


def _loop_words(paid: Paid) -> str:
    is_loop = any(one.is_loop for one in paid.loops)
    is_in_vain = any(one.is_in_vain for one in paid.loops)
    if is_loop and is_in_vain:
        return "a loop or in vain"
    return "a loop" if is_loop else "in vain"


def paid_in_short(paid: Paid) -> Json:
    """Return what is said of a session while it is written; null where no request is reported."""
    if not paid.requests:
        return None
    return {
        "cost": paid.cost,
        "cost_reported": paid.is_cost_reported,
        "requests": len(paid.requests),
        "cache_share": paid.cache_share,
        "loops": [one.number for one in paid.loops],
    }


def _sums(paid: Paid) -> Iterator[tuple[str, str]]:
    requests = plural(len(paid.requests), "request")
    if paid.cost is not None:
        yield "cost", f"{_cost(paid)} for {paid.priced:,} of {requests}"
    if paid.is_part:
        yield "not in it", "requests of other branches and conversations of the file"
    share = paid.cache_share
    if share is not None:
        yield "read from the cache", f"{number_format.percent(share, 0)} of the input"
    if paid.rewrites:
        named = [_rewrite(one) for one in paid.rewrites[:_MAX_REWRITES]]
        if len(paid.rewrites) > _MAX_REWRITES:
            more = ["…"]
        else:
            more = []
        noun = plural(len(paid.rewrites), "request")
        yield (
            "written to it again",
            f"the beginning, by {noun}: {', '.join([*named, *more])}",
        )
    elif share is not None:
        yield "written to it again", "by no request"


def _cost(paid: Paid) -> str:
    """Return the sum, marked as an estimate where prices are those of the model table."""
    mark = "" if paid.is_cost_reported else "≈ "
    return f"{mark}{number_format.dollar_text(paid.cost)}"


def _rewrite(request: PaidRequest) -> str:
    return f"{message_number(request.usage.message_index)} ({request.rewrite})"


def _compaction(compaction: PaidCompaction) -> tuple[str, str]:
    parts: list[str] = []
    if compaction.freed is not None:
        comparative = "smaller" if compaction.freed >= 0 else "larger"
        tokens = plural(abs(compaction.freed), "token")
        parts.append(f"next request {tokens} {comparative}")
    if compaction.cost is not None:
        parts.append(
            f"cost ≈ {number_format.dollar_text(compaction.cost)} to write again"
        )
    if compaction.savings is not None and compaction.savings > 0:
        since = plural(compaction.requests, "request")
        parts.append(
            f"saved ≈ {number_format.dollar_text(compaction.savings)} in {since} since"
        )
    if compaction.is_loop:
        few = plural(LOOP_REQUESTS, "request")
        parts.append(f"a loop: within {few} of the one before")
    if compaction.is_in_vain:
        least = number_format.percent(LEAST_FREED, 0)
        parts.append(f"in vain: it freed less than {least}")
    return f"compaction {compaction.number}", "; ".join(parts) or number_format.UNKNOWN


def cost_basis(result: ReplayResult) -> str:
    """Return whence the costs of a replay come, by the track that changes nothing; "" before
    there is one."""
    if not result.tracks:
        return ""
    reported = result.tracks[0].paid_requests
    turns = len(result.turns)
    if not reported:
        return "costs are estimates: the file reports none"
    requests = f"{reported:,} of {plural(turns, 'request')}"
    if reported == turns:
        return f"costs are those of the recorded usage until a strategy changes a request: {requests}"
    return (
        f"costs are those of the recorded usage of {requests}, the others are estimates"
    )


def cost_source(cost: CompactionCost) -> str:
    """Return whence the price of a compaction comes, as a part of a sentence."""
    if cost.cache_kept is None:
        return "counted tokens with a warm cache: the file reports no use of it"
    share = number_format.percent(cost.cache_kept, 0)
    return (
        f"recorded usage: requests read {share} of what was sent before from the cache"
    )


def summary_by_model(cost: CompactionCost) -> tuple[str, CompactionCost] | None:
    """Return the session's model and the cost with a summary that it writes; None where no summary
    is unwritten or its price is not known."""
    priced = late.with_model_summary(cost)
    if priced is None or priced.summary is None or priced.rates is None:
        return None
    return priced.rates.model, priced


def paid_json(paid: Paid) -> Json:
    """Return the document; null where the file reports no request."""
    if not paid.requests:
        return None
    return {
        "cost": paid.cost,
        "cost_reported": paid.is_cost_reported,
        "priced_requests": paid.priced,
        "cache_share": paid.cache_share,
        "requests": [_request_json(one) for one in paid.requests],
        "compactions": [_compaction_json(one) for one in paid.compactions],
    }


def _request_json(request: PaidRequest) -> Json:
    usage = request.usage
    return {
        "answer": usage.message_index,
        "model": usage.model or None,
        "input_tokens": usage.context,
        "output_tokens": usage.output,
        "cache_read": usage.cache.read,
        "cache_written": usage.cache.written,
        "cost": request.cost,
        "cost_reported": request.is_cost_reported,
        "written_again": None if request.rewrite is None else request.rewrite.value,
    }


def _compaction_json(compaction: PaidCompaction) -> Json:
    return {
        "number": compaction.number,
        "freed": compaction.freed,
        "requests": compaction.requests,
        "cost": compaction.cost,
        "saved": compaction.savings,
        "loop": compaction.is_loop,
        "in_vain": compaction.is_in_vain,
    }
