"""Which model writes the summary of a strategy that chooses one (seed 003, product.md section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.llm.catalog import cheapest_chat, find_model
from core.llm.pricing import runs_locally
from core.settings.keys import COMPACTION_MODEL, LIMIT, PROFILE
from core.settings.values import Values
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
"""The cheap model of each provider by the name that litellm has for the provider; newest first."""

OPENROUTER = "openrouter"
CHEAPEST_ROUTE = ":floor"
"""The ending with which OpenRouter takes the cheapest of the routes to a model."""

_OWN_NAMES = frozenset(
    {
        "azure",
        "azure_ai",
        "bedrock",
        "bedrock_converse",
        "custom_openai",
        "litellm_proxy",
        "openai_like",
        "sagemaker",
        "sagemaker_chat",
    }
)
"""Providers where a person has the models that they set up, under names or in regions of their own."""

_LEAST_WINDOW = 8000
"""Tokens that a model must hold where neither limit nor session model say more (ion section 1.7)."""


@dataclass(frozen=True, slots=True)
class SummaryModelChoice:
    """The profile that writes the summary, with its model, and why that model; "" where nothing is chosen."""

    profile: Profile
    why: str = ""


def choose_summary_model(profile: Profile, values: Values, strategy: Strategy) -> SummaryModelChoice:
    """The profile with the model that the strategy asks: its own, for all but those that choose one.

    Configured, else that of ``compression.profile``, else the provider's of the table, else the
    provider's cheapest chat model whose window fits, else the profile's own.
    """
    if profile.is_offline or COMPACTION_MODEL not in strategy.options:
        return SummaryModelChoice(profile)
    if named := str(values.get(COMPACTION_MODEL) or "").strip():
        return SummaryModelChoice(replace(profile, model=named), f"set by {COMPACTION_MODEL}")
    if values.get(PROFILE) is not None:
        return SummaryModelChoice(profile, f"the model of the profile that {PROFILE} names")
    found = _default(profile, values)
    if found is None:
        return SummaryModelChoice(profile, "the profile's own; no cheaper one is known for it")
    return SummaryModelChoice(replace(profile, model=found[0]), found[1])


def _default(profile: Profile, values: Values) -> tuple[str, str] | None:
    """A model of the profile's provider and why; None where the names are not the provider's to give."""
    provider = profile.provider
    if runs_locally(provider) or profile.base_url or provider in _OWN_NAMES:
        return None
    if provider == OPENROUTER:
        return profile.model.partition(":")[0] + CHEAPEST_ROUTE, "the cheapest route of OpenRouter"
    if names := DEFAULTS.get(provider):
        known = next((name for name in names if find_model(f"{provider}/{name}") is not None), names[-1])
        return known, f"the cheap model that {provider} is known for"
    cheapest = cheapest_chat(provider, _needed(profile, values))
    return (
        None if cheapest is None else (cheapest, f"the cheapest chat model of {provider} whose window fits")
    )


def _needed(profile: Profile, values: Values) -> int:
    """Tokens that the model has to hold: the session's window."""
    limit = values.get(LIMIT)
    if limit is not None:
        return int(limit)
    info = find_model(f"{profile.provider}/{profile.model}")
    return (info.max_input_tokens if info is not None else None) or _LEAST_WINDOW
