"""The model table, limits with their source, and the choice of a model."""

from __future__ import annotations

import pytest

from core.llm.catalog import choose_model, context_window, find_model
from core.transcript.model import RecordedCompaction
from tests.builders import conversation, human


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


def test_the_model_asked_for_comes_before_the_file_and_the_profile() -> None:
    named = conversation(human("hi"), model="gpt-4o")
    assert choose_model(named, "gpt-5", "claude-opus-4-5") == "gpt-5"
    assert choose_model(named, "", "claude-opus-4-5") == "gpt-4o"
    synthetic = conversation(human("hi"), model="<synthetic>")
    assert choose_model(synthetic, "", "claude-opus-4-5") == "claude-opus-4-5"
    assert choose_model(synthetic) == ""


def test_the_limit_of_the_settings_comes_first() -> None:
    file = conversation(human("hi"), model="gpt-4o", reported_limit=258_400)
    assert context_window(file, "gpt-4o", 50_000).limit == 50_000
    assert "context-limit" in context_window(file, "gpt-4o", 50_000).source
    assert context_window(file, "gpt-4o", None).limit == 258_400


def test_an_automatic_compaction_of_claude_code_tells_the_window() -> None:
    auto = RecordedCompaction("summary", 1, trigger="auto", tokens_before=167_000)
    file = conversation(human("hi"), format="claude_code", recorded=(auto,))
    result = context_window(file, "claude-opus-4-6", None)
    assert result.limit == 200_000
    assert "167,000" in result.source
