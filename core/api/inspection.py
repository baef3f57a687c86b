"""What the library says of messages: sizes, triggers, facts, what an API refuses, what a compaction
loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.api import late
from core.api.arguments import Messages, Settings, conversation_of, layers_of
from core.api.compaction import Compacted, compact
from core.common.json_value import Json
from core.transcript.model import Conversation, Message

if TYPE_CHECKING:
    from core.facts.model import Facts
    from core.lint.common_rules import LintFinding
    from core.lint.repair_content import RepairChange

# Each function loads its work when it is called, so that importing the library costs no time.


@dataclass(frozen=True, slots=True)
class Checked:
    """A compaction after 70 % of a session, judged by the rest of it. ``needed`` are the names that
    the rest used and nobody repeated, ``missing`` those that the result lacks, most used first."""

    compacted: Compacted[tuple[Message, ...]]
    needed: int
    missing: tuple[str, ...]

    @property
    def kept_share(self) -> float | None:
        """The share of what was needed that the result has; None if nothing was needed."""
        if self.needed:
            return 1 - len(self.missing) / self.needed
        return None


def check(
    messages: Messages,
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
) -> Checked:
    """Compact the first 70 % of a session (in tokens), and look for what the rest used of it in the
    result.

    Parameters and errors are those of ``compact``; summaries are offline.
    """
    conversation = conversation_of(messages)
    counter = late.counter_for(model or conversation.model)
    history = conversation.messages
    cut = late.continuation_cut(
        history, [counter.message(message) for message in history]
    )
    before = replace(
        conversation,
        messages=history[:cut],
        recorded=tuple(one for one in conversation.recorded if one.boundary <= cut),
        usage=tuple(one for one in conversation.usage if one.message_index < cut),
        reported_context=None,
    )
    compacted = compact(
        before, strategy=strategy, settings=settings, limit=limit, model=model
    )
    needs = late.find_needs(before.messages, history[cut:], before.system)
    if needs is None:
        return Checked(compacted, 0, ())
    found = late.needed_later(needs, compacted.preview.result.written_messages)
    return Checked(compacted, found.used, tuple(name.text for name in found.gone))


def facts(messages: Messages) -> Facts:
    """Return what a compaction can lose: messages, instructions, files, errors, names …"""
    return late.extract_facts(conversation_of(messages).messages)


def expand(messages: Messages, handle: str) -> str:
    """Return the tool result that a stub stands for, from the original messages."""
    return late.expand_result(
        late.stored_results(conversation_of(messages).messages), handle
    )


def lint(messages: Messages, provider: str = "") -> tuple[LintFinding, ...]:
    """Return what an API would refuse; ``provider`` is its name, by default that of the messages'
    format."""
    conversation = conversation_of(messages)
    provider = provider or late.default_provider(
        conversation.format, conversation.model
    )
    return late.lint_scope(
        conversation, late.history_of_scope(conversation, late.ALL), provider
    )


@dataclass(frozen=True, slots=True)
class Repaired:
    """The mended messages in the shape that was given, equal to those given where nothing was
    changed; the changes, by the index of the given message (-1: added); and what is left that the
    API refuses."""

    messages: tuple[Message, ...] | list[dict[str, Json]]
    changes: tuple[RepairChange, ...]
    left: tuple[LintFinding, ...]


def repair(messages: Messages, provider: str = "") -> Repaired:
    """Return the messages as an API takes them; ``provider`` is its name, by default that of the
    messages' format. Messages in order come back as they are; of a compacted conversation its
    current context. The sentences of changes number the messages as ``lint`` does: results and text
    of one message are two."""
    if isinstance(messages, Conversation):
        target = late.repair_target(messages, provider)
        plan = late.plan_repair(
            messages, late.history_of_scope(messages, late.ALL), target, provider
        )
        return Repaired(plan.repair.compaction.messages, plan.changes, plan.left)
    dicts = late.read_dicts(messages)
    conversation = dicts.conversation
    plan = late.plan_repair(
        conversation,
        late.history_of_scope(conversation, late.ALL),
        conversation.format,
        provider,
    )
    numbers = {
        index: at
        for at, indices in enumerate(dicts.message_indices())
        for index in indices
    }
    changes = tuple(
        replace(change, index=numbers.get(change.index, -1)) for change in plan.changes
    )
    return Repaired(
        dicts.written(plan.content) if changes else dicts.dicts, changes, plan.left
    )


def size(
    messages: Messages,
    *,
    model: str = "",
    system: str = "",
    tools: Sequence[object] = (),
    reported: int | None = None,
) -> int:
    """Return the tokens of the next request, calibrated by the sizes that a transcript reports.

    ``system`` and ``tools`` are the system prompt and the definitions of tools that are sent beside
    the messages. ``reported`` are the input tokens, cached or not, that the provider reported for
    the last request: the one that the last answer among the messages belongs to, or all of them if
    there is none.
    """
    conversation = late.with_request(conversation_of(messages), system, tools, reported)
    name = model or conversation.model
    counter = late.counter_for(name)
    return late.next_request_tokens(
        conversation,
        counter,
        late.request_sizing(conversation, counter, late.ALL, name),
    )


def trigger_size(
    *, strategy: str, settings: Settings | None = None, limit: int | None = None
) -> int | None:
    """Return the size in tokens at which a strategy runs by itself; None if no size triggers it.
    Raises InputError for a limit in which it cannot work."""
    values = layers_of(settings, strategy, limit).resolve()
    found = late.find_strategy(strategy)
    if values.limit is not None:
        late.require_trigger(found, values, values.limit)
    return late.trigger_tokens(found, values, values.limit)


def is_due(
    messages: Messages,
    *,
    strategy: str,
    settings: Settings | None = None,
    limit: int | None = None,
    model: str | None = None,
    system: str = "",
    tools: Sequence[object] = (),
    reported: int | None = None,
) -> bool:
    """Return whether the next request reaches the trigger of a strategy. Raises InputError where
    that needs a window and none is known, or where the strategy cannot work in the window.

    For ``system``, ``tools`` and ``reported`` see ``size``.
    """
    conversation = conversation_of(messages)
    values = layers_of(settings, strategy, limit).resolve()
    name = model or conversation.model
    model_limit = late.find_model_limit(conversation, name, values.limit).tokens
    found = late.find_strategy(strategy)
    late.require_trigger(found, values, model_limit)
    tokens = size(
        conversation, model=name, system=system, tools=tools, reported=reported
    )
    return late.is_trigger_reached(
        found, values, tokens, len(conversation.messages), model_limit
    )
