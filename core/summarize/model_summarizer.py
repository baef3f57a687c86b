"""The summariser that asks a real model; how a call is seen through is in ``model_factories``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.llm.call_events import ModelEvent
from core.llm.chat_messages import flatten_request, human_text
from core.llm.client import FIRST_WAIT, CallObserver, IsCancelled, LLMClient
from core.llm.litellm_adapter import RequestOptions, load_litellm
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse, ToolModel
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
        watch: CallObserver,
        cancelled: IsCancelled,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._caller = LLMClient(
            profile, key, retries=retries, watch=watch, cancelled=cancelled, first_wait=first_wait
        )

    @property
    def profile(self) -> str:
        """Name of the profile that makes the call."""
        return self._caller.profile.name

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._caller.profile.model

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Ask the model, again where the failure may pass, with less where it does not fit.

        Raises CompactionFailed with profile, model, cause, tries and seconds, and Cancelled.
        """
        if self._caller.profile.provider == offline_provider.PROVIDER:
            offline_provider.register_provider(load_litellm())
        lighter = (
            (flatten_request(one.request), one.text)
            for one in lighter_requests(request, self._caller.counter.text)
        )
        wanted = RequestOptions(request.temperature, request.most_output)
        done = self._caller.call(flatten_request(request), wanted, lighter)
        usage = done.whole.usage
        return SummaryResponse(
            done.whole.text,
            "refusal" if is_refusal(done.whole.text) else done.whole.finish,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            retries=done.retries,
            steps=done.steps,
            warnings=tuple(f"{self.profile} ({self.model}): {text}." for text in done.ladder),
            cost=done.cost,
            seconds=done.seconds,
            ladder=done.ladder,
        )


_PROBE_TOKENS = 64
"""Tokens of the answer to a probe: below a cent with every model."""


def probe_model(profile: Profile, key: str, cancelled: IsCancelled) -> SummaryResponse:
    """Ask the model of a profile something small, once: is it there? Raises as ``summarise`` does."""
    question = human_text("Are you there?")
    asked = SummaryRequest(
        "Answer with one word.", (question,), (0,), "Answer now.", 16, most_output=_PROBE_TOKENS
    )
    summariser = LLMSummariser(profile, key, retries=0, watch=_unwatched, cancelled=cancelled)
    return summariser.summarise(asked)


def _unwatched(event: ModelEvent) -> None:
    """The watcher of those who only want the answer."""


ToolModelFactory = Callable[[str | None], ToolModel]
"""Gives the model with tools of a profile; None means the active one."""


def model_factories(
    profile: Profile, key: str, retries: int, watch: CallObserver, cancelled: IsCancelled
) -> tuple[SummariserFactory, ToolModelFactory]:
    """Gives the summariser and the model with tools that call the profile's model with a key."""

    def choose(name: str | None) -> Summariser:
        return LLMSummariser(profile, key, retries=retries, watch=watch, cancelled=cancelled)

    def agent(name: str | None) -> ToolModel:
        return LLMToolModel(profile, key, retries=retries, watch=watch, cancelled=cancelled)

    return choose, agent
