"""For APIs with turns: neighbours of one role are one turn, results belong right behind their calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.lint.common_rules import first_calls, orphan_finding, second_result, unanswered_findings
from core.lint.findings import LintFinding
from core.transcript.model import Block, Message, Speaker, tool_calls, tool_responses


@dataclass(slots=True)
class ProviderTurn:
    """Neighbouring messages of the model, or of everybody else: what the API sees as one."""

    by_model: bool
    indices: list[int] = field(default_factory=list)


def provider_turns(messages: Sequence[Message], is_written: Callable[[Block], bool]) -> list[ProviderTurn]:
    """The turns of a history; messages of which the exporter writes nothing are in none."""
    found: list[ProviderTurn] = []
    for index, message in enumerate(messages):
        if not any(map(is_written, message.blocks)):
            continue
        by_model = message.speaker is Speaker.AI
        if not found or found[-1].by_model != by_model:
            found.append(ProviderTurn(by_model))
        found[-1].indices.append(index)
    return found


def check_pairs(
    messages: Sequence[Message], found: Sequence[ProviderTurn], provider: str
) -> Iterator[LintFinding]:
    """Each result answers a call of the turn right before it, and each call is answered there."""
    calls = first_calls(messages)
    pending: dict[str, int] = {}
    for turn in found:
        if turn.by_model:
            pending = {call.id: i for i in turn.indices for call in tool_calls(messages[i]) if call.id}
            continue
        answered: set[str] = set()
        for index in turn.indices:
            for response in tool_responses(messages[index]):
                id_ = response.call_id
                if id_ in answered:
                    yield second_result(provider, index, id_)
                elif id_ not in pending and id_:
                    yield orphan_finding(provider, index, id_, calls)
                answered.add(id_)
        left = {id_: index for id_, index in pending.items() if id_ not in answered}
        yield from unanswered_findings(provider, left, last=_only_tools(messages, turn) and turn is found[-1])
        pending = {}
    yield from unanswered_findings(provider, pending, last=True)


def _only_tools(messages: Sequence[Message], turn: ProviderTurn) -> bool:
    return all(messages[index].speaker is Speaker.TOOL for index in turn.indices)
