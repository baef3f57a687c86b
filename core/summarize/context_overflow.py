"""The context-overflow ladder: lighter and lighter versions of a request that did not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.llm.chat_messages import answer_text, block_text
from core.llm.protocol import SummaryRequest
from core.summarize.offline_summarizer import OfflineSummariser
from core.transcript.model import Message, Speaker, Text, ToolResponse

_SMALL = 400  # characters; a placeholder for less would save nothing
_RESULT_SHARES = (0.5, 1.0)
"""Share of the characters of large tool results that a rung takes out, largest first."""
_OLDEST_SHARES = (0.5, 0.75, 0.875)
"""Share of the characters of all messages, oldest first, that a rung turns into a digest."""
_DIGEST_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class LighterRequest:
    """A lighter request and what was taken out of it, in one sentence."""

    request: SummaryRequest
    text: str


def lighter_requests(request: SummaryRequest, count: Callable[[str], int]) -> Iterator[LighterRequest]:
    """At most five lighter requests, each made from the whole one when it is asked for.

    First the largest tool results become placeholders, then the oldest messages become one digest
    by the offline summariser, so that what they hold is not lost. ``count`` gives a text's tokens.
    """
    light = request
    done = 0
    for share in _RESULT_SHARES:
        light, taken = _without_results(request, share)
        if taken > done:
            done = taken
            noun = "result stands" if taken == 1 else "results stand"
            yield LighterRequest(
                light, f"the request did not fit: the {taken:,} largest tool {noun} as placeholders"
            )
    digested = 0
    for share in _OLDEST_SHARES:
        place = _place(light.messages, share)
        if digested < place < len(light.messages):
            digested = place
            noun = "message stands" if place == 1 else "messages stand"
            text = f"the request did not fit: the {place:,} oldest {noun} as an offline digest"
            yield LighterRequest(_digested(request, light, place, count), text)


def _size(message: Message) -> int:
    return sum(len(block_text(block, "")) for block in message.blocks)


def _without_results(request: SummaryRequest, share: float) -> tuple[SummaryRequest, int]:
    """The request without its largest tool results, and how many of them that are."""
    sizes = {
        (place, number): len(answer_text(block))
        for place, message in enumerate(request.messages)
        for number, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse)
    }
    large = sorted((spot for spot in sizes if sizes[spot] > _SMALL), key=lambda spot: (-sizes[spot], spot))
    goal = share * sum(sizes[spot] for spot in large)
    so_far = list(accumulate((sizes[spot] for spot in large), initial=0))
    out = {spot for spot, before in zip(large, so_far, strict=False) if before < goal}
    messages = list(request.messages)
    for place in {place for place, _ in out}:
        messages[place] = _placeholders(messages[place], {number for at, number in out if at == place})
    return replace(request, messages=tuple(messages)), len(out)


def _placeholders(message: Message, numbers: set[int]) -> Message:
    blocks = list(message.blocks)
    for number in numbers:
        block = blocks[number]
        assert isinstance(block, ToolResponse)
        size = len(answer_text(block))
        blocks[number] = replace(block, result=f"[{size:,} characters left out: too long for this request]")
    return replace(message, blocks=tuple(blocks))


def _place(messages: Sequence[Message], share: float) -> int:
    """How many of the oldest messages hold this share of all characters."""
    sizes = [_size(message) for message in messages]
    goal = share * sum(sizes)
    return next((place for place, total in enumerate(accumulate(sizes), 1) if total >= goal), 0)


def _digested(
    whole: SummaryRequest, light: SummaryRequest, place: int, count: Callable[[str], int]
) -> SummaryRequest:
    """The light request with its first messages as a digest of the whole ones."""
    asked = SummaryRequest("", whole.messages[:place], whole.indices[:place], "", _DIGEST_TOKENS)
    digest = OfflineSummariser(count).summarise(asked).text
    note = f"[A digest of {place:,} earlier messages that do not fit into this request.]\n{digest}"
    head = Message(Speaker.HUMAN, (Text(note),))
    return replace(light, messages=(head, *light.messages[place:]), indices=(-1, *light.indices[place:]))
