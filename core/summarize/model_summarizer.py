"""The summariser that calls a model, and factories for model clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.llm.chat_messages import flatten_request, human_text
from core.llm.client import FIRST_WAIT, CallObserver, IsCancelled, LLMClient
from core.llm.litellm_adapter import RequestOptions, load_litellm
from core.llm.protocol import ModelEvent, Summariser, SummaryRequest, SummaryResponse, ToolModel
from core.llm.refusal import is_refusal
from core.llm.tool_client import LLMToolModel
from core.settings.profile import Profile
from core.summarize import offline_provider
from core.summarize.context_overflow import lighter_requests
from core.summarize.summarizer_choice import SummariserFactory

if TYPE_CHECKING:
    from core.settings.profile import Profile


class LLMSummariser:
    """Writes summaries with the model of a profile (product.md section 3.3); see ``LLMClient``."""

    def __init__(
        self,
        profile: Profile,
        key: str,
        *,
        retries: int,
        observer: CallObserver,
        cancelled: IsCancelled,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._client = LLMClient(
            profile, key, retries=retries, observer=observer, cancelled=cancelled, first_wait=first_wait
        )

    @property
    def profile(self) -> str:
        return self._client.profile.name

    @property
    def model(self) -> str:
        return self._client.profile.model

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Call the model; retry temporary failures, and send lighter requests where it does not fit. Raises
        CompactionFailed with profile, model, cause, tries and seconds, and Cancelled."""
        if self._client.profile.provider == offline_provider.PROVIDER:
            offline_provider.register_provider(load_litellm())
        lighter = (
            (flatten_request(reduced.request), reduced.text)
            for reduced in lighter_requests(request, self._client.counter.text)
        )
        options = RequestOptions(request.temperature, request.max_output_tokens)
        result = self._client.call(flatten_request(request), options, lighter)
        usage = result.response.usage
        return SummaryResponse(
            result.response.text,
            "refusal" if is_refusal(result.response.text) else result.response.finish_reason,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            retries=result.retries,
            steps=result.steps,
            warnings=tuple(f"{self.profile} ({self.model}): {text}." for text in result.reductions),
            cost=result.cost,
            seconds=result.seconds,
            reductions=result.reductions,
        )


_PROBE_TOKENS = 64  # tokens of a probe's answer: below one cent with every model


def probe_model(profile: Profile, key: str, cancelled: IsCancelled) -> SummaryResponse:
    """Check the model of a profile with one small request. Raises as ``summarise`` does."""
    request = SummaryRequest(
        "Answer with one word.",
        (human_text("Are you there?"),),
        (0,),
        "Answer now.",
        16,
        max_output_tokens=_PROBE_TOKENS,
    )
    summariser = LLMSummariser(profile, key, retries=0, observer=_ignore, cancelled=cancelled)
    return summariser.summarise(request)


def _ignore(event: ModelEvent) -> None:
    """Ignore an event."""


ToolModelFactory = Callable[[str | None], ToolModel]
"""Returns the tool-calling model of a profile; None means the active one."""


def model_factories(
    profile: Profile, key: str, retries: int, observer: CallObserver, cancelled: IsCancelled
) -> tuple[SummariserFactory, ToolModelFactory]:
    """Return the factories of the summariser and the tool-calling model of a profile."""

    def summariser(name: str | None) -> Summariser:
        return LLMSummariser(profile, key, retries=retries, observer=observer, cancelled=cancelled)

    def tool_model(name: str | None) -> ToolModel:
        return LLMToolModel(profile, key, retries=retries, observer=observer, cancelled=cancelled)

    return summariser, tool_model
