"""The profiles dialog: all profiles at the left, the form of one at the right."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

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

from core.app.remote_methods import ProfileService
from core.presentation.dialog_model import ProfileRow, ProfilesPage
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import push_button, show_dialog, text_label
from gui.widgets.message_row import NoticeList
from gui.widgets.side_dialog import SideDialog, SideList, question_dialog
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
        self.name, self.model, self.base_url, self.key_name = (
            QLineEdit() for _ in range(4)
        )
        self.provider = QComboBox()
        self.source = QComboBox()
        self.parameters = QPlainTextEdit()
        self.timeout = _seconds_field()
        self.total_timeout = _seconds_field()
        self.stream = QCheckBox(tr("Show the answer while it is written"))
        self.with_session_values = QCheckBox(tr("Save this session's values with it"))
        self._about = text_label("", "secondary")
        self._key_problem = text_label("")
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
        self.parameters.setFixedHeight(
            4 * self.parameters.fontMetrics().lineSpacing() + 14
        )
        self.timeout.setToolTip(
            tr("How long the model may be silent before the call ends")
        )
        self.total_timeout.setToolTip(
            tr("How long a call may take in all, with its retries")
        )
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
            tr("Foldline stores the name under which the key is found, never the key."),
            "quiet",
        )
        self._form = QFormLayout()
        self._form.setVerticalSpacing(8)
        self._form.setHorizontalSpacing(12)
        self._form.setFieldGrowthPolicy(
            QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow
        )
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

    def show_providers(
        self, providers: tuple[str, ...], variables: Mapping[str, str]
    ) -> None:
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
        self._settings.setText(
            "\n".join(f"{key} = {value}" for key, value in row.settings) or none
        )
        fields = (
            self.name,
            self.provider,
            self.model,
            self.base_url,
            self.parameters,
            self.source,
        )
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
            return tr("{name} is not set: calls fail until it is.").format(
                name=row.key_name
            )
        if (
            row.key_source == "none"
            and row.provider in self._variables
            and not row.base_url
        ):
            return tr("{name} needs a key: say where it is found.").format(
                name=row.provider
            )
        return ""

    def _on_provider(self, provider: str) -> None:
        """Suggest the provider's usual variable, unless another one was typed."""
        if self.signalsBlocked():  # filled in, not typed
            return
        usual = self._variables.get(provider, "")
        if (
            self.key_name.text() in ("", *self._variables.values())
            and not self.base_url.text()
        ):
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


NEW = ""
"""The name on disk of a profile that is not saved yet."""
_BLANK = ProfileRow(name=NEW, provider="", model="")


class ProfilesDialog(SideDialog):
    """Unsaved edits of a profile are kept while others are shown."""

    def __init__(self, parent: QWidget | None, client: BackendClient) -> None:
        super().__init__(parent, tr("Profiles"), side_letters=26, size=(900, 640))
        self._client = client
        self._page = ProfilesPage((), ())
        self._current = NEW  # the name on disk of the shown profile
        self._edits: dict[str, ProfileRow] = {}  # by name on disk
        self._notices: tuple[Notice, ...] = ()
        self.profiles = SideList(tr("Profiles"))
        self.form = ProfileForm()
        self.message_list = NoticeList()
        self.new_button, self.duplicate_button, self.delete_button = (
            push_button(text, "small")
            for text in (tr("New"), tr("Duplicate"), tr("Delete…"))
        )
        self.test = push_button(tr("Test connection (under $0.01)"))
        self.testing = text_label("", "muted")
        self.revert = push_button(tr("Revert"))
        self.use = push_button(tr("Use"))
        self.save = push_button(tr("Save"), "primary")
        self._lay_out()
        self.profiles.chosen.connect(self._on_chosen)
        self.form.edited.connect(self._on_edited)
        for button, slot in (
            (self.new_button, self._on_new),
            (self.duplicate_button, self._on_duplicate),
            (self.delete_button, self._on_delete),
            (self.test, self._on_test),
            (self.revert, self._on_revert),
            (self.use, self._on_use),
            (self.save, self._on_save),
        ):
            button.clicked.connect(slot)

    def _lay_out(self) -> None:
        buttons = row_of(
            self.new_button,
            self.duplicate_button,
            self.delete_button,
            margins=(8, 0, 8, 0),
            gap=6,
        )
        self.side.addWidget(self.profiles, 1)
        self.side.addLayout(buttons)
        self.pane.addWidget(self.form, 1)
        self.pane.addLayout(column_of(self.message_list, margins=(16, 0, 16, 12)))
        self.test.setToolTip(
            tr("Call the model with a few tokens, by the values of this form")
        )
        self.revert.setToolTip(tr("Take back the edits"))
        self.use.setToolTip(
            tr("Make this the active profile and load its settings into the session")
        )
        self.foot.addWidget(self.test)
        self.foot.addWidget(self.testing, 1)
        self.add_buttons(self.revert, self.use, self.save)

    @property
    def _saved_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self._page.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The saved names in order of the list; NEW for a new profile comes last."""
        return (*self._saved_names, *((NEW,) if NEW in self._edits else ()))

    @property
    def current(self) -> ProfileRow:
        """The shown profile as edited, else as saved."""
        return self._row(self._current)

    def _row(self, name: str) -> ProfileRow:
        return self._edits.get(name) or self._on_disk(name)

    def _on_disk(self, name: str) -> ProfileRow:
        return next((row for row in self._page.rows if row.name == name), _BLANK)

    def show_page(self, page: ProfilesPage) -> None:
        """Show all profiles; unsaved edits stay."""
        is_first, before, self._page = not self._page.rows, self.current, page
        if is_first:
            self._current = next(
                (row.name for row in page.rows if row.active), self._current
            )
        if self._current not in self.names:
            if self.names:
                self._current = self.names[0]
            else:
                self._current = NEW
        self.form.show_providers(page.providers, page.variables)
        if self.current != before or is_first:
            self.form.show_row(self.current)
        self._refresh()

    def select(self, name: str) -> None:
        if name in self.names:
            self._current = name
            self.forget_notices()
            self.form.show_row(self.current)
            self._refresh()

    def show_notice(self, notice: Notice) -> None:
        """Show an error or a warning inside the dialog."""
        if notice.severity != "info":
            self._notices = (notice,)
            self._refresh()

    def forget_notices(self) -> None:
        self._notices = ()
        self._refresh()

    def _refresh(self) -> None:
        """Show the list, the messages, and what can be done with the shown profile."""
        entries = []
        for name in self.names:
            row = self._row(name)
            notes = {
                "unsaved": name in self._edits,
                "in use": row.active,
                "built in": row.is_built_in,
            }
            note = next((tr(note) for note, holds in notes.items() if holds), "")
            entries.append((row.name or tr("new profile"), note, True))
        self.profiles.show_entries(
            entries,
            self.names.index(self._current) if self._current in self.names else -1,
        )
        problems = (Notice("warning", "", problem) for problem in self._page.problems)
        self.message_list.show_notices((*self._notices, *problems))
        row = self.current
        is_edited = self._current in self._edits
        is_saved = self._current in self._saved_names
        is_complete = bool(row.name and row.provider and row.model)
        self.duplicate_button.setEnabled(is_saved)
        self.delete_button.setEnabled(not row.is_built_in)
        self.save.setEnabled(is_edited and is_complete)
        self.revert.setEnabled(is_edited)
        self.use.setEnabled(is_saved and not is_edited and not row.active)
        self.test.setVisible(not row.is_built_in)  # offline connects to nothing
        self.test.setEnabled(
            is_complete
        )  # also while it calls: a disabled button loses the focus

    def _on_chosen(self, number: int) -> None:
        self.select(self.names[number])

    def _on_edited(self) -> None:
        row = self.form.row
        is_more = self.form.with_session_values.isChecked()
        if (
            row == self._on_disk(self._current)
            and self._current in self._saved_names
            and not is_more
        ):
            self._edits.pop(self._current, None)
        else:
            self._edits[self._current] = row
        self._refresh()

    def _on_new(self) -> None:
        self._edits.setdefault(NEW, _BLANK)
        self.select(NEW)
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _on_duplicate(self) -> None:
        number, name = 2, f"{self.current.name}-copy"
        while name in self.names:
            name = f"{self.current.name}-copy-{number}"
            number = number + 1
        self._edits[NEW] = replace(
            self.current, name=name, about="", is_built_in=False, active=False
        )
        self._on_new()

    def _on_delete(self) -> None:
        if self._current not in self._saved_names:
            self._on_revert()
            return
        question = tr("Delete the profile {name} and its file?").format(
            name=self._current
        )
        if use := next(
            (row.use for row in self._page.rows if row.name == self._current), ""
        ):
            in_use = tr("{name} is in use: {use}.").format(name=self._current, use=use)
            question = f"{in_use} {question}"
        dialog = question_dialog(self, question, tr("Delete"))
        dialog.accepted.connect(self._on_delete_agreed)
        show_dialog(dialog)

    def _on_delete_agreed(self) -> None:
        self._edits.pop(self._current, None)
        self._client.call(self, ProfileService.delete, self._current, True)

    def _on_revert(self) -> None:
        self._edits.pop(self._current, None)
        self.select(
            self._current
            if self._current in self.names
            else next(iter(self.names), NEW)
        )

    def _on_save(self) -> None:
        row = self.form.row
        with_values = self.form.with_session_values.isChecked()
        self.forget_notices()
        call = self._client.call(
            self, ProfileService.save, row, self._current, with_values
        )
        call.done(partial(self._on_saved, self._current, row.name)).failed(
            self._on_failed
        )

    def _on_saved(self, former: str, name: str, _: object) -> None:
        """The edits of the profile end, and it has its new name; the page follows."""
        self._edits.pop(former, None)
        self._current = name if self._current == former else self._current

    def _on_failed(self, notice: Notice) -> None:
        self._client.notice.emit(notice)
        self.show_notice(notice)

    def _on_use(self) -> None:
        self.forget_notices()
        self._client.call(self, ProfileService.use, self._current)

    def _on_test(self) -> None:
        if self.testing.text():
            return
        row = self.form.row
        self._notices = ()
        self.testing.setText(tr("Calling {name}…").format(name=row.name))
        self._refresh()
        call = self._client.call(self, ProfileService.test, row)
        call.done(self._on_answer).failed(self._on_answer).cancelled(
            partial(self._on_answer, None)
        )

    def _on_answer(self, notice: Notice | None) -> None:
        """Show the result of a test; None if it was cancelled."""
        self.testing.setText("")
        if notice is not None:
            self._notices = (
                replace(notice, severity="ok") if notice.severity == "info" else notice,
            )
        self._refresh()
