"""A row of the tuning panel: a setting's label, its editors, and what its value means here."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from core.presentation.inspector_model import TextSpan
from core.presentation.model import SettingControl
from gui.inspect.tuning.editors import ControlEditor, FractionSlider, NumberField, field_of
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import LAYER_GLYPHS, glyph_icon
from gui.widgets.text_labels import ElidedLabel, SpanText, set_style_property
from gui.widgets.theme import SECONDARY, Theme

HOLD_MS = 400
"""For this long after a change, older answers do not reset the editor."""
PROMPT_KEY = "prompt"
"""The key of the fact that names the prompt, which can be edited."""
SESSION_LAYER = "session"
"""The layer whose values Reset removes."""
LAYER_WORDS = {SESSION_LAYER: "changed here", "saved": "my default", "default": "built in"}


class ControlRow(QWidget):
    """Label and number, slider over the full width, one line of meaning. ``changed`` carries key, value and
    whether it is a draft; the value None resets."""

    changed = Signal(str, object, bool)
    prompt_requested = Signal()
    link_activated = Signal(str)

    def __init__(self, control: SettingControl) -> None:
        super().__init__()
        self.control = control
        self._last_value: object = None
        self._hold_timer = QTimer(self, singleShot=True, interval=HOLD_MS)
        self._hold_timer.timeout.connect(self._on_hold_over)
        self.label = text_label("", "muted" if control.kind == "fact" else "")
        self.label.setParent(self)  # shown without one, it would be a window and close an open popup
        self.label.setWordWrap(control.kind != "fact")
        self.value = ElidedLabel("", "secondary", self, min_chars=7)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.hint = SpanText(SECONDARY, "text2", space_below=2)
        self.hint.link_activated.connect(self.link_activated)
        field = field_of(control.kind, self)
        slider = FractionSlider(self) if control.kind == "fraction" else None
        self.editors: tuple[ControlEditor, ...] = tuple(one for one in (field, slider) if one is not None)
        self.dot = QToolButton(self)
        self.dot.setAutoRaise(True)
        self.dot.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.dot.setMenu(QMenu(self.dot))
        self.dot.setStyleSheet("QToolButton { border: none; } QToolButton::menu-indicator { image: none; }")
        self.dot.setFixedWidth(16)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._first_line(field))
        if slider is not None:
            column.addWidget(slider)
        column.addWidget(self.hint)
        for editor in self.editors:
            editor.changed.connect(self._on_changed)
        self.show_control(control)

    def _first_line(self, field: QWidget | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        is_filled = self.control.kind in ("flag", "text")  # by its field, which says what it is
        if is_filled and field is not None:
            row.addWidget(field, 1)
        row.addWidget(self.label, 0 if is_filled else 1)
        self.label.setVisible(not is_filled)
        row.addWidget(self.value)
        if field is not None and not is_filled:
            row.addWidget(field)
        if self.control.key == PROMPT_KEY:
            edit = push_button(tr("Edit…"), "link")
            edit.setAccessibleName(tr("Edit {label}").format(label=self.control.label))
            edit.clicked.connect(self.prompt_requested)
            row.addWidget(edit)
        row.addWidget(self.dot)
        return row

    def set_theme(self, theme: Theme) -> None:
        self.dot.setIcon(glyph_icon(LAYER_GLYPHS[SESSION_LAYER], theme.accent_text))

    def show_control(self, control: SettingControl) -> None:
        """Show another value in place, unless the slider is dragged or a number is being typed."""
        self.control = control
        self.label.setText(control.label)
        self.label.setToolTip(control.help)
        value_text = control.value_text if control.kind == "fact" else control.effect
        self.value.show_text(value_text)
        self.value.setVisible(bool(value_text))
        set_style_property(self.value, "tone", control.effect_tone)
        link = (TextSpan(" · "), TextSpan(*control.hint_link)) if control.hint_link else ()
        self.hint.set_spans((TextSpan(control.hint), *link))
        self.hint.setVisible(bool(self.hint.text))
        self._show_layers(control)
        if control.value == self._last_value:
            self._hold_timer.stop()
        if not self._hold_timer.isActive():
            self._show_in_editors(control)

    def _show_layers(self, control: SettingControl) -> None:
        """Show the dot where the value differs from the default; it opens the values and Reset."""
        self.dot.setVisible(control.layer in (SESSION_LAYER, "saved"))
        layer_words = layer_text(control, control.layer)
        self.dot.setAccessibleName(f"{control.label}: {layer_words}")
        self.dot.setToolTip(tr("{layer}: click for all values and Reset").format(layer=layer_words))
        menu = self.dot.menu()
        menu.clear()
        for layer, text in control.layers:
            menu.addAction(f"{layer_text(control, layer)}: {text}").setEnabled(False)
        menu.addSeparator()
        reset = menu.addAction(tr("Reset"))
        reset.setEnabled(control.layer == SESSION_LAYER)
        reset.triggered.connect(self._on_reset)

    def _show_in_editors(self, control: SettingControl) -> None:
        self._last_value = control.value
        for editor in self.editors:
            editor.show_control(control)

    def _on_hold_over(self) -> None:
        self._show_in_editors(self.control)

    def _on_changed(self, value: object, draft: bool) -> None:
        self._last_value = value
        self._hold_timer.start()
        for editor in self.editors:
            if editor is not self.sender() and isinstance(editor, FractionSlider | NumberField):
                editor.show_number(value if isinstance(value, float) else None)
        self.changed.emit(self.control.key, value, draft)

    def _on_reset(self) -> None:
        self.changed.emit(self.control.key, None, False)


def layer_text(control: SettingControl, layer: str) -> str:
    """Return where a value comes from; for the effective one with the profile that set it."""
    words = tr(LAYER_WORDS.get(layer, layer))
    if not control.profile or layer != control.layer:
        return words
    return tr("{layer}, profile {profile}").format(layer=words, profile=control.profile)
