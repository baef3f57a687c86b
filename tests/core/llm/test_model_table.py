"""The model table: validation, storage, names, its newest models; prices, and which calls are
confirmed."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.analysis.costs import compaction_cost, pricing_model
from core.analysis.model import UnpaidRequests
from core.cli import models
from core.formats.anthropic_blocks import writes_hour_cache
from core.llm.catalog import (
    choose_model,
    find_model,
    find_model_limit,
    update_table,
    user_table_path,
)
from core.llm.pricing import call_cost, maximum_price, needs_consent
from core.llm.protocol import TokenUsage
from core.preview.preview import compute_preview
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import CACHE_LIFETIME, LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers
from core.transcript.model import RecordedCompaction, ReportedUsage
from tests.core.cli.running_cli import CHAT, Cli
from tests.core.llm.model_asking import MILLIONTH, TIERED, forget_table, write_table
from tests.support.builders import conversation, human, talk


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    forget_table()
    yield
    forget_table()


def test_without_a_table_no_model_is_called_unlisted(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "table_file", lambda: None)
    said = cli.error_text("list", "models", "gpt-4o")
    assert "There is no model table. Install one: pip install" in said


def test_a_newer_table_is_kept_and_used(cli: Cli, tmp_path: Path) -> None:
    given = write_table(tmp_path / "prices.json", {"claude-quartz-9": dict(TIERED)})
    assert cli.run("models", "update", str(given)) == 0
    assert "1 models are kept" in cli.out
    forget_table()
    given.unlink()
    stamp = datetime.now(UTC).replace(month=1, day=2).timestamp()
    os.utime(
        user_table_path(), (stamp, stamp)
    )  # older than the file of any installation of today
    result = cli.json("models")
    assert result["table"]["given"] is True
    assert result["table"]["path"] == str(user_table_path())
    assert [one["name"] for one in result["newest"]] == ["claude-quartz-9"]
    assert [one["above"] for one in result["newest"][0]["prices"]] == [0, 200_000]
    assert (
        cli.json("inspect", CHAT, "--model", "claude-quartz-9")["limit"]["tokens"]
        == 1_000_000
    )
    assert cli.run("models") == 0
    assert (
        f"{user_table_path()}, given with foldline models update, of {datetime.now(UTC):%Y}"
        in cli.out
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ('{"m": {}\n,}', "in line 2"),
        ("[1, 2]", "is not a table of models"),
        ("{}", "is not a table of models"),
        ("[" * 100_000, "is not JSON"),
        ('{"m": 5}', "the row of 'm' is not an object"),
        ('{"m": {"mode": "chat"}}', "has no model with a price"),
        (
            '{"m": {"input_cost_per_token": "free"}}',
            "input_cost_per_token that is not a price",
        ),
        (
            '{"m": {"input_cost_per_token": -1}}',
            "input_cost_per_token that is not a price",
        ),
        (
            '{"m": {"output_cost_per_token_above_9k_tokens": NaN}}',
            "above_9k_tokens that is not a price",
        ),
    ],
)
def test_what_is_no_table_is_refused_and_nothing_is_kept(
    cli: Cli, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    said = cli.error_text("models", "update", str(path))
    assert words in said
    assert str(path) in said
    assert not user_table_path().exists()


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("claude-opus-4-5-20251101", 200_000),
        ("gpt-4o", 128_000),
        ("openai/gpt-4o", 128_000),
        ("GPT-4o", 128_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4.5", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-sonnet-4-20250514", 200_000),
        ("anthropic/claude-sonnet-4", 200_000),  # as OpenRouter calls it
        ("anthropic/claude-3-5-sonnet-20241022", 200_000),
    ],
)
def test_models_are_found_by_the_names_that_files_use(name: str, limit: int) -> None:
    info = find_model(name)
    assert info is not None
    assert info.max_input_tokens == limit


def test_the_model_asked_for_comes_before_that_of_the_file() -> None:
    named = conversation(human("hi"), model="gpt-4o")
    assert choose_model(named, "gpt-5") == "gpt-5"
    assert choose_model(named) == "gpt-4o"
    synthetic = conversation(human("hi"), model="<synthetic>")
    assert choose_model(synthetic) == ""


def test_an_automatic_compaction_of_claude_code_tells_the_window() -> None:
    auto = RecordedCompaction(
        kind="summary", boundary=1, trigger="auto", tokens_before=167_000
    )
    file = conversation(human("hi"), format="claude_code", recorded=(auto,))
    result = find_model_limit(file, "claude-opus-4-6", None)
    assert result.tokens == 200_000
    assert "167,000" in result.source


def test_a_window_is_never_below_a_request_that_was_answered() -> None:
    usage = (ReportedUsage(1, 340_904, None, "claude-opus-4-6"),)
    compacted = RecordedCompaction(
        kind="summary", boundary=1, trigger="auto", tokens_before=171_000
    )
    file = replace(
        conversation(human("go"), *talk(2), model="claude-opus-4-6", usage=usage),
        format="claude_code",
        recorded=(compacted,),
    )
    limit = find_model_limit(file, "claude-opus-4-6", None)
    assert limit.tokens == 1_000_000
    assert limit.source == (
        "a request of 340,904 tokens was answered; the agent compacted at 171,000, 17 % of it"
    )
    other = conversation(
        human("go"),
        *talk(2),
        model="plum-1",
        usage=(ReportedUsage(1, 9_000, None, "plum-1"),),
    )
    small = replace(other, reported_limit=8_000)
    assert find_model_limit(small, "plum-1", None).tokens == 9_000
    assert find_model_limit(small, "plum-1", 4_000).tokens == 4_000


def test_the_suffix_of_a_long_window_wins() -> None:
    compacted = RecordedCompaction(
        kind="summary", boundary=1, trigger="auto", tokens_before=171_000
    )
    file = replace(
        conversation(human("go"), *talk(2)), format="claude_code", recorded=(compacted,)
    )
    assert find_model_limit(file, "claude-opus-4-6[1m]", None).tokens == 1_000_000


LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("profile", "asks"),
    [
        (BUILT_IN, False),
        (Profile(name="p", provider="openai", model="gpt-4o-mini"), True),
        (Profile(name="p", provider="openai", model="no-such-model"), True),
        (Profile(name="p", provider="ollama_chat", model="llama3"), False),
        (
            Profile(
                name="p",
                provider="ollama_chat",
                model="llama3",
                base_url="https://models.example.org",
            ),
            True,
        ),
        (Profile(name="p", provider="lm_studio", model="llama3"), False),
        (
            Profile(name="p", provider="hosted_vllm", model="llama3"),
            True,
        ),  # nobody knows where it would go
        (
            Profile(name="p", provider="openai", model="qwen2.5-coder", base_url=LOCAL),
            False,
        ),
        (
            Profile(
                name="p",
                provider="openai",
                model="llama",
                base_url="http://192.168.1.7:8000/v1",
            ),
            True,
        ),
        (
            Profile(name="p", provider="openai", model="gpt-4o-mini", base_url=LOCAL),
            True,
        ),
        (
            Profile(
                name="p",
                provider="openai",
                model="qwen2.5-coder",
                base_url="https://models.example.org/v1",
            ),
            True,
        ),
    ],
)
def test_a_call_needs_a_yes_unless_it_stays_on_this_machine(
    profile: Profile, asks: bool
) -> None:
    assert needs_consent(profile) is asks


MODEL = "claude-tiered-9"
PROFILE = Profile(name="p", provider="anthropic", model=MODEL)


@pytest.fixture
def tiered_table(tmp_path: Path) -> None:
    update_table(write_table(tmp_path / "prices.json", {MODEL: dict(TIERED)}))
    forget_table()


@pytest.mark.usefixtures("tiered_table")
@pytest.mark.parametrize(
    ("sent", "dollars"),
    [(200_000, 0.40 + 0.01), (200_001, 0.800004 + 0.015), (300_000, 1.20 + 0.015)],
)
def test_a_request_above_the_threshold_is_dearer_as_a_whole(
    sent: int, dollars: float
) -> None:
    """0.2 M · 2 + 1,000 · 10; one token more: 0.200001 M · 4 + 1,000 · 15."""
    assert maximum_price(sent, 1000, MODEL).total == pytest.approx(dollars)
    assert pricing_model(MODEL, "").price(
        UnpaidRequests(((sent, 1000),))
    ) == pytest.approx(dollars)
    assert call_cost(PROFILE, TokenUsage(sent, 1000)) == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("written", "before", "after"),
    [
        (
            {"ephemeral_1h_input_tokens": 900, "ephemeral_5m_input_tokens": 0},
            False,
            True,
        ),
        (
            {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 900},
            True,
            False,
        ),
        ({"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}, True, True),
        (None, True, True),
    ],
)
def test_the_last_write_tells_the_lifetime(
    written: dict[str, int] | None, before: bool, after: bool
) -> None:
    assert writes_hour_cache({"cache_creation": written}, before) is after


@pytest.mark.usefixtures("tiered_table")
@pytest.mark.parametrize(
    ("reported", "lifetime", "millionths"),
    [
        (True, "reported", 4.0),
        (False, "reported", 2.5),
        (True, "5m", 2.5),
        (False, "1h", 4.0),
    ],
)
def test_a_session_or_setting_tells_the_lifetime(
    reported: bool, lifetime: str, millionths: float
) -> None:
    talked = conversation(*talk(60, "word " * 60), model=MODEL, hour_cache=reported)
    layers = (
        SettingLayers()
        .with_session(STRATEGY, "top-down-truncation")
        .with_session(LIMIT, 3000)
    )
    result = compaction_cost(
        compute_preview(talked, layers.with_session(CACHE_LIFETIME, lifetime).resolve())
    )
    assert result.rates is not None
    assert result.rates.write == pytest.approx(millionths * MILLIONTH)


def test_a_remote_server_of_a_model_that_users_run_themselves_has_no_known_price() -> (
    None
):
    profile = Profile(
        name="lab",
        provider="openai",
        model="codellama",
        base_url="https://lab.example.org/v1",
    )
    assert call_cost(profile, TokenUsage(1000, 1000)) is None
