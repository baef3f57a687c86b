"""Words of ours in a row's text, in the window's language; what a message says itself stays."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from core.view.link import change_from
from core.view.row_words import change_words, matches_words, run_text
from core.view.texts import Texts
from core.view.values import FATES, Rows, Run
from gui.language import ENGLISH, speak, tr
from gui.lists.content import Content
from gui.lists.model import RowsModel
from gui.lists.row_texts import lead_text, line_text

RUN = Run(FATES.index("summarised"), (83, 328), (83, 85))


@pytest.fixture(autouse=True)
def german(qapp: QApplication) -> Iterator[None]:
    speak(qapp, "de")
    yield
    speak(qapp, ENGLISH)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("empty", "leer"),
        ("empty result", "leeres Ergebnis"),
        ("thinking: encrypted", "Denken: verschlüsselt"),
        ("thinking: a {plan}", "Denken: a {plan}"),
        ("2 results: ok, empty result", "2 Ergebnisse: ok, empty result"),
        ("image 1,024 × 768", "Bild 1,024 × 768"),
        ("encrypted, 41 kB", "verschlüsselt, 41 kB"),
        ("empty the bin, then 2 results: ok", "empty the bin, then 2 results: ok"),
    ],
)
def test_what_stands_for_a_message_is_told(said: str, told: str) -> None:
    assert line_text(said) == told


def test_of_leads_only_the_number_of_calls_is_told() -> None:
    assert [lead_text(lead) for lead in ("2 calls:", "calls", "read_file")] == [
        "2 Aufrufe:",
        "calls",
        "read_file",
    ]


def test_a_row_is_read_aloud_in_the_language_of_the_window() -> None:
    rows = Rows(b"\1", b"\1", b"\1", b"\1", array("q", [12]), Texts(["2 calls:"]), Texts(["was dropped"]))
    model = RowsModel("before")
    model.put(Content("before", rows, bytes([FATES.index("dropped")])))
    assert model.speech(0) == "#1 ai, verworfen, 12 Token, Fehler, 2 Aufrufe: was dropped"


def test_changes_and_matches_are_told() -> None:
    change = change_from((RUN,), "before", 0, 1)
    assert change is not None
    assert tr(run_text(RUN)) == "245 zusammengefasst · #84–#328 → #84–#85"
    assert tr(change_words(change)).endswith("#84–#85 · Änderung 1 von 1")
    assert tr(matches_words(b"\1\0", b"\1")) == "1 von 2 vorher, 1 von 1 nachher"
