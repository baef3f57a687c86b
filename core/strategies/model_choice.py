"""Chooses the model that writes a strategy's summary (ION-27)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.llm.catalog import cheapest_chat, find_model
from core.llm.pricing import runs_locally
from core.settings.schema import COMPACTION_MODEL, LIMIT, PROFILE, Values
from core.strategies.base import Strategy

if TYPE_CHECKING:
    from core.settings.profile import Profile

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("claude-haiku-5-5", "claude-haiku-4-5"),
    "openai": ("gpt-4o-mini",),
    "gemini": ("gemini-2.5-flash",),
    "vertex_ai": ("gemini-2.5-flash",),
    "groq": ("llama-3.3-70b-versatile",),
}
"""Cheap models by litellm's name of the provider; newest first."""

OPENROUTER = "openrouter"
CHEAPEST_ROUTE = (
    ":floor"  # suffix that makes OpenRouter take the cheapest route to a model
)
_USER_NAMED_PROVIDERS = """
azure azure_ai bedrock bedrock_converse custom_openai litellm_proxy openai_like sagemaker sagemaker_chat
"""
_USER_NAMED = frozenset(_USER_NAMED_PROVIDERS.split())
"""Providers whose models users set up themselves, under names or in regions of their own."""

_MIN_LIMIT = 8000
"""Window in tokens required of a model where neither limit nor session model say more, as in
ion."""


@dataclass(frozen=True, slots=True)
class SummaryModelChoice:
    """The profile with the summary model, and the reason for that model; "" where nothing was
    chosen."""

    profile: Profile
    reason: str = ""


def choose_summary_model(
    profile: Profile, values: Values, strategy: Strategy
) -> SummaryModelChoice:
    """Return the profile with the summary model; unchanged for strategies that do not choose one.
    In order: the configured model, that of ``compression.profile``, the provider's in DEFAULTS, the
    provider's cheapest chat model whose window fits, the profile's own."""
    if profile.is_offline or profile.fault or COMPACTION_MODEL not in strategy.options:
        return SummaryModelChoice(profile)
    if model := str(values.get(COMPACTION_MODEL) or "").strip():
        return SummaryModelChoice(
            replace(profile, model=model), f"set by {COMPACTION_MODEL}"
        )
    if values.get(PROFILE) is not None:
        return SummaryModelChoice(
            profile, f"the model of the profile that {PROFILE} names"
        )
    default = _provider_default(profile, values)
    if default is None:
        return SummaryModelChoice(
            profile, "the profile's own; no cheaper one is known for it"
        )
    return SummaryModelChoice(replace(profile, model=default[0]), default[1])


def _first_known(provider: str, models: Sequence[str]) -> str:
    """Return the first model that the price table knows, else the last."""
    known = (name for name in models if find_model(f"{provider}/{name}") is not None)
    return next(known, models[-1])


def _provider_default(profile: Profile, values: Values) -> tuple[str, str] | None:
    """Return a model of the provider and the reason; None where users name the models."""
    provider = profile.provider
    if runs_locally(provider) or profile.base_url or provider in _USER_NAMED:
        return None
    if provider == OPENROUTER:
        return profile.model.partition(":")[
            0
        ] + CHEAPEST_ROUTE, "the cheapest route of OpenRouter"
    if models := DEFAULTS.get(provider):
        model = _first_known(provider, models)
        return model, f"the cheap model that {provider} is known for"
    needed_limit = values.get(LIMIT)
    if (
        needed_limit is None
        and (info := find_model(f"{provider}/{profile.model}")) is not None
    ):
        needed_limit = info.max_input_tokens
    cheapest = cheapest_chat(provider, int(needed_limit or _MIN_LIMIT))
    reason = f"the cheapest chat model of {provider} whose window fits"
    if cheapest is None:
        return None
    return (cheapest, reason)
