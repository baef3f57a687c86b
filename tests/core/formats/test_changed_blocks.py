"""Messages and responses with one changed part keep all other parts."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from core.transcript.model import (
    Message,
    MessageFlag,
    Source,
    Speaker,
    Text,
    ToolResponse,
    with_blocks,
    with_result,
)

RESPONSE = ToolResponse("call", "Read", "long", "error", {"kept": 1})
MESSAGE = Message(
    Speaker.TOOL,
    (RESPONSE,),
    (Source(3, 0, 9),),
    MessageFlag.RECORDED_SUMMARY,
    "id",
    "2026-01-01",
    {"kept": 2},
)


@pytest.mark.parametrize("given", [RESPONSE, MESSAGE])
def test_the_examples_fill_every_field(given: Any) -> None:
    blank = type(given)("", "", "") if given is RESPONSE else Message(Speaker.AI, ())
    assert all(getattr(given, one.name) != getattr(blank, one.name) for one in fields(given))


def test_only_the_named_part_changes() -> None:
    assert with_result(RESPONSE, "short") == replace(RESPONSE, result="short")
    assert with_blocks(MESSAGE, (Text("said"),)) == replace(MESSAGE, blocks=(Text("said"),))
