"""Colours keep the contrast and the distances that the design promises."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtGui import QColor, QFontInfo
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.common.paths import RESOURCES
from core.presentation.model import FATES, KINDS
from gui.widgets import theme as themes
from gui.widgets.appearance import AppearanceController
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import FATE_GLYPHS, GLYPHS, LAYER_GLYPHS, app_icon, glyph_icon, glyph_pixmap
from gui.widgets.theme import Theme, apply_theme, theme
from tests.gui.colour_maths import BLINDNESS, contrast, distance
from tests.source_tree import files

LIGHT, DARK, HIGH = (theme(name) for name in themes.THEME_NAMES)
ON_SURFACE = [
    ("text", 16.1, 13.6),
    ("text2", 7.6, 9.1),
    ("text3", 5.5, 6.2),
    ("control_border", 3.3, 4.0),
    ("accent_text", 6.5, 8.2),
    ("ok", 5.9, 8.3),
    ("warn", 6.3, 8.7),
    ("error", 6.6, 7.5),
]


@pytest.mark.parametrize(("token", "light", "dark"), ON_SURFACE)
def test_contrast_on_surface(token: str, light: float, dark: float) -> None:
    assert contrast(getattr(LIGHT, token), LIGHT.surface) == pytest.approx(light, abs=0.15)
    assert contrast(getattr(DARK, token), DARK.surface) == pytest.approx(dark, abs=0.15)


@pytest.mark.parametrize("one", [LIGHT, DARK, HIGH], ids=themes.THEME_NAMES)
def test_text_reads_on_every_ground(one: Theme) -> None:
    for ground in (one.surface, one.surface2, one.free, one.selection, one.bar_warn, *one.fate_tint):
        assert contrast(one.text, ground) >= 10
    assert contrast(one.on_accent, one.accent_fill) >= 5.3


@pytest.mark.parametrize("one", [LIGHT, DARK, HIGH], ids=themes.THEME_NAMES)
def test_fate_text_reads_on_surface_and_on_its_tint(one: Theme) -> None:
    for ink, tint in zip(one.fate_text, one.fate_tint, strict=True):
        assert contrast(ink, one.surface) >= 4.7
        assert contrast(ink, tint) >= 4.5


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize(("one", "kinds", "fates"), [(LIGHT, 23, 27), (DARK, 21, 19)])
def test_fills_stay_apart_for_the_colour_blind(
    one: Theme, kinds: float, fates: float, blindness: str
) -> None:
    plain = [colour for name, colour in zip(KINDS, one.kind, strict=True) if name != "system"]
    changes = one.fate_fill[1:5]
    assert min(distance(a, b, blindness) for a, b in combinations(plain, 2)) >= kinds - 1
    assert min(distance(a, b, blindness) for a, b in combinations(changes, 2)) >= fates - 1


@pytest.mark.parametrize("one", [LIGHT, DARK, HIGH], ids=themes.THEME_NAMES)
def test_tuples_are_parallel_to_the_codes(one: Theme) -> None:
    assert len(one.kind) == len(KINDS)
    assert {len(group) for group in (one.fate_text, one.fate_fill, one.fate_tint)} == {len(FATES) + 1}
    assert all(isinstance(colour, QColor) and colour.isValid() for colour in one.kind)


def test_apply_sets_controls_to_28_pixels(qapp: QApplication, qtbot: QtBot) -> None:
    themes.apply_theme(qapp, LIGHT)
    button = QPushButton("Open…")
    qtbot.addWidget(button)
    assert button.sizeHint().height() == 28
    assert qapp.palette().base().color() == LIGHT.surface
    qapp.setStyleSheet("")


def test_fonts_scale_with_the_zoom(qapp: QApplication) -> None:
    assert QFontInfo(themes.body_font(2.0)).pixelSize() == 26
    assert themes.resized_font(themes.body_font(2.0), themes.SMALL).pixelSize() == 22
    assert QFontInfo(themes.mono_font()).fixedPitch()


@pytest.mark.parametrize("name", GLYPHS)
def test_every_glyph_leaves_ink(qapp: QApplication, name: str) -> None:
    image = glyph_pixmap(name, QColor("black"), 12, 2.0).toImage()
    assert image.width() == 24
    assert any(image.pixelColor(x, y).alpha() for x in range(24) for y in range(24))


def test_every_glyph_and_icon_file_is_used() -> None:
    texts = [path.read_text("utf-8") for path in files("gui", "core/view")]
    shown = {*FATE_GLYPHS, *LAYER_GLYPHS.values()}
    unused = [name for name in GLYPHS if name not in shown and sum(f'"{name}"' in t for t in texts) < 2]
    assert unused == []
    for path in (RESOURCES / "icons").glob("*.svg"):
        stem = path.stem.replace("-light", "-$ink").replace("-dark", "-$ink")
        assert any(f"{stem}.svg" in text for text in texts), path.name


def test_fates_and_layers_have_glyphs(qapp: QApplication) -> None:
    assert set(FATE_GLYPHS) | set(LAYER_GLYPHS.values()) <= set(GLYPHS)
    assert not glyph_icon("open", QColor("black"), disabled=QColor("grey")).isNull()
    assert not app_icon().pixmap(32, 32).isNull()


@pytest.fixture
def styled(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """The theme and text size of each restyling of all widgets."""
    stylings: list[tuple[str, float]] = []

    def style(app: QApplication, theme: Theme, zoom: float, *, is_complete: bool) -> None:
        stylings.append((theme.name, zoom))

    monkeypatch.setattr("gui.widgets.appearance.apply_theme", style)
    return stylings


def test_choices_and_steps_that_wait_are_applied_once(
    qapp: QApplication, styled: list[tuple[str, float]]
) -> None:
    appearance = AppearanceController(qapp, "light")
    for step in (1, 1, -1):
        appearance.zoom_by(step)
        appearance.choose("high-contrast" if step > 0 else "dark")
    QApplication.processEvents()
    assert styled == [("light", 1.0), ("dark", 1.1)]
    appearance.deleteLater()


def test_what_is_shown_already_is_not_applied_again(
    qtbot: QtBot, qapp: QApplication, styled: list[tuple[str, float]]
) -> None:
    appearance = AppearanceController(qapp, "light", 2.0)
    with qtbot.waitSignal(appearance.changed):
        appearance.zoom_by(1)
    with qtbot.waitSignal(appearance.changed):
        appearance.choose("light")
    assert styled == [("light", 2.0)]
    appearance.deleteLater()


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
