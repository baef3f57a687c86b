"""The form of a profile: provider, model, where its key is (never the key), parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.presentation.settings.model import ProfileRow
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel, tabular_feature
from gui.widgets.theme import mono_font_for, scaled_pixels

SOURCES = (
    ("none", "None"),
    ("environment", "Environment variable"),
    ("keyring", "Keyring entry"),
)
"""Where a key is, as in ProfileRow and in words."""
_NAMES = {"environment": "ANTHROPIC_API_KEY", "keyring": "foldline/anthropic"}
_MAX_SECONDS = 86_400.0
_SECONDS, _SETTINGS_HEIGHT = 110, 28
"""Width and height of the timeout's field in pixels."""


class ProfileForm(QScrollArea):
    """Shows and edits a profile; ``edited`` is emitted for the user's changes."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._row = ProfileRow("", "", "")
        self.name, self.model, self.base_url = QLineEdit(), QLineEdit(), QLineEdit()
        self.provider, self.source, self.key_name = QComboBox(), QComboBox(), QLineEdit()
        self.parameters = QPlainTextEdit()
        self.timeout, self.total_timeout = QDoubleSpinBox(), QDoubleSpinBox()
        self._key_problem, self._variables = text_label(""), dict[str, str]()
        self.stream = QCheckBox(tr("Show the answer while it is written"))
        self.with_session_values = QCheckBox(tr("Save this session's values with it"))
        self._about, self._settings = text_label("", "secondary"), QWidget()
        self._names: list[QLabel] = []
        self._set_up()
        self._lay_out()
        self._measure()
        self._connect()

    def _set_up(self) -> None:
        times = (self.timeout, self.total_timeout)
        for field in (self.name, self.model, self.base_url, self.key_name, self.parameters, *times):
            field.setProperty("role", "field")
        self.provider.setEditable(True)
        self.provider.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for value, text in SOURCES:
            self.source.addItem(tr(text), value)
        self.base_url.setPlaceholderText(tr("the provider's own"))
        self.parameters.setFont(mono_font_for(self.font()))
        self.parameters.setPlaceholderText("temperature = 0.2")
        self.parameters.setTabChangesFocus(True)
        for seconds in times:
            seconds.setRange(1.0, _MAX_SECONDS)
            seconds.setDecimals(0)
            seconds.setSuffix(" s")
            seconds.setAlignment(Qt.AlignmentFlag.AlignRight)
            seconds.setFont(tabular_feature())
        self.timeout.setToolTip(tr("The longest silence of the model before the call is given up"))
        self.total_timeout.setToolTip(tr("The longest time of a call in all, its tries included"))
        self._key_problem.setProperty("tone", "warn")
        self._key_problem.setWordWrap(True)
        self._about.setWordWrap(True)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _measure(self) -> None:
        """Set the heights: four lines of parameters; names and the timeout as the other fields."""
        self.parameters.setFixedHeight(4 * self.parameters.fontMetrics().lineSpacing() + 14)
        height = scaled_pixels(_SETTINGS_HEIGHT, self.font())
        for seconds in (self.timeout, self.total_timeout):
            seconds.setFixedSize(scaled_pixels(_SECONDS, self.font()), height)
        for name in self._names:
            name.setMinimumHeight(height)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()

    def _lay_out(self) -> None:
        key = QHBoxLayout()
        key.setSpacing(8)
        key.addWidget(self.source)
        key.addWidget(self.key_name, 1)
        note = text_label(
            tr("Foldline stores the name under which the key is found, never the key."), "quiet"
        )
        grid = QGridLayout()
        grid.setVerticalSpacing(8)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[str, QWidget | QHBoxLayout], ...] = (
            (tr("Name"), self.name),
            ("", self._about),
            (tr("Provider"), self.provider),
            (tr("Model"), self.model),
            (tr("Base URL"), self.base_url),
            (tr("Key"), key),
            ("", self._key_problem),
            ("", note),
            (tr("Parameters"), self.parameters),
            (tr("Timeout"), self.timeout),
            (tr("Total time"), self.total_timeout),
            (tr("Streaming"), self.stream),
            (tr("Settings"), self._settings),
            ("", self.with_session_values),
        )
        for number, (text, part) in enumerate(rows):
            self._add(grid, number, text, part)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 14, 16, 12)
        column.addLayout(grid)
        column.addStretch(1)
        self.setWidget(inside)
        self._lines = QVBoxLayout(self._settings)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(2)

    def _add(self, grid: QGridLayout, number: int, text: str, part: QWidget | QHBoxLayout) -> None:
        if text:
            name = text_label(text)
            self._names.append(name)
            grid.addWidget(name, number, 0, Qt.AlignmentFlag.AlignTop)
            widget = self.source if isinstance(part, QHBoxLayout) else part
            name.setBuddy(widget)
            widget.setAccessibleName(text)
        if isinstance(part, QHBoxLayout):
            grid.addLayout(part, number, 1)
        elif isinstance(part, QDoubleSpinBox):
            grid.addWidget(part, number, 1, Qt.AlignmentFlag.AlignLeft)
        else:
            grid.addWidget(part, number, 1)

    def _connect(self) -> None:
        for field in (self.name, self.model, self.base_url, self.key_name):
            field.textEdited.connect(self._on_text)
        self.key_name.setAccessibleName(tr("Name under which the key is found"))
        self.provider.editTextChanged.connect(self._on_provider)
        self.source.currentIndexChanged.connect(self._on_source)
        self.parameters.textChanged.connect(self.edited)
        self.timeout.valueChanged.connect(self.edited)
        self.total_timeout.valueChanged.connect(self.edited)
        self.stream.toggled.connect(self.edited)
        self.with_session_values.toggled.connect(self.edited)

    @property
    def row(self) -> ProfileRow:
        source = self.source.currentData() or "none"
        return replace(
            self._row,
            name=self.name.text().strip(),
            provider=self.provider.currentText().strip(),
            model=self.model.text().strip(),
            base_url=self.base_url.text().strip(),
            key_source=source,
            key_name=self.key_name.text().strip() if source in _NAMES else "",
            parameters=self.parameters.toPlainText().strip(),
            timeout=self.timeout.value(),
            total_timeout=self.total_timeout.value(),
            stream=self.stream.isChecked(),
        )

    def show_providers(self, providers: tuple[str, ...], variables: Mapping[str, str]) -> None:
        """Offer these providers, with the usual variables of their keys; others may be typed."""
        self._variables = dict(variables)
        with QSignalBlocker(self.provider):
            text = self.provider.currentText()
            self.provider.clear()
            self.provider.addItems(list(providers))
            self.provider.setEditText(text)

    def show_row(self, row: ProfileRow) -> None:
        """Show a profile without emitting. A fixed one is read-only."""
        self._row = row
        with QSignalBlocker(self):
            self.name.setText(row.name)
            self.provider.setEditText(row.provider)
            self.model.setText(row.model)
            self.base_url.setText(row.base_url)
            self.source.setCurrentIndex(max(0, self.source.findData(row.key_source)))
            self.key_name.setText(row.key_name)
            self.parameters.setPlainText(row.parameters)
            self.timeout.setValue(row.timeout)
            self.total_timeout.setValue(row.total_timeout)
            self.stream.setChecked(row.stream)
            self.with_session_values.setChecked(False)
        self._about.setText(row.about)
        self._about.setVisible(bool(row.about))
        self._show_settings(row.settings)
        for field in self._fields():
            field.setEnabled(not row.is_built_in)
        self._show_source()

    def _fields(self) -> tuple[QWidget, ...]:
        texts = (self.name, self.provider, self.model, self.base_url, self.parameters)
        return (*texts, self.source, self.timeout, self.total_timeout, self.stream, self.with_session_values)

    def _show_settings(self, settings: tuple[tuple[str, str], ...]) -> None:
        while (item := self._lines.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for key, value in settings:
            line = ElidedLabel(f"{key} = {value}")
            line.setFont(mono_font_for(self.font()))
            line.setMinimumHeight(20)
            self._lines.addWidget(line)
        if not settings:
            none = text_label(tr("None. Using this profile leaves the settings as they are."), "muted")
            none.setMinimumHeight(28)
            self._lines.addWidget(none)

    @property
    def key_problem(self) -> str:
        """Return why calls would lack a key, as far as the form can tell; "" if they would not."""
        row = self.row
        if row.key_source == "environment" and row.key_name and not os.environ.get(row.key_name, "").strip():
            return tr("{name} is not set: calls fail until it is.").format(name=row.key_name)
        if row.key_source == "none" and row.provider in self._variables and not row.base_url:
            return tr("{name} needs a key: say where it is found.").format(name=row.provider)
        return ""

    def _on_text(self) -> None:
        self._show_key_problem()
        self.edited.emit()

    def _on_provider(self, provider: str) -> None:
        """Suggest the provider's usual variable, unless another one was typed."""
        if self.signalsBlocked():  # filled in, not typed
            return
        usual = self._variables.get(provider, "")
        if self.key_name.text() in ("", *self._variables.values()) and not self.base_url.text():
            with QSignalBlocker(self.source):
                self.source.setCurrentIndex(self.source.findData("environment" if usual else "none"))
            self.key_name.setText(usual)
            self._show_source()
        self._on_text()

    def _on_source(self) -> None:
        self._show_source()
        self.edited.emit()

    def _show_key_problem(self) -> None:
        self._key_problem.setText(self.key_problem)
        self._key_problem.setVisible(bool(self.key_problem))

    def _show_source(self) -> None:
        source = self.source.currentData()
        self.key_name.setEnabled(source in _NAMES and not self._row.is_built_in)
        self.key_name.setPlaceholderText(_NAMES.get(source, ""))
        self._show_key_problem()
