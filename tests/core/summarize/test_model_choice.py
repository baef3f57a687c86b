"""The choice of tiered's summary model, with the reason (ION)."""

import pytest

from core.llm.catalog import find_model
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import COMPACTION_MODEL, LIMIT, PROFILE
from core.settings_store.layers import SettingLayers
from core.strategies import middle_out, tiered
from core.strategies.model_choice import choose_summary_model

MISTRAL = Profile(name="work", provider="mistral", model="mistral-large-latest")


def chosen(profile: Profile, **settings: object) -> tuple[str, str]:
    given = {key: value for key, value in settings.items() if value is not None}
    layers = SettingLayers(given)  # type: ignore[arg-type]
    result = choose_summary_model(profile, layers.resolve(), tiered.STRATEGY)
    assert result.profile.name == profile.name
    return result.profile.model, result.reason


@pytest.mark.req("ION-27", "ION-28")
def test_the_configured_model_comes_first() -> None:
    profile = Profile(name="work", provider="anthropic", model="claude-opus-5-5")
    both = {COMPACTION_MODEL: "claude-sonnet-5-5", PROFILE: "work"}
    assert chosen(profile, **both) == (
        "claude-sonnet-5-5",
        f"set by {COMPACTION_MODEL}",
    )


@pytest.mark.req("ION-27")
def test_then_the_model_of_the_profile_for_summaries() -> None:
    profile = Profile(name="cheap", provider="anthropic", model="claude-sonnet-5-5")
    assert chosen(profile, **{PROFILE: "cheap"}) == (
        "claude-sonnet-5-5",
        f"the model of the profile that {PROFILE} names",
    )


@pytest.mark.req("ION-29", "ION-32", "ION-33", "ION-34", "ION-35")
@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ("anthropic", "haiku"),
        ("openai", "gpt-4o-mini"),
        ("gemini", "gemini-2.5-flash"),
        ("vertex_ai", "gemini-2.5-flash"),
        ("groq", "llama-3.3-70b"),
    ],
)
def test_then_the_model_that_the_table_has_for_the_provider(
    provider: str, words: str
) -> None:
    model, why = chosen(
        Profile(name="work", provider=provider, model="something-large")
    )
    assert words in model
    assert provider in why


@pytest.mark.req("ION-36")
@pytest.mark.parametrize(
    "model", ["anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5:nitro"]
)
def test_openrouter_takes_its_cheapest_route(model: str) -> None:
    result, why = chosen(Profile(name="work", provider="openrouter", model=model))
    assert result == "anthropic/claude-opus-5-5:floor"
    assert "cheapest route" in why


@pytest.mark.req("ION-31", "ION-37")
@pytest.mark.parametrize(
    "profile",
    [
        Profile(name="own", provider="ollama", model="qwen"),
        Profile(
            name="own",
            provider="openai",
            model="qwen",
            base_url="http://127.0.0.1:8000/v1",
        ),
        Profile(
            name="own",
            provider="openai",
            model="qwen",
            base_url="https://models.example.com/v1",
        ),
        Profile(name="own", provider="azure", model="our-deployment"),
        Profile(name="own", provider="nobody-knows-it", model="m"),
    ],
)
def test_where_no_cheap_model_is_known_the_sessions_own_writes(
    profile: Profile,
) -> None:
    model, why = chosen(profile)
    assert model == profile.model
    assert "own" in why


@pytest.mark.req("ION-30")
def test_a_provider_without_a_row_gives_its_cheapest_chat_model_that_holds_enough() -> (
    None
):
    small, why = chosen(MISTRAL, **{LIMIT: 8000})
    assert "cheapest" in why
    large, _ = chosen(MISTRAL, **{LIMIT: 200_000})
    infos = [find_model(f"mistral/{name}") for name in (small, large, MISTRAL.model)]
    assert all(info is not None for info in infos)
    prices = [info.input_price + info.output_price for info in infos if info]  # type: ignore[operator]
    assert prices == sorted(prices)
    assert infos[1] is not None
    assert (infos[1].max_input_tokens or 0) >= 200_000


def test_offline_stays_offline_and_other_strategies_choose_nothing() -> None:
    values = SettingLayers({COMPACTION_MODEL: "gpt-4o-mini"}).resolve()
    assert choose_summary_model(BUILT_IN, values, tiered.STRATEGY).profile is BUILT_IN
    assert choose_summary_model(MISTRAL, values, middle_out.STRATEGY).profile is MISTRAL
