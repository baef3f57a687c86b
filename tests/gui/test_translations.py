"""The window in another language: catalogues that are whole and fresh, and no English left on the screen."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QMenu,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.formats import FORMATS
from core.samples import Sample, samples
from core.view.phrases import Quoted, joined, phrase
from core.view.values import Fact, Group
from gui import arguments
from gui.action_table import ACTIONS
from gui.app import dispose
from gui.appearance import Appearance
from gui.begin import fill
from gui.language import CONTEXT, ENGLISH, LANGUAGES, known, language, speak, tr, translated
from gui.main_window import MainWindow
from gui.parts import MENUS, with_keys
from gui.shot import VIEWS, Watch, find_view
from gui.state import State
from gui.texts import SpanText
from gui.workspace import Workspace
from tests.translations import Text, compiled, found, translations
from tests.walks import transcript

__all__ = ["transcript"]  # a fixture

OTHERS = [one for one in LANGUAGES if one != ENGLISH]
_NAME = re.compile(r"\{[^{}]*\}")
_ENGLISH = re.compile(r"\b(the|of|and|is|are|with|by|for|from|not|no|this|that|it)\b")
"""Words that no German sentence of the window has."""
FORMS = {text for one in FORMATS for text in (one.label, one.about)}
"""What formats are called and are stays English, too."""


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    speak(qapp, "de")
    yield
    speak(qapp, ENGLISH)


@pytest.mark.parametrize("name", OTHERS)
def test_a_catalogue_holds_every_text_and_nothing_else(name: str) -> None:
    kept, wanted = translations(name), found()
    assert [one for one in wanted if one not in kept] == [], "run make translations"
    assert [one for one in kept if one not in set(wanted)] == [], "run make translations"
    assert [one for one, said in kept.items() if not said] == [], "finish these with pyside6-linguist"


@pytest.mark.parametrize("name", OTHERS)
def test_placeholders_are_those_of_the_text(name: str) -> None:
    kept = translations(name).items()
    wrong = [one for one, said in kept if said and _names(one.text) != _names(said)]
    assert wrong == []


def _names(text: str) -> list[str]:
    return sorted(_NAME.findall(text))


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_window_loads_is_fresh(qapp: QApplication, name: str) -> None:
    translator = QTranslator()
    assert translator.load(str(compiled(name)))
    stale = [
        one
        for one, said in translations(name).items()
        if translator.translate(CONTEXT, one.text, one.kind or None) != said
    ]
    assert stale == [], "run make translations"


def test_phrases_read_as_plain_text_and_travel_to_the_window() -> None:
    said = phrase("{count} of {total}", count="3", total=joined(", ", ("a", "", "b")))
    assert said == "3 of a, b"
    assert pickle.loads(pickle.dumps(said)).template == "{count} of {total}"
    assert phrase("a {brace}") == "a {brace}"


def test_phrases_of_core_are_translated_and_data_stays(qapp: QApplication, german: None) -> None:
    group = Group(phrase("Split"), (), facts=(Fact(phrase("{count} messages", count="3"), "Split"),))
    shown = translated(group)
    assert (shown.title, shown.facts[0].label, shown.facts[0].value) == ("Teilung", "3 Nachrichten", "Split")
    assert translated(shown) is shown
    assert tr("saved", "layer") != tr("saved")


def test_english_loads_nothing(qapp: QApplication) -> None:
    speak(qapp, "en")
    assert not qapp.findChildren(QTranslator)
    assert QCoreApplication.translate(CONTEXT, "Open…") == "Open…"
    assert (language("nonsense"), known("nonsense")) == ("en", "system")
    assert arguments.LANGUAGES == LANGUAGES
    assert {row.id for row in ACTIONS if row.group == "Language"} == {
        f"language-{name}" for name in ("system", *LANGUAGES)
    }


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_two_menus_open_with_one_key(qapp: QApplication, name: str) -> None:
    speak(qapp, name)
    titles = with_keys([tr(menu) for menu in MENUS])
    speak(qapp, ENGLISH)
    keys = [title[title.index("&") + 1].lower() for title in titles]
    assert len(set(keys)) == len(MENUS)


@pytest.mark.parametrize("sample", [None, *samples()], ids=lambda one: one.path.stem if one else "loop")
def test_the_window_in_german_shows_no_english(
    qtbot: QtBot, qapp: QApplication, german: None, transcript: Path, sample: Sample | None
) -> None:
    window = MainWindow(Appearance(qapp, "light"), State(), (), remembers=False)
    window.resize(1600, 1000)
    window.show()
    space = fill(window)
    space.open_path(str(sample.path if sample else transcript))
    Watch(space).wait()
    walked = _walk(space) if sample is None else _tabs(space)
    seen = {one: text for name, text in walked for one in (f"{name}: {text}",)}
    dispose(window)
    whole = {one.text for one in found()} - set(translations("de").values())
    left = [one for one, text in seen.items() if text in whole - FORMS or _is_english(text)]
    assert not left, "\n".join(left)
    assert len(seen) > 100


def _is_english(text: str) -> bool:
    return (
        bool(_ENGLISH.search(re.sub(r"„\w+“", "", text))) and not text.startswith("/") and text not in FORMS
    )


def _walk(space: Workspace) -> Iterator[tuple[str, str]]:
    """Where a text stands, and the text: menus, then the widgets of every view and dialog."""
    for menu in space.window.findChildren(QMenu):
        for action in menu.actions():
            yield from ((f"menu {menu.title()}", one) for one in (action.text(), action.toolTip()) if one)
    for view in VIEWS:
        shown = view.show(space)
        Watch(space).wait()
        assert shown is not None
        yield from _visible(view.name, shown)
        if shown is not space.window:
            shown.close()


def _tabs(space: Workspace) -> Iterator[tuple[str, str]]:
    """The tabs of the inspector for some messages, how the run went, and a recorded compaction."""
    screen = space.page.preview
    assert screen is not None
    for index in range(0, len(screen.before), max(1, len(screen.before) // 6)):
        space.page.go_to("before", index)
        for tab in ("message", "why", "fidelity", "lint"):
            space.page.show_tab(tab)
            Watch(space).wait()
            yield from _visible(f"{tab} #{index + 1}", space.window)
    for view in (find_view("run"), find_view("recorded"), find_view("beside")):
        view.show(space)
        Watch(space).wait()
        yield from _visible(view.name, space.window)


def _visible(where: str, window: QWidget) -> Iterator[tuple[str, str]]:
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            yield from ((f"{where} {type(widget).__name__}", one) for one in _texts(widget) if one)


def _texts(widget: QWidget) -> list[str]:
    if isinstance(widget, QAbstractButton):
        return [widget.text(), widget.toolTip(), widget.accessibleName()]
    if isinstance(widget, QTabBar):
        return [widget.tabText(at) for at in range(widget.count())]
    if isinstance(widget, QComboBox):
        return [widget.accessibleName(), *widget.toolTip().split("\n")]
    if isinstance(widget, SpanText):
        return [] if any(isinstance(one.text, Quoted) for one in widget.spans) else [widget.text]
    if isinstance(widget, QHeaderView):
        model = widget.model()
        return [str(model.headerData(at, widget.orientation()) or "") for at in range(widget.count())]
    return [widget.text()] if isinstance(widget, QLabel) and widget.property("role") != "path" else []


def test_text_is_a_pair() -> None:
    assert Text("saved", "layer") != Text("saved")
