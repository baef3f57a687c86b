"""Token counts of a whole conversation in batches, and their cache."""

from __future__ import annotations

import os
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import Cancelled
from core.common.paths import cache_dir
from core.tokens import count_cache as sidecar
from core.tokens import message_tokens
from core.tokens.count_cache import CountSidecar
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Conversation, SourceDocument
from tests.builders import conversation, human, talk


@pytest.fixture
def file(tmp_path: Path) -> Conversation:
    path = tmp_path / "talk.json"
    path.write_text("[]")
    status = path.stat()
    document = SourceDocument(path.name, path, None, status.st_size, status.st_mtime_ns)
    return conversation(*talk(20), document=document)


def sidecars() -> list[Path]:
    return sorted((cache_dir() / "counts").glob("*"))


def deaf() -> TokenCounter:
    """A counter that must not count."""
    counter = counter_for("")
    counter._encode = lambda text: pytest.fail("counted again")
    return counter


def test_counts_are_those_of_the_counter(file: Conversation) -> None:
    counter = counter_for("")
    assert list(count_messages(file, counter)) == [counter.message(one) for one in file.messages]


def test_reopening_does_not_count_again(file: Conversation) -> None:
    first = count_messages(file, counter_for(""))
    counter = deaf()
    assert count_messages(file, counter) == first
    assert counter.messages(file.messages) == sum(first)


def test_what_a_counter_knows_is_not_looked_for_in_the_file(file: Conversation) -> None:
    counter = counter_for("")
    first = count_messages(file, counter)
    sidecars()[0].unlink()
    reported: list[str] = []
    assert count_messages(file, counter, lambda fraction, text: reported.append(text)) == first
    assert reported == []
    assert sidecars() == []


def test_of_too_many_sidecars_the_older_half_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sidecar, "MOST_KEPT", 5)
    for number in range(6):
        place = tmp_path / str(number)
        sidecar.save_sidecar(place, CountSidecar(array("q", [number]), "", number, "openai_chat"))
        if place.exists():
            os.utime(place, (number, number))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3", "4", "5"]
    assert sidecar.load_sidecar(place) == CountSidecar(array("q", [5]), "", 5, "openai_chat")


@pytest.mark.parametrize("harm", [b"", b"short", bytes(16 + 160), b"x" * 400])
def test_a_broken_sidecar_is_counted_anew(file: Conversation, harm: bytes) -> None:
    first = count_messages(file, counter_for(""))
    (sidecar,) = sidecars()
    sidecar.write_bytes(harm)
    assert count_messages(file, counter_for("")) == first
    assert count_messages(file, deaf()) == first


def test_another_encoding_or_conversation_has_its_own(file: Conversation) -> None:
    count_messages(file, counter_for(""))
    count_messages(file, counter_for("gpt-4"))
    count_messages(replace(file, number=2), counter_for(""))
    assert len(sidecars()) == 3


def test_other_messages_of_the_same_file_are_counted_anew(file: Conversation) -> None:
    count_messages(file, counter_for(""))
    other = replace(file, messages=talk(20, "other words"))
    assert list(count_messages(other, counter_for(""))) == [
        counter_for("").message(one) for one in other.messages
    ]


def test_a_file_that_changed_since_it_was_read_leaves_no_sidecar(file: Conversation) -> None:
    assert file.document.path is not None
    file.document.path.write_text("[1]")
    count_messages(file, counter_for(""))
    assert sidecars() == []


def test_standard_input_leaves_no_sidecar() -> None:
    count_messages(conversation(*talk(3), document=SourceDocument("-", data=b"[]")), counter_for(""))
    assert sidecars() == []


def test_a_cache_that_cannot_be_written_is_done_without(file: Conversation) -> None:
    cache_dir().mkdir(parents=True)
    (cache_dir() / "counts").write_text("a file where a folder should be")
    assert len(count_messages(file, counter_for(""))) == 20


def test_batches_join_to_the_whole(file: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_tokens, "_BATCH_SECONDS", 0.0)
    batches: list[tuple[int, array[int]]] = []
    whole = count_messages(file, counter_for(""), on_batch=lambda first, some: batches.append((first, some)))
    assert [first for first, _ in batches] == list(range(20))
    assert array("q", [count for _, some in batches for count in some]) == whole


def test_cancelling_stops_at_the_next_batch(file: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_tokens, "_BATCH_SECONDS", 0.0)

    def stop(fraction: float, text: str) -> None:
        if text.startswith("Counting"):
            raise Cancelled(text)

    with pytest.raises(Cancelled, match="message 1 of 20"):
        count_messages(file, counter_for(""), stop)
    assert sidecars() == []


def test_an_empty_conversation_counts_nothing() -> None:
    assert len(count_messages(conversation(), counter_for(""))) == 0
    assert counter_for("").message(human()) == 0
