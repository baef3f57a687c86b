"""What the caller's own summariser raises reaches the caller, under every strategy."""

from contextlib import suppress
from typing import NoReturn

import pytest

from core.api import compact
from core.common.errors import CompactionFailed
from core.llm.protocol import SummaryRequest
from core.strategies.registry import STRATEGIES
from core.strategies.tiered import NAME as TIERED
from tests.core.integrations.hosts.histories import openai_messages

LIMITS = (6000, 12_000, 40_000)
HISTORY = [
    message | {"content": "x = 1\n" * 600} if message["role"] == "tool" else message
    for message in openai_messages()
]


class BrokenError(Exception):
    """Raised by a summariser of the caller."""


def broken(prompt: object) -> NoReturn:
    raise BrokenError("out of paper")


def asks(name: str, limit: int) -> bool:
    """Return whether a run of a strategy asks its summariser for anything."""
    asked: list[object] = []

    def answer(request: SummaryRequest) -> str:
        asked.append(request)
        return "src/a1.py to src/a30.py are mended. " * 8

    with suppress(
        CompactionFailed
    ):  # the limit or the answer does not suit the strategy
        compact(HISTORY, strategy=name, limit=limit, summarizer=answer)
    return bool(asked)


@pytest.mark.parametrize(
    "name", [strategy.name for strategy in STRATEGIES if strategy.requires_llm]
)
def test_an_error_of_the_callers_summariser_reaches_the_caller(name: str) -> None:
    limit = next((limit for limit in LIMITS if asks(name, limit)), None)
    if limit is None:
        pytest.skip(f"{name} asks for no summary of this history")
    if name == TIERED:  # it keeps what its second tier left, with a warning (ION-63)
        kept = compact(HISTORY, strategy=name, limit=limit, summarizer=broken)
        assert kept.tokens_after < kept.tokens_before
        return
    with pytest.raises(BrokenError):
        compact(HISTORY, strategy=name, limit=limit, summarizer=broken)
