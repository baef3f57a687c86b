"""The line above the editor: prompt, provider and model, tabs, revert and save."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.theme import scaled_pixels

_MIN_WIDTH = 60
"""Least width in pixels of the provider and model fields."""
TABS = (
    ("text", "Text", "The text of this level."),
    ("changes", "Changes", "What it changes against the level below."),
    ("request", "Request", "What a model would be sent for this conversation."),
)


class EditorHeader(QWidget):
    """Signals carry the user's choices; ``show_prompt`` and ``show_tab`` emit nothing."""

    name_chosen = Signal(str)
    seen_by_chosen = Signal(str, str)  # provider, model
    tab_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._last_seen_by = ("", "")
        self.setProperty("role", "head")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.name, self.provider, self.model = QComboBox(), QLineEdit(), QLineEdit()
        self.revert, self.save = push_button(tr("Revert")), push_button(tr("Save"), "primary")
        self.tabs = SegmentedControl([tr(text) for _, text, _ in TABS], [tr(tip) for _, _, tip in TABS])
        self._lay_out()
        self.name.textActivated.connect(self.name_chosen)
        for field in (self.provider, self.model):
            field.editingFinished.connect(self._on_seen_by)
        self.tabs.chosen.connect(self._on_tab)

    def _lay_out(self) -> None:
        self.name.setAccessibleName(tr("Prompt"))
        self.name.setMinimumWidth(scaled_pixels(130, self.font()))
        self._set_up(self.provider, tr("Provider"), 100, tr("any provider"))
        self._set_up(self.model, tr("Model"), 170, tr("any model"))
        self.revert.setToolTip(tr("Back to the text of the file (Ctrl Z takes it back)"))
        self.save.setToolTip(tr("Write this level's file (Ctrl S)"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(text_label(tr("Prompt"), "secondary"))
        row.addWidget(self.name)
        row.addSpacing(8)
        row.addWidget(text_label(tr("as seen by"), "secondary"))
        row.addWidget(self.provider, 1)
        row.addWidget(text_label("/", "secondary"))
        row.addWidget(self.model, 2)
        row.addStretch()
        row.addWidget(self.tabs)
        row.addSpacing(8)
        row.addWidget(self.revert)
        row.addWidget(self.save)

    def _set_up(self, field: QLineEdit, name: str, width: int, hint: str) -> None:
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        field.setMaximumWidth(scaled_pixels(width, self.font()))
        field.setMinimumWidth(_MIN_WIDTH)
        field.setMinimumHeight(28)
        tip = tr("{name} whose chain is shown. Another one can be looked at before it is used.")
        field.setToolTip(tip.format(name=name))

    def show_prompt(self, name: str, names: Sequence[str], provider: str, model: str) -> None:
        """Show what is edited. A focused field is not changed."""
        if [self.name.itemText(index) for index in range(self.name.count())] != list(names or (name,)):
            self.name.clear()
            self.name.addItems(list(names or (name,)))
        self.name.setCurrentText(name)
        self._last_seen_by = (provider, model)
        for field, text in ((self.provider, provider), (self.model, model)):
            if not (field.hasFocus() and field.isModified()):
                field.setText(text)

    def show_tab(self, name: str) -> None:
        self.tabs.show_choice([tab for tab, _, _ in TABS].index(name))

    def _on_seen_by(self) -> None:
        seen_by = (self.provider.text().strip(), self.model.text().strip())
        for field in (self.provider, self.model):
            field.setModified(False)
        if seen_by != self._last_seen_by:
            self._last_seen_by = seen_by
            self.seen_by_chosen.emit(*seen_by)

    def _on_tab(self, number: int) -> None:
        self.tab_chosen.emit(TABS[number][0])
