"""Token counts of a whole conversation in batches."""

from __future__ import annotations

import pytest

from core.common.errors import Cancelled
from core.tokens.counter import counter_for
from core.tokens.message_tokens import count_messages
from tests.builders import ai, call, conversation, human, talk

LONG = "word (and) 1a " * 60_000  # more than one batch, and a text in pieces
FILE = conversation(
    *talk(20), human(LONG), ai(f"1 {LONG}", call("grep", "g", pattern="x")), human(LONG), human("half \ud83d")
)


def test_counts_are_those_of_the_counter() -> None:
    counter = counter_for("")
    assert list(count_messages(FILE, counter)) == [counter_for("").message(one) for one in FILE.messages]


def test_cancelling_stops_before_the_first_batch() -> None:
    def stop(fraction: float, text: str) -> None:
        raise Cancelled(text)

    with pytest.raises(Cancelled, match="message 0 of 24"):
        count_messages(FILE, counter_for(""), stop)
