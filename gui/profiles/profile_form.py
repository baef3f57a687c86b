"""The form of a profile: provider, model, where its key is (never the key), parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from core.presentation.dialog_model import ProfileRow
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.theme import mono_font_for
from gui.widgets.view_layout import column_of, panel_of, row_of

SOURCES = (
    ("none", "None"),
    ("environment", "Environment variable"),
    ("keyring", "Keyring entry"),
)
"""Where a key is, as in ProfileRow and in words."""
_NAMES = {"environment": "ANTHROPIC_API_KEY", "keyring": "foldline/anthropic"}
_MAX_SECONDS = 86_400.0


class ProfileForm(QScrollArea):
    """Shows and edits a profile; ``edited`` is emitted for the user's changes."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._row = ProfileRow(name="", provider="", model="")
        self._variables: Mapping[str, str] = {}
        self.name, self.model, self.base_url, self.key_name = (QLineEdit() for _ in range(4))
        self.provider, self.source, self.parameters = QComboBox(), QComboBox(), QPlainTextEdit()
        self.timeout, self.total_timeout = _seconds_field(), _seconds_field()
        self.stream = QCheckBox(tr("Show the answer while it is written"))
        self.with_session_values = QCheckBox(tr("Save this session's values with it"))
        self._about, self._key_problem = text_label("", "secondary"), text_label("")
        self._settings = text_label("")
        self._set_up()
        self._lay_out()
        self._connect()

    def _set_up(self) -> None:
        self.provider.setEditable(True)
        self.provider.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for value, text in SOURCES:
            self.source.addItem(tr(text), value)
        self.base_url.setPlaceholderText(tr("the provider's own"))
        self.key_name.setAccessibleName(tr("Name under which the key is found"))
        mono = mono_font_for(self.font())
        self.parameters.setFont(mono)
        self.parameters.setPlaceholderText("temperature = 0.2")
        self.parameters.setTabChangesFocus(True)
        self.parameters.setFixedHeight(4 * self.parameters.fontMetrics().lineSpacing() + 14)
        self.timeout.setToolTip(tr("The longest silence of the model before the call is given up"))
        self.total_timeout.setToolTip(tr("The longest time of a call in all, its tries included"))
        self._key_problem.setProperty("ink", "warn")
        self._settings.setFont(mono)
        for label in (self._about, self._key_problem, self._settings):
            label.setWordWrap(True)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _lay_out(self) -> None:
        key = panel_of(row_of(self.source, self.key_name, stretched=self.key_name))
        key.setFocusProxy(self.source)
        note = text_label(
            tr("Foldline stores the name under which the key is found, never the key."), "quiet"
        )
        self._form = QFormLayout()
        self._form.setVerticalSpacing(8)
        self._form.setHorizontalSpacing(12)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: tuple[tuple[str, QWidget], ...] = (
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
        for text, part in rows:
            part.setProperty("role", part.property("role") or "field")
            self._form.addRow(text_label(text), part)
            if text:
                part.setAccessibleName(text)
        self.source.setAccessibleName(tr("Key"))
        self.setWidget(panel_of(column_of(self._form, None, margins=(16, 14, 16, 12))))

    def _connect(self) -> None:
        for field in (self.name, self.model, self.base_url, self.key_name):
            field.textEdited.connect(self._on_edited)
        self.provider.editTextChanged.connect(self._on_provider)
        self.source.currentIndexChanged.connect(self._on_edited)
        self.parameters.textChanged.connect(self._on_edited)
        for seconds in (self.timeout, self.total_timeout):
            seconds.valueChanged.connect(self._on_edited)
        for box in (self.stream, self.with_session_values):
            box.toggled.connect(self._on_edited)

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
        self._variables = variables
        with QSignalBlocker(self.provider):
            text = self.provider.currentText()
            self.provider.clear()
            self.provider.addItems(list(providers))
            self.provider.setEditText(text)

    def show_row(self, row: ProfileRow) -> None:
        """Show a profile without emitting. A built-in one is read-only."""
        self._row = row
        with QSignalBlocker(self):
            self.name.setText(row.name)
            self.model.setText(row.model)
            self.base_url.setText(row.base_url)
            self.key_name.setText(row.key_name)
            self.provider.setEditText(row.provider)
            self.source.setCurrentIndex(max(0, self.source.findData(row.key_source)))
            self.parameters.setPlainText(row.parameters)
            self.timeout.setValue(row.timeout)
            self.total_timeout.setValue(row.total_timeout)
            self.stream.setChecked(row.stream)
            self.with_session_values.setChecked(False)
        self._about.setText(row.about)
        self._form.setRowVisible(self._about, bool(row.about))
        none = tr("None. Using this profile leaves the settings as they are.")
        self._settings.setText("\n".join(f"{key} = {value}" for key, value in row.settings) or none)
        fields = (self.name, self.provider, self.model, self.base_url, self.parameters, self.source)
        for field in (
            *fields,
            self.timeout,
            self.total_timeout,
            self.stream,
            self.with_session_values,
        ):
            field.setEnabled(not row.is_built_in)
        self._show_key()

    @property
    def key_problem(self) -> str:
        """Return why calls would lack a key, as far as the form can tell; "" if they would not."""
        row = self.row
        if (
            row.key_source == "environment"
            and row.key_name
            and not os.environ.get(row.key_name, "").strip()
        ):
            return tr("{name} is not set: calls fail until it is.").format(name=row.key_name)
        if row.key_source == "none" and row.provider in self._variables and not row.base_url:
            return tr("{name} needs a key: say where it is found.").format(name=row.provider)
        return ""

    def _on_provider(self, provider: str) -> None:
        """Suggest the provider's usual variable, unless another one was typed."""
        if self.signalsBlocked():  # filled in, not typed
            return
        usual = self._variables.get(provider, "")
        if self.key_name.text() in ("", *self._variables.values()) and not self.base_url.text():
            with QSignalBlocker(self.source):
                self.source.setCurrentIndex(
                    self.source.findData("environment" if usual else "none")
                )
            self.key_name.setText(usual)
        self._on_edited()

    def _on_edited(self) -> None:
        self._show_key()
        self.edited.emit()

    def _show_key(self) -> None:
        source = self.source.currentData()
        self.key_name.setEnabled(source in _NAMES and not self._row.is_built_in)
        self.key_name.setPlaceholderText(_NAMES.get(source, ""))
        self._key_problem.setText(self.key_problem)
        self._form.setRowVisible(self._key_problem, bool(self.key_problem))


def _seconds_field() -> QDoubleSpinBox:
    result = QDoubleSpinBox(decimals=0, suffix=" s")
    result.setRange(1.0, _MAX_SECONDS)
    result.setAlignment(Qt.AlignmentFlag.AlignRight)
    result.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    result.setMinimumWidth(110)
    return result
