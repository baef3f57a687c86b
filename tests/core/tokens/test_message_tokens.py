"""Token counts of a whole conversation in batches."""

from __future__ import annotations

from array import array

import pytest

from core.common.errors import Cancelled
from core.tokens import counter as tokens
from core.tokens import message_tokens
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


def test_what_a_counter_knows_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = counter_for("")
    first = count_messages(FILE, counter)
    monkeypatch.setattr(tokens, "batch_counter", None)
    reported: list[str] = []
    assert count_messages(FILE, counter, lambda fraction, text: reported.append(text)) == first
    assert reported == []


def test_batches_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_tokens, "_BATCH_SECONDS", 0.0)
    batches: list[tuple[int, array[int]]] = []
    whole = count_messages(FILE, counter_for(""), on_batch=lambda first, some: batches.append((first, some)))
    assert [first for first, _ in batches] == list(range(24))
    assert array("q", [count for _, some in batches for count in some]) == whole


def test_cancelling_stops_before_the_first_batch() -> None:
    def stop(fraction: float, text: str) -> None:
        raise Cancelled(text)

    with pytest.raises(Cancelled, match="message 0 of 24"):
        count_messages(FILE, counter_for(""), stop)


def test_an_empty_conversation_counts_nothing() -> None:
    assert len(count_messages(conversation(), counter_for(""))) == 0
    assert counter_for("").message(human()) == 0
