"""The profiles dialog: all profiles at the left, the form of one at the right."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QWidget

from core.app.services.settings import ProfileService
from core.presentation.dialog_model import ProfileRow, ProfilesPage
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.language import tr
from gui.profiles.profile_form import ProfileForm
from gui.widgets.basic_widgets import push_button, show_dialog, text_label
from gui.widgets.notice_strip import NoticeList
from gui.widgets.side_dialog import SideDialog, SideList, question_dialog
from gui.widgets.view_layout import column_of, row_of

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
        self.profiles, self.form, self.message_list = (
            SideList(tr("Profiles")),
            ProfileForm(),
            NoticeList(),
        )
        self.new_button, self.duplicate_button, self.delete_button = (
            push_button(text, "small") for text in (tr("New"), tr("Duplicate"), tr("Delete…"))
        )
        self.test, self.testing = (
            push_button(tr("Test connection (under $0.01)")),
            text_label("", "muted"),
        )
        self.revert, self.use, self.save = (
            push_button(tr("Revert")),
            push_button(tr("Use")),
            push_button(tr("Save"), "primary"),
        )
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
            self.new_button, self.duplicate_button, self.delete_button, margins=(8, 0, 8, 0), gap=6
        )
        self.side.addWidget(self.profiles, 1)
        self.side.addLayout(buttons)
        self.pane.addWidget(self.form, 1)
        self.pane.addLayout(column_of(self.message_list, margins=(16, 0, 16, 12)))
        self.test.setToolTip(tr("Call the model with a few tokens, as the form says now"))
        self.revert.setToolTip(tr("Forget the edits"))
        self.use.setToolTip(
            tr("Make this the active profile and load its settings into the session")
        )
        close = push_button(tr("Close"))
        close.clicked.connect(self.close)
        self.foot.addWidget(self.test)
        self.foot.addWidget(self.testing, 1)
        for button in (self.revert, self.use, self.save, close):
            self.foot.addWidget(button)

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
            self._current = next((row.name for row in page.rows if row.active), self._current)
        if self._current not in self.names:
            self._current = self.names[0] if self.names else NEW
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
            entries, self.names.index(self._current) if self._current in self.names else -1
        )
        problems = (Notice("warning", "", problem) for problem in self._page.problems)
        self.message_list.show_notices((*self._notices, *problems))
        row, is_edited, is_saved = (
            self.current,
            self._current in self._edits,
            self._current in self._saved_names,
        )
        is_complete = bool(row.name and row.provider and row.model)
        self.duplicate_button.setEnabled(is_saved)
        self.delete_button.setEnabled(not row.is_built_in)
        self.save.setEnabled(is_edited and is_complete)
        self.revert.setEnabled(is_edited)
        self.use.setEnabled(is_saved and not is_edited and not row.active)
        self.test.setVisible(not row.is_built_in)  # offline connects to nothing
        self.test.setEnabled(is_complete)  # also while it calls: a disabled button loses the focus

    def _on_chosen(self, number: int) -> None:
        self.select(self.names[number])

    def _on_edited(self) -> None:
        row, is_more = self.form.row, self.form.with_session_values.isChecked()
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
            name, number = f"{self.current.name}-copy-{number}", number + 1
        self._edits[NEW] = replace(
            self.current, name=name, about="", is_built_in=False, active=False
        )
        self._on_new()

    def _on_delete(self) -> None:
        if self._current not in self._saved_names:
            self._on_revert()
            return
        question = tr("Delete the profile {name}? Its file is removed.").format(name=self._current)
        if use := next((row.use for row in self._page.rows if row.name == self._current), ""):
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
        self.select(self._current if self._current in self.names else next(iter(self.names), NEW))

    def _on_save(self) -> None:
        row, with_values = self.form.row, self.form.with_session_values.isChecked()
        self.forget_notices()
        call = self._client.call(self, ProfileService.save, row, self._current, with_values)
        call.done(partial(self._on_saved, self._current, row.name)).failed(self._on_failed)

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
        call.done(self._on_answer).failed(self._on_answer).cancelled(partial(self._on_answer, None))

    def _on_answer(self, notice: Notice | None) -> None:
        """Show the result of a test; None if it was cancelled."""
        self.testing.setText("")
        if notice is not None:
            self._notices = (
                replace(notice, severity="ok") if notice.severity == "info" else notice,
            )
        self._refresh()
