"""Switching back to an earlier setting: rows and ruler are shown at once from the cache, nothing is computed
twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import Screen
from core.presentation.screen_key import ScreenKey
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.painted_rows import CACHED_PAGES, MAX_PICTURES
from gui.inspect.ruler.canvas import CACHED_SCREENS
from gui.widgets.theme import theme
from tests.gui.fakes import fake_screen

KEY = "a.switch"


class IgnoringWorker:
    """A worker that takes commands and answers none."""

    serial = 0

    def send(self, command: object) -> int:
        self.serial += 1
        return self.serial


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> BackendClient:
    client = BackendClient()
    monkeypatch.setattr(client, "_worker", IgnoringWorker())
    monkeypatch.setattr(client, "start", lambda: None)
    return client


@pytest.fixture
def page(qtbot: QtBot, session: BackendClient) -> Iterator[InspectPage]:
    """A page that has shown both results of a switch, which is off now."""
    page = InspectPage(session, theme("light"))
    qtbot.addWidget(page)
    page.resize(1500, 800)
    page.show()
    for value in (True, False) * 3:
        answer(session, value)
        session._screens.emit_pending()
        page.finish()
        page.grab()
    yield page
    session.close()


def screen(value: bool) -> Screen:
    made = fake_screen("middle-out" if value else "high-density")
    return replace(made, request_key=ScreenKey({KEY: value}, "rest"))


def answer(session: BackendClient, value: bool) -> None:
    """Turn the switch, and let the worker answer."""
    session.set_value(KEY, value)
    session._tell(session._worker.serial, SCREENS[value])


SCREENS = {True: screen(True), False: screen(False)}


def shown(page: InspectPage) -> tuple[bytes, bytes, bytes]:
    """Return the fates in both lists and in the ruler."""
    content = page.ruler._content
    assert content is not None
    return page.lists.before.model.content.fates, page.lists.after.model.content.fates, content.strip.codes


def fates(value: bool) -> tuple[bytes, bytes, bytes]:
    made = SCREENS[value]
    return made.fates, made.after_fates, made.fates


def test_a_known_result_is_shown_before_the_worker_answers(page: InspectPage, session: BackendClient) -> None:
    session.set_value(KEY, True)
    assert shown(page) == fates(True)
    session.set_value(KEY, False)
    assert shown(page) == fates(False)


def test_the_rest_of_the_window_follows_in_the_next_turn(
    qtbot: QtBot, page: InspectPage, session: BackendClient
) -> None:
    with qtbot.waitSignal(session.screen, timeout=1000) as signal:
        session.set_value(KEY, True)
        assert page.lists.before.header._total == SCREENS[False].marks.before_total
    assert signal.args == [replace(SCREENS[True], can_undo=True)]
    assert page.lists.after.header._total == SCREENS[True].marks.after_total


def test_a_new_result_comes_to_the_lists_first(
    qtbot: QtBot, page: InspectPage, session: BackendClient
) -> None:
    new = replace(SCREENS[True], request_key=ScreenKey({KEY: 0.5}, "rest"))
    session.set_value(KEY, 0.5)
    with qtbot.waitSignal(session.screen, timeout=1000) as signal:
        session._tell(session._worker.serial, new)
        assert shown(page) == fates(True)
        assert page.lists.before.header._total == SCREENS[False].marks.before_total
    assert signal.args == [new]


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "not told yet"])
def test_the_checks_of_a_new_result_follow(page: InspectPage, session: BackendClient, is_told: bool) -> None:
    complete = replace(SCREENS[True], request_key=ScreenKey({KEY: 0.5}, "rest"), generation=9)
    checks = ScreenChecks(9, complete.groups, complete.lint, complete.status, complete.notices)
    session.set_value(KEY, 0.5)
    session._tell(session._worker.serial, replace(complete, lint=(), notices=()))
    if is_told:
        session._screens.emit_pending()
        assert not page.inspector.lint._list.isEnabled()
    session._tell(session._worker.serial, checks)
    session._screens.emit_pending()
    assert page.preview == complete
    assert page.inspector.lint._list.isEnabled()


def test_nothing_is_planned_summed_or_painted_again(
    page: InspectPage, session: BackendClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in (
        "gui.inspect.lists.table_model.list_page",
        "gui.inspect.ruler.canvas.prepared_content",
        "gui.inspect.ruler.picture.ruler_picture",
    ):
        original = getattr(import_module(name.rpartition(".")[0]), name.rpartition(".")[2])
        monkeypatch.setattr(name, _noted(original, calls))
    for one in (page.lists.before, page.lists.after):
        monkeypatch.setattr(one.view.delegate, "_picture", _noted(one.view.delegate._picture, calls))
        monkeypatch.setattr(one.overview, "_new_picture", _noted(one.overview._new_picture, calls))
    session.set_value(KEY, True)
    page.grab()
    assert calls == []
    page.show_screen(fake_screen(messages=99))
    page.grab()
    assert len(calls) > 4, "as it is counted here"


def _noted(work: Callable[..., Any], calls: list[str]) -> Callable[..., Any]:
    """Return the same work, recording its calls."""

    def noted(*given: Any) -> Any:
        calls.append(work.__name__)
        return work(*given)

    return noted


def test_a_confirmation_resets_nothing(page: InspectPage, session: BackendClient) -> None:
    session.set_value(KEY, True)
    session._screens.emit_pending()
    emitted: list[str] = []
    page.lists.before.model.modelReset.connect(lambda: emitted.append("reset"))
    session.screen.connect(lambda screen: emitted.append("screen"))
    session._tell(session._worker.serial, replace(SCREENS[True], generation=9))
    assert emitted == []
    session._on_idle(session._worker.serial)
    assert shown(page) == fates(True)
    assert emitted == []


def test_another_answer_wins(page: InspectPage, session: BackendClient) -> None:
    session.set_value(KEY, True)
    session._tell(session._worker.serial, replace(SCREENS[False], request_key=SCREENS[True].request_key))
    assert shown(page) == fates(False)


def test_what_nobody_confirmed_does_not_stay(page: InspectPage, session: BackendClient) -> None:
    session.set_value(KEY, True)
    session._on_idle(session._worker.serial)
    assert shown(page) == fates(False)
    assert page.preview == SCREENS[False]


def test_waiting_for_a_confirmation_does_not_make_it_look_old(
    page: InspectPage, session: BackendClient
) -> None:
    session.set_value(KEY, True)
    page._on_slow(True)
    assert not page.lists.after.view.delegate.is_outdated
    session.set_value(KEY, True)
    session._on_idle(session._worker.serial)
    page._on_slow(True)
    assert page.lists.after.view.delegate.is_outdated


def test_the_selected_message_and_its_place_stay(page: InspectPage, session: BackendClient) -> None:
    page.go_to("before", 120)
    top = page.lists.before.row_rect(120).top()
    session.set_value(KEY, True)
    assert page.lists.before.current_message() == 120
    assert page.lists.before.row_rect(120).top() == top


def test_another_theme_paints_anew(page: InspectPage, session: BackendClient) -> None:
    page.set_theme(theme("dark"))
    session.set_value(KEY, True)
    colour = page.lists.before.grab().toImage().pixelColor(200, 300)
    assert colour.lightnessF() < 0.5


def test_few_results_are_kept_ready(page: InspectPage) -> None:
    for number in range(60, 60 + 2 * CACHED_PAGES):
        page.show_screen(fake_screen(messages=number, seed=number))
        page.grab()
    for one in (page.lists.before.model, page.lists.after.model):
        assert len(one._pages) <= CACHED_PAGES
        rows = page.lists.before.view.visible_rows()
        assert all(len(kept.pictures) <= MAX_PICTURES for kept in one._pages)
        assert sum(len(kept.pictures) > len(rows) for kept in one._pages) <= 1, (
            "but for the one that is shown"
        )
    assert len(page.ruler._contents) <= CACHED_SCREENS


def test_a_closed_transcript_leaves_nothing(page: InspectPage) -> None:
    page.clear()
    model = page.lists.before.model
    assert (len(model._pages), model.previous_page) == (1, model.page)
    assert len(page.ruler._contents) == 0


def test_a_new_result_paints_only_the_rows_that_look_otherwise(
    page: InspectPage, session: BackendClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    before = page.lists.before
    original, rows = before.view.delegate._picture, before.view.visible_rows()

    def noted(row: int, *given: Any) -> Any:
        painted.append(row)
        return original(row, *given)

    monkeypatch.setattr(before.view.delegate, "_picture", noted)
    fates = bytearray(SCREENS[False].fates)
    changed = before.model.plan.indices[rows[5]]
    fates[changed] = (fates[changed] + 1) % 4
    session._tell(99, replace(SCREENS[False], fates=bytes(fates)))
    page.grab()
    assert {before.model.plan.indices[row] for row in painted} == {changed}


def test_it_is_not_idle_where_the_last_screen_made_a_view_ask(session: BackendClient) -> None:
    emitted: list[str] = []
    session.idle.connect(lambda: emitted.append("idle"))
    session.screen.connect(lambda _: session.explain_run() if session._worker.serial == 1 else None)
    session.set_value(KEY, True)
    session._tell(session._worker.serial, SCREENS[True])
    session._on_idle(1)  # the screen is emitted only now
    assert (emitted, session.is_up_to_date) == ([], False)
    session._on_idle(2)
    assert (emitted, session.is_up_to_date) == (["idle"], True)
