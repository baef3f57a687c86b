"""Rows are sent once and complete at the other end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.app.worker import SentRows
from core.presentation.model import NO_ROWS, MessageRows, RowsReadEvent
from tests.gui.fakes import fake_screen

NAMES = ("speakers", "kinds", "errors", "mono", "tokens", "lead", "text")


def _cut(rows: MessageRows, start: int, end: int) -> MessageRows:
    columns: list[Any] = [getattr(rows, name)[start:end] for name in NAMES]
    return MessageRows(*columns)


def test_rows_that_were_streamed_are_not_sent_again() -> None:
    screen, here, there = fake_screen(), SentRows(), SentRows()
    for start in (0, 200):
        there.unpack(here.pack(RowsReadEvent(1, start, _cut(screen.before, start, start + 200 + start))))
    sent = here.pack(screen)
    assert sent.before == NO_ROWS
    assert there.unpack(sent) == screen


def test_rows_of_another_history_are_sent() -> None:
    first, here, there = fake_screen(), SentRows(), SentRows()
    second = replace(first, before=_cut(first.before, 0, 9))
    for screen in (first, first, second, second):
        assert there.unpack(here.pack(screen)) == screen
    assert here.pack(second).before_is_known
    assert not here.pack(first).before_is_known
