"""Rows are sent once and complete at the other end."""

from __future__ import annotations

from dataclasses import replace
from pickle import dumps
from typing import Any

from core.presentation.model import MessageRows, RowsReadEvent
from core.presentation.screen_transfer import NO_ROWS, SentParts
from tests.gui.fakes import fake_screen

NAMES = ("speakers", "kinds", "errors", "mono", "tokens", "lead", "text")


def _cut(rows: MessageRows, start: int, end: int) -> MessageRows:
    columns: list[Any] = [getattr(rows, name)[start:end] for name in NAMES]
    return MessageRows(*columns)


def test_rows_that_were_streamed_are_not_sent_again() -> None:
    screen, here, there = fake_screen(), SentParts(), SentParts()
    for start in (0, 200):
        there.unpack(here.pack(RowsReadEvent(1, start, _cut(screen.before, start, start + 200 + start))))
    sent = here.pack(screen)
    assert sent.before == NO_ROWS
    assert there.unpack(sent) == screen


def test_rows_of_another_history_are_sent() -> None:
    first, here, there = fake_screen(), SentParts(), SentParts()
    second = replace(first, before=_cut(first.before, 0, 9))
    for screen in (first, first, second, second):
        assert there.unpack(here.pack(screen)) == screen
    assert here.pack(second).before_is_known
    assert not here.pack(first).before_is_known


def test_a_result_that_is_shown_again_crosses_once_and_is_the_same_objects() -> None:
    here, there = SentParts(), SentParts()
    one, other = fake_screen(), fake_screen("high-density")
    first = there.unpack(here.pack(one))
    there.unpack(here.pack(other))
    again = here.pack(replace(one, generation=9))
    assert len(dumps(again)) < len(dumps(one)) / 3
    come = there.unpack(again)
    assert come == replace(one, generation=9)
    for name in ("after", "fates", "origin", "partners", "runs", "handles"):
        assert getattr(come, name) is getattr(first, name)


def test_both_ends_forget_alike() -> None:
    here, there = SentParts(), SentParts()
    screens = [fake_screen(seed=seed, messages=40 + seed) for seed in range(8)]
    for screen in (*screens, *screens[::-1], screens[0]):
        assert there.unpack(here.pack(screen)) == screen
    there.unpack(here.pack(RowsReadEvent(1, 0, screens[0].before)))
    assert there.unpack(here.pack(screens[0])) == screens[0]
