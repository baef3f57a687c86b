"""Painted text: the part that fits with an ellipsis, found without measuring the rest."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gui.inspect.lists.painting import FontFace, fitted_text, list_fonts
from gui.widgets.theme import body_font

_TEXTS = ("", "i", "read it", "il|." * 50, "WM@" * 66, "日本語 🔍 " * 25, "e\u0301fi ffl AVAVTo " * 12)


def _as_a_whole(face: FontFace, words: str, room: float) -> str:
    if face.metrics.horizontalAdvance(words) <= room:
        return words
    return face.metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)


@pytest.mark.parametrize("words", _TEXTS)
def test_a_long_text_is_cut_as_if_all_of_it_had_been_measured(qapp: QApplication, words: str) -> None:
    faces = list_fonts(body_font())
    for face in (faces.body, faces.mono, faces.small_bold):
        for room in range(8, 600, 7):
            assert fitted_text(face, words, room)[0] == _as_a_whole(face, words, room)


def test_where_no_ellipsis_fits_nothing_is_painted(qapp: QApplication) -> None:
    assert fitted_text(list_fonts(body_font()).body, "hello", 3) == ("", 3)
