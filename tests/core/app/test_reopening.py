"""A large file that was counted before has its figures at once, and never wrong ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.app import reopening, streaming_rows
from core.app.messages import Event, OpenFileCommand
from core.app.rpc import call_of
from core.app.services.dispatcher import CommandHandler
from core.app.services.opening import OpenService
from core.common.paths import cache_dir
from core.formats.common import document as formats_opened
from core.formats.common import row_streaming
from core.presentation.model import MessageRows, RowsReadEvent, Screen
from core.tokens import count_cache
from core.tokens.counter import TokenCounter
from core.tokens.counting_process import CountingProcess, start_counting
from core.transcript.model import Message
from tests.core.app.test_command_handler import run_call
from tests.core.app.test_loading import session


@pytest.fixture(scope="module")
def real() -> Iterator[CountingProcess]:
    tally = CountingProcess(start_counting)
    yield tally
    tally.end()


@pytest.fixture(params=[True, False], ids=["a process counts", "the worker counts"])
def tally(request: pytest.FixtureRequest, real: CountingProcess) -> CountingProcess | None:
    return real if request.param else None


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that is read as a large one, its messages streamed line by line."""
    monkeypatch.setattr(reopening, "MIN_FILE_SIZE", 0)
    monkeypatch.setattr(row_streaming, "_INTERVAL", 0.0)
    monkeypatch.setattr(streaming_rows, "_EVERY", 0.0)
    return session(tmp_path, 20)


def opened(path: Path, tally: CountingProcess | None, interrupted: Callable[[], str] = str) -> list[Event]:
    events: list[Event] = []
    handler = CommandHandler(events.append, interrupted, tally)
    run_call(handler, call_of(OpenService.open, OpenFileCommand(str(path))))
    return events


def parts(events: list[Event]) -> list[RowsReadEvent]:
    return [event for event in events if isinstance(event, RowsReadEvent)]


def shown(events: list[Event]) -> MessageRows:
    screen = events[-1]
    assert isinstance(screen, Screen)
    return screen.before


def sidecars() -> list[Path]:
    return sorted((cache_dir() / "counts").glob("*"))


def test_every_row_has_its_tokens_before_anything_is_read(large: Path, tally: CountingProcess | None) -> None:
    first = shown(opened(large, tally))
    events = opened(large, tally)
    at_once = parts(events)[0]
    assert events[0] == at_once
    assert at_once.rows.tokens == first.tokens
    assert (at_once.rows.kinds, set(at_once.rows.text)) == (first.kinds, {""})
    assert parts(events)[1].rows.text[0] == "go"
    assert min(min(part.rows.tokens) for part in parts(events)) > 0
    assert shown(events) == first


def test_nothing_is_counted_again(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(large, None)

    def deaf(counter: TokenCounter, message: Message) -> int:
        assert not message.sources, "a message of the file is counted again"
        return 0

    monkeypatch.setattr(TokenCounter, "_uncached_count", deaf)
    opened(large, None)


def test_no_text_is_kept_in_the_cache_folder(large: Path) -> None:
    opened(large, None)
    (kept,) = sidecars()
    assert not [word for word in (b"look", b"a.py", b"Read", b"go", b"text") if word in kept.read_bytes()]


def test_a_file_edited_in_place_with_its_old_time_is_not_taken_for_the_same(
    large: Path, tally: CountingProcess | None
) -> None:
    opened(large, tally)
    status = large.stat()
    large.write_text(large.read_text().replace('"content": "text"', '"content": "t xt"'))
    os.utime(large, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert large.stat().st_size == status.st_size
    assert parts(opened(large, tally))[0].rows.tokens[0] == -1


@pytest.mark.parametrize("words", ["t xt", "words and more words"])
def test_what_the_system_does_not_tell_the_content_does(
    large: Path, tally: CountingProcess | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = cache_dir() / "counts" / "one for all"
    monkeypatch.setattr(count_cache, "sidecar_path", lambda *given: place)
    opened(large, tally)
    large.write_text(large.read_text().replace('"content": "text"', f'"content": "{words}"'))
    events = opened(large, tally)
    place.unlink()
    assert shown(events).tokens == shown(opened(large, tally)).tokens
    assert shown(events).tokens[2] > 1


def test_what_was_read_only_in_part_is_not_kept(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats_opened, "_CHECK_EVERY", 0)
    reasons = iter([""] * 30)
    events = opened(large, None, lambda: next(reasons, "stop-reading"))
    assert 0 < len(shown(events)) < 41
    assert sidecars() == []
