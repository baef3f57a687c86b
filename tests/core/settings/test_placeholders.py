"""An empty placeholder is left out, and nothing of the person's words with it."""

from contextlib import suppress

import pytest

from core.api import compact
from core.common.errors import CompactionFailed
from core.llm.protocol import SummaryRequest
from core.settings.prompts import (
    PLACEHOLDERS,
    fill_placeholders,
    placeholder_lines,
)
from core.strategies.registry import STRATEGIES
from tests.core.integrations.hosts.histories import openai_messages


@pytest.mark.req("REQ-CS-005.4")
@pytest.mark.parametrize(
    ("text", "filled"),
    [
        (
            "Never translate names. {focus} Be brief.\n",
            "Never translate names.  Be brief.\n",
        ),
        ("One.\n  {focus}\nTwo.", "One.\nTwo."),
        ("One.\n\n{focus}{focus}\n\nTwo.", "One.\n\n\nTwo."),
        ("At most {max_tokens}: {message} {other}\n", "At most 9: {message} {other}\n"),
        ("{focus}", ""),
    ],
)
def test_an_empty_value_leaves_its_placeholder_out_and_nothing_else(
    text: str, filled: str
) -> None:
    assert fill_placeholders(text, {"max_tokens": "9", "focus": ""}) == filled
    assert fill_placeholders(text, {"max_tokens": "9"}) == filled


def test_only_placeholders_with_a_value_are_offered_and_found_by_line() -> None:
    assert PLACEHOLDERS == ("max_tokens", "focus")
    assert placeholder_lines("a\n{focus}\nb {focus}", "focus") == (2, 3)


@pytest.mark.parametrize("name", [one.name for one in STRATEGIES if one.requires_llm])
def test_the_closing_request_names_no_form_of_its_own(name: str) -> None:
    """A prompt of the person may ask for any form."""
    prompts: list[str] = []

    def answer(request: SummaryRequest) -> str:
        prompts.append(request.trigger)
        return "src/a1.py to src/a30.py are mended. " * 8

    with suppress(CompactionFailed):
        compact(
            openai_messages(),
            strategy=name,
            limit=6000,
            summarizer=answer,
            settings={"compression.mode": "safe"},
        )
    assert not [
        text for text in prompts if "state_snapshot" in text and "draft" not in text
    ]
    assert not [text for text in prompts if "number and name" in text]
