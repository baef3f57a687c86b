"""Rules of APIs with turns: neighbours of one role form one turn, results directly follow their calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.lint.common_rules import duplicate_result_finding, first_calls, orphan_finding, unanswered_findings
from core.lint.findings import LintFinding
from core.transcript.model import Block, Message, Speaker, tool_calls, tool_responses


@dataclass(slots=True)
class ProviderTurn:
    """Neighbouring messages of the model, or of all others, which the API treats as one."""

    by_model: bool
    indices: list[int] = field(default_factory=list)


def provider_turns(messages: Sequence[Message], is_written: Callable[[Block], bool]) -> list[ProviderTurn]:
    """Return the turns of a history, without messages that the exporter leaves out."""
    turns: list[ProviderTurn] = []
    for index, message in enumerate(messages):
        if not any(map(is_written, message.blocks)):
            continue
        by_model = message.speaker is Speaker.AI
        if not turns or turns[-1].by_model != by_model:
            turns.append(ProviderTurn(by_model))
        turns[-1].indices.append(index)
    return turns


def check_pairs(
    messages: Sequence[Message], turns: Sequence[ProviderTurn], provider: str
) -> Iterator[LintFinding]:
    """Check that each result answers a call of the turn right before it, and that each call has one."""
    calls = first_calls(messages)
    pending: dict[str, int] = {}
    for turn in turns:
        if turn.by_model:
            pending = {call.id: i for i in turn.indices for call in tool_calls(messages[i]) if call.id}
            continue
        answered: set[str] = set()
        for index in turn.indices:
            for response in tool_responses(messages[index]):
                id_ = response.call_id
                if id_ in answered:
                    yield duplicate_result_finding(provider, index, id_)
                elif id_ not in pending and id_:
                    yield orphan_finding(provider, index, id_, calls)
                answered.add(id_)
        unanswered = {id_: index for id_, index in pending.items() if id_ not in answered}
        yield from unanswered_findings(
            provider, unanswered, last=_has_only_tool_messages(messages, turn) and turn is turns[-1]
        )
        pending = {}
    yield from unanswered_findings(provider, pending, last=True)


def _has_only_tool_messages(messages: Sequence[Message], turn: ProviderTurn) -> bool:
    return all(messages[index].speaker is Speaker.TOOL for index in turn.indices)
