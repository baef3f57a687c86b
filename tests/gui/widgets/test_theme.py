"""Colours keep the contrast and the distances that the design promises."""

from itertools import combinations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.common.paths import RESOURCES
from core.presentation.model import FATES, KINDS
from gui.widgets import theme as themes
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import FATE_GLYPHS, GLYPHS, LAYER_GLYPHS, glyph_pixmap
from gui.widgets.theme import Theme, apply_theme, theme
from tests.gui.colour_maths import BLINDNESS, distance
from tests.support.source_tree import files

LIGHT, DARK, HIGH = (theme(name) for name in themes.THEME_NAMES)


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize(("one", "kinds", "fates"), [(LIGHT, 23, 27), (DARK, 21, 19)])
def test_fills_stay_apart_for_the_colour_blind(
    one: Theme, kinds: float, fates: float, blindness: str
) -> None:
    plain = [
        colour for name, colour in zip(KINDS, one.kind, strict=True) if name != "system"
    ]
    changes = one.fate_fill[1:6]  # edited to dropped
    assert (
        min(distance(a, b, blindness) for a, b in combinations(plain, 2)) >= kinds - 1
    )
    assert (
        min(distance(a, b, blindness) for a, b in combinations(changes, 2)) >= fates - 1
    )


@pytest.mark.parametrize("one", [LIGHT, DARK, HIGH], ids=themes.THEME_NAMES)
def test_tuples_are_parallel_to_the_codes(one: Theme) -> None:
    assert len(one.kind) == len(KINDS)
    assert {len(group) for group in (one.fate_text, one.fate_fill, one.fate_tint)} == {
        len(FATES) + 1
    }
    assert all(isinstance(colour, QColor) and colour.isValid() for colour in one.kind)


@pytest.mark.parametrize("name", GLYPHS)
def test_every_glyph_leaves_ink(qapp: QApplication, name: str) -> None:
    image = glyph_pixmap(name, QColor("black"), 12, 2.0).toImage()
    assert image.width() == 24
    assert any(image.pixelColor(x, y).alpha() for x in range(24) for y in range(24))


def test_every_glyph_and_icon_file_is_used() -> None:
    texts = [path.read_text("utf-8") for path in files("gui", "core/presentation")]
    shown = {*FATE_GLYPHS, *LAYER_GLYPHS.values()}
    unused = [
        name
        for name in GLYPHS
        if name not in shown and sum(f'"{name}"' in t for t in texts) < 2
    ]
    assert unused == []
    for path in (RESOURCES / "icons").glob("*.svg"):
        stem = path.stem.replace("-light", "-$ink").replace("-dark", "-$ink")
        assert any(f"{stem}.svg" in text for text in texts), path.name


def test_in_high_contrast_a_frame_says_that_a_flat_button_is_disabled(
    qapp: QApplication, qtbot: QtBot
) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    apply_theme(qapp, theme("high-contrast"))
    flat = push_button("Undo", "flat")
    flat.setParent(page)
    sizes, tops = [], []
    for enabled in (True, False):
        flat.setEnabled(enabled)
        flat.resize(flat.sizeHint())
        top = page.grab(flat.geometry()).toImage()
        tops.append({top.pixelColor(x, 0).name() for x in range(top.width())})
        sizes.append(flat.size())
    assert sizes[0] == sizes[1]
    assert [HIGH.hairline.name() in colours for colours in tops] == [False, True]
