"""The summariser that calls a model, and factories for model clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from core.llm.client import CallObserver, IsCancelled, LLMClient, LLMToolModel
from core.llm.litellm_adapter import RequestOptions, load_litellm
from core.llm.protocol import (
    SummaryRequest,
    SummaryResponse,
    ToolModel,
    block_text,
    flatten_request,
    human_text,
    rendered_response,
)
from core.settings.profile import Profile
from core.summarize import offline_summariser
from core.summarize.offline_summariser import OfflineSummariser
from core.summarize.summariser_choice import SummariserFactory
from core.transcript.model import Message, Speaker, Text, ToolResponse

_SMALL = 400  # characters; replacing a shorter result saves nothing
_RESULT_SHARES = (
    0.5,
    1.0,
)  # shares of the characters of large tool results to remove, largest first
_OLDEST_SHARES = (0.5, 0.75, 0.875)
"""Shares of the characters of all messages to replace by a digest, oldest first."""
_DIGEST_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class LighterRequest:
    """A lighter request and a sentence on what was removed."""

    request: SummaryRequest
    text: str


def lighter_requests(
    request: SummaryRequest, count: Callable[[str], int]
) -> Iterator[LighterRequest]:
    """Yield at most five lighter requests, each computed on demand from the original one."""
    lighter = request
    removed_before = 0
    for share in _RESULT_SHARES:
        lighter, removed = _without_results(request, share)
        if removed > removed_before:
            removed_before = removed
            noun = "result stands" if removed == 1 else "results stand"
            yield LighterRequest(
                lighter,
                f"the request did not fit: the {removed:,} largest tool {noun} as placeholders",
            )
    digested_before = 0
    for share in _OLDEST_SHARES:
        cut = _messages_for_share(lighter.messages, share)
        if digested_before < cut < len(lighter.messages):
            digested_before = cut
            noun = "message stands" if cut == 1 else "messages stand"
            text = f"the request did not fit: the {cut:,} oldest {noun} as an offline digest"
            yield LighterRequest(_digested(request, lighter, cut, count), text)


def _size(message: Message) -> int:
    return sum(len(block_text(block, "")) for block in message.blocks)


def _without_results(
    request: SummaryRequest, share: float
) -> tuple[SummaryRequest, int]:
    """Return the request without its largest tool results, and their number."""
    sizes = {
        (index, number): len(rendered_response(block))
        for index, message in enumerate(request.messages)
        for number, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse)
    }
    large_results = sorted(
        (index for index in sizes if sizes[index] > _SMALL),
        key=lambda index: (-sizes[index], index),
    )
    goal = share * sum(sizes[index] for index in large_results)
    sums = list(accumulate((sizes[index] for index in large_results), initial=0))
    removed = {
        index
        for index, before in zip(large_results, sums, strict=False)
        if before < goal
    }
    messages = list(request.messages)
    for index in {index for index, _ in removed}:
        messages[index] = _placeholders(
            messages[index],
            {number for message_index, number in removed if message_index == index},
        )
    return replace(request, messages=tuple(messages)), len(removed)


def _placeholders(message: Message, numbers: set[int]) -> Message:
    blocks = list(message.blocks)
    for number in numbers:
        block = blocks[number]
        assert isinstance(block, ToolResponse)
        size = len(rendered_response(block))
        blocks[number] = replace(
            block, result=f"[{size:,} characters left out: too long for this request]"
        )
    return replace(message, blocks=tuple(blocks))


def _messages_for_share(messages: Sequence[Message], share: float) -> int:
    """Return how many of the oldest messages hold this share of all characters."""
    sizes = [_size(message) for message in messages]
    goal = share * sum(sizes)
    return next(
        (count for count, total in enumerate(accumulate(sizes), 1) if total >= goal), 0
    )


def _digested(
    original: SummaryRequest,
    lighter: SummaryRequest,
    cut: int,
    count: Callable[[str], int],
) -> SummaryRequest:
    """Replace the first messages of the lighter request by a digest of the original ones."""
    digest_request = SummaryRequest(
        prompt="",
        messages=original.messages[:cut],
        indices=original.indices[:cut],
        trigger="",
        max_tokens=_DIGEST_TOKENS,
    )
    digest = OfflineSummariser(count).summarise(digest_request).text
    note = f"[A digest of {cut:,} earlier messages that do not fit into this request.]\n{digest}"
    head = Message(speaker=Speaker.HUMAN, blocks=(Text(note),))
    return replace(
        lighter,
        messages=(head, *lighter.messages[cut:]),
        indices=(-1, *lighter.indices[cut:]),
    )


class LLMSummariser:
    """Writes summaries with the model of a profile; see ``LLMClient``."""

    def __init__(self, client: LLMClient) -> None:
        self._client = client
        self.profile, self.model = client.profile.name, client.profile.model

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Call the model; retry temporary failures, and send lighter requests where it does not
        fit. Raises CompactionFailed with profile, model, cause, tries and seconds, and
        Cancelled."""
        if self._client.profile.provider == offline_summariser.PROVIDER:
            offline_summariser.register_provider(load_litellm())
        lighter = (
            (flatten_request(reduced.request), reduced.text)
            for reduced in lighter_requests(request, self._client.counter.text)
        )
        options = RequestOptions(request.temperature, request.max_output_tokens)
        result = self._client.call(flatten_request(request), options, lighter)
        usage = result.response.usage
        return SummaryResponse(
            text=result.response.text,
            finish_reason=result.response.finish_reason,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            retries=result.retries,
            steps=result.steps,
            warnings=tuple(
                f"{self.profile} ({self.model}): {text}." for text in result.reductions
            ),
            cost=result.cost,
            seconds=result.seconds,
            reductions=result.reductions,
        )


_PROBE_TOKENS = 64  # tokens of a probe's answer: below one cent with every model


def probe_model(profile: Profile, key: str, cancelled: IsCancelled) -> SummaryResponse:
    """Check the model of a profile with one small request. Raises as ``summarise`` does."""
    request = SummaryRequest(
        prompt="Answer with one word.",
        messages=(human_text("Are you there?"),),
        indices=(0,),
        trigger="Answer now.",
        max_tokens=16,
        max_output_tokens=_PROBE_TOKENS,
    )
    client = LLMClient(
        profile, key, retries=0, observer=lambda event: None, cancelled=cancelled
    )
    return LLMSummariser(client).summarise(request)


ToolModelFactory = Callable[[str | None], ToolModel]
"""Returns the tool-calling model of a profile; None means the active one."""


def model_factories(
    profile: Profile,
    key: str,
    retries: int,
    observer: CallObserver,
    cancelled: IsCancelled,
) -> tuple[SummariserFactory, ToolModelFactory]:

    make_client = partial(
        LLMClient, profile, key, retries=retries, observer=observer, cancelled=cancelled
    )
    return lambda name: LLMSummariser(make_client()), lambda name: LLMToolModel(
        make_client()
    )
