"""The tool with which a model has its own conversation compacted (seed 003, product.md section 3.4).

An agent offers ``DEFINITION`` to its model and answers a call of it with ``run_compact_tool(session,
arguments)``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.common.errors import Cancelled, FoldlineError
from core.common.json_value import Json
from core.engine.notices import size_change
from core.engine.session import AgentSession
from core.transcript.compaction import Compaction, NoOpCode

NAME = "compact"
FOCUS = "focus"

LEAST = 10_000
"""Tokens of conversation below which nothing is compacted, so that a model does not do it all the time."""

UNDER_TARGET = "No compaction needed"
"""The answer where the history is already where the strategy would bring it."""

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
"""The tool as a model is told of it: name, description, parameters (JSON schema)."""


def run_compact_tool(session: AgentSession, arguments: Mapping[str, Json] | str | None = None) -> str:
    """Carry out a call and return what the model is told; nothing is raised and nobody is asked.

    ``arguments`` is the object or JSON text that the model wrote. The summary where the strategy wrote
    one, else the sizes before and after and how far it went; why nothing was done where that is so.
    Listeners of the session get the same events as from any compaction (ION-45).
    """
    try:
        focus = _focus(arguments)
    except ValueError as fault:
        return f"Nothing was compacted: {fault}."
    store = session.store
    before, history = store.total, store.total - store.base
    if history < LEAST:
        return (
            f"Nothing was compacted: the conversation has {history:,} tokens, and below {LEAST:,} it is not "
            "worth it. Go on."
        )
    try:
        made = session.compress(focus)
    except Cancelled:
        return "The compaction was cancelled; the conversation is as it was."
    except FoldlineError as error:
        return f"The compaction failed: {error}"
    except Exception as error:
        # Whoever writes the summary or counts is a guest here; the model is told and the agent goes on.
        return f"The compaction failed: {type(error).__name__}: {error}. The conversation is as it was."
    return result_text(made, before, store.total)


def _focus(arguments: Mapping[str, Json] | str | None) -> str:
    """The focus of a call; ValueError with a sentence that the model can act on."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            raise ValueError("the arguments are no JSON") from None
    if arguments is None:
        return ""
    if not isinstance(arguments, Mapping):
        raise ValueError("the arguments are no object")
    if unknown := [name for name in arguments if name != FOCUS]:
        raise ValueError(f"there is no parameter {unknown[0]!r}, only {FOCUS}")
    focus = arguments.get(FOCUS)
    if focus is not None and not isinstance(focus, str):
        raise ValueError(f"{FOCUS} is no text")
    return (focus or "").strip()


def result_text(made: Compaction, before: int, after: int) -> str:
    """What the model is told of a run; totals of the session in tokens.

    Where the reference leaves its placeholder and names its tiers otherwise, this is the seed's wording.
    """
    if made.no_op is not None:
        if made.no_op.code is NoOpCode.UNDER_TARGET:
            return UNDER_TARGET
        return f"Nothing was compacted: {made.no_op.reason}"
    if made.summary is not None:
        return made.summary.text
    return "\n".join((compacted_text(before, after, _how(made)), *made.warnings))


def compacted_text(before: int, after: int, how: str) -> str:
    """The answer without a summary: "Compacted: 150k → 105k tokens (tier 2)"."""
    return f"Compacted: {size_change(before, after)} tokens ({how})"


def _how(made: Compaction) -> str:
    """The last tier that did something; of strategies without tiers the name."""
    tier = max((one.number for one in made.tiers if one.messages), default=0)
    return f"tier {tier}" if tier else made.metadata.strategy_used
