"""Counting begins while a file is read; reading never waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from core.app import reopening, streaming_rows
from core.app.early_counting import BackgroundCounts
from core.app.loading import read
from core.app.messages import Event, OpenFileCommand
from core.app.progress import ProgressReporter
from core.common.errors import Cancelled
from core.formats.common import row_streaming
from core.presentation.model import RowsReadEvent
from core.tokens.counter import CountMethod, TokenCounter
from core.tokens.counting_process import CountBatch, CountingProcess
from core.tokens.message_tokens import message_token_counts
from core.transcript.model import Message
from tests.builders import human, talk
from tests.core.app.test_loading import session
from tests.core.tokens.test_counting_process import SLEEPS, STAND_IN, go_on, starter

BY_CHARACTERS = CountMethod("≈", "", "o200k_base")


@pytest.fixture
def made() -> Iterator[Callable[[str], CountingProcess]]:
    tallies: list[CountingProcess] = []

    def make(code: str) -> CountingProcess:
        tallies.append(CountingProcess(starter(code)))
        return tallies[-1]

    yield make
    for tally in tallies:
        tally.end()


def ahead(tally: CountingProcess) -> BackgroundCounts:
    return BackgroundCounts(TokenCounter(BY_CHARACTERS, tally), tally)


def test_counts_are_those_of_the_counter(made: Callable[[str], CountingProcess]) -> None:
    said: list[Message] = [human("x" * size) for size in (3, 0, 900_000, 20)] * 50
    counting = ahead(made(STAND_IN))
    for start in range(0, len(said), 30):
        counting.take(said[start : start + 30])
    assert [counting.count(place, go_on) for place in range(200)] == [3, 0, 900_000, 20] * 50


def test_a_slow_process_holds_up_nothing_and_little_is_sent_to_it(
    made: Callable[[str], CountingProcess],
) -> None:
    tally = made(SLEEPS)
    counting = ahead(tally)
    for _ in range(50):
        counting.take([human("x" * 1_000_000)])
    assert sum(map(len, tally._out)) < 8_000_000
    assert len(counting._waiting) > 40


def test_waiting_for_it_can_be_cancelled(made: Callable[[str], CountingProcess]) -> None:
    counting = ahead(made(SLEEPS))
    counting.take(talk(3))

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        counting.count(2, stop)


class Overheard(CountingProcess):
    """Records its calls."""

    def __init__(self) -> None:
        super().__init__(starter(STAND_IN))
        self.asked: list[str] = []

    def ask(self, encoding: str, texts: Sequence[str], pause: Callable[[], None] | None) -> CountBatch:
        self.asked.extend(texts)
        return super().ask(encoding, texts, pause)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that is read as a large one, its messages streamed line by line."""
    monkeypatch.setattr(reopening, "MIN_FILE_SIZE", 0)
    monkeypatch.setattr(row_streaming, "_INTERVAL", 0.0)
    monkeypatch.setattr(streaming_rows, "_EVERY", 0.0)
    return session(tmp_path, 20)


@pytest.fixture
def overheard() -> Iterator[Overheard]:
    tally = Overheard()
    yield tally
    tally.end()


def test_texts_are_on_their_way_while_the_rest_of_the_file_is_read(large: Path, overheard: Overheard) -> None:
    asked: list[int] = []

    def emit(event: Event) -> None:
        if isinstance(event, RowsReadEvent):
            asked.append(len(overheard.asked))

    found = read(OpenFileCommand(str(large)), ProgressReporter(emit, str), 1, overheard)
    assert 0 < asked[0] < asked[10] < len(overheard.asked)
    counter = TokenCounter(BY_CHARACTERS, overheard)
    before, messages = len(overheard.asked), found.conversation.messages
    tokens = message_token_counts(messages, counter, meanwhile=found.streamed.counts(counter))
    assert len(overheard.asked) == before
    assert list(tokens) == list(TokenCounter(BY_CHARACTERS, overheard).count_each(messages))


def test_another_encoding_than_was_expected_is_counted_anew(large: Path, overheard: Overheard) -> None:
    found = read(
        OpenFileCommand(str(large)), ProgressReporter(lambda event: None, str), 1, overheard
    ).streamed
    assert found.counts(TokenCounter(CountMethod("=", "", "cl100k_base"), overheard)) is None


def test_a_small_file_is_counted_when_it_is_read(tmp_path: Path, overheard: Overheard) -> None:
    read(OpenFileCommand(str(session(tmp_path, 20))), ProgressReporter(lambda event: None, str), 1, overheard)
    assert overheard.asked == []


def test_cancelling_while_both_go_on_leaves_a_tally_that_counts(large: Path, overheard: Overheard) -> None:
    reasons = iter([""] * 8)
    with pytest.raises(Cancelled):
        read(
            OpenFileCommand(str(large)),
            ProgressReporter(lambda event: None, lambda: next(reasons, "cancel")),
            1,
            overheard,
        )
    assert overheard.asked
    assert TokenCounter(BY_CHARACTERS, overheard).text("x" * 30) == 30
