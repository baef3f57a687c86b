"""The tool that lets a model compact its own conversation (ION-38). An agent offers
``DEFINITION`` to its model and answers its calls with ``run_compact_tool``."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.common.errors import Cancelled, FoldlineError
from core.common.json_value import Json
from core.common.number_format import size_change
from core.engine.session import AgentSession
from core.transcript.compaction import Compaction, NoOpCode

NAME = "compact"
FOCUS = "focus"

MIN_TOKENS = 10_000
"""Tokens of conversation below which nothing is compacted, so that a model does not call it all the
time."""

UNDER_TARGET = "No compaction needed"
"""The answer if the history is already at or below the strategy's target."""

DEFINITION: Json = {
    "name": NAME,
    "description": (
        "Shortens this conversation to free room in the context. Call it before you begin with a new area "
        "of work, after a large piece of work is done, or when the context shows wear: you ask again what "
        "was answered, or forget what was done. It answers with a summary of what was kept."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            FOCUS: {
                "type": "string",
                "description": "What the summary should keep above all; optional.",
            }
        },
        "required": [],
        "additionalProperties": False,
    },
}
"""The tool for the model: name, description, parameters (JSON schema)."""


def run_compact_tool(
    session: AgentSession, arguments: Mapping[str, Json] | str | None = None
) -> str:
    """Carry out a call and return the answer for the model; never raises and asks for no
    confirmation. ``arguments`` is the object or JSON text that the model wrote. The answer is the
    summary if the strategy wrote one, else the sizes before and after; or the reason why nothing
    was done. Listeners of the session get the same events as from any compaction (ION-45)."""
    try:
        focus = _focus(arguments)
    except ValueError as problem:
        return f"Nothing was compacted: {problem}."
    store = session.store
    before = store.total
    history_tokens = store.total - store.base
    if history_tokens < MIN_TOKENS:
        size = (
            f"the conversation has {history_tokens:,} tokens, and below {MIN_TOKENS:,} it is "
            f"not worth it"
        )
        return f"Nothing was compacted: {size}. Go on."
    try:
        run = session.compress(focus)
    except Cancelled:
        return "The compaction was cancelled; the conversation is unchanged."
    except FoldlineError as error:
        return f"The compaction failed: {error}"
    except Exception as error:
        # Summariser and counter are the agent's own code: the model reads the error and the agent
        # goes on.
        return (
            f"The compaction failed: {type(error).__name__}: {error}. The conversation is "
            f"unchanged."
        )
    return result_text(run, before, store.total)


def _focus(arguments: Mapping[str, Json] | str | None) -> str:
    if isinstance(arguments, str):
        try:
            if arguments.strip():
                arguments = json.loads(arguments)
            else:
                arguments = {}
        except (ValueError, RecursionError):
            raise ValueError("the arguments are not JSON") from None
    if arguments is None:
        return ""
    if not isinstance(arguments, Mapping):
        raise ValueError("the arguments are not an object")
    if unknown := [name for name in arguments if name != FOCUS]:
        raise ValueError(f"there is no parameter {unknown[0]!r}, only {FOCUS}")
    focus = arguments.get(FOCUS)
    if focus is not None and not isinstance(focus, str):
        raise ValueError(f"{FOCUS} is not a text")
    return (focus or "").strip()


EXPAND_DEFINITION: Json = {
    "name": "expand",
    "description": "Returns the tool result that a stub stands for: [Stored as r-…].",
    "parameters": {
        "type": "object",
        "properties": {
            "handle": {"type": "string", "description": "The handle in the stub."}
        },
        "required": ["handle"],
        "additionalProperties": False,
    },
}
"""The tool with which a model gets back the result that a stub stands for."""


def run_expand_tool(session: AgentSession, arguments: Mapping[str, Json]) -> str:
    """Carry out a call of ``expand`` and return the answer for the model; never raises."""
    try:
        return session.expand(str(arguments.get("handle", "")))
    except FoldlineError as error:
        return str(error)


def result_text(run: Compaction, before: int, after: int) -> str:
    """Return the answer for the model; ``before`` and ``after`` are the session's totals in
    tokens."""
    if run.no_op is not None:
        if run.no_op.code is NoOpCode.UNDER_TARGET:
            return UNDER_TARGET
        return f"Nothing was compacted: {run.no_op.reason}"
    if run.summary is not None:
        return run.summary.text
    # The last tier that changed something, or the strategy's name if it has no tiers.
    tier = max(
        (outcome.number for outcome in run.figures.tiers if outcome.messages), default=0
    )
    if tier:
        detail = f"tier {tier}"
    else:
        detail = run.metadata.strategy_used
    return "\n".join(
        (f"Compacted: {size_change(before, after)} tokens ({detail})", *run.warnings)
    )
