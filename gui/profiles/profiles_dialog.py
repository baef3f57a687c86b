"""The profiles dialog: all profiles at the left, the form of one at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import Notice
from core.presentation.settings.model import ProfileRow, ProfilesPage
from gui.language import tr
from gui.profiles.profile_drafts import NEW, ProfileDrafts
from gui.profiles.profile_form import ProfileForm
from gui.profiles.profiles_foot import ProfilesFooter
from gui.widgets.basic_widgets import push_button
from gui.widgets.dialog_layout import dialog_halves, lay_out_dialog
from gui.widgets.dialog_messages import SentenceList, SentenceRow, notice_sentence
from gui.widgets.side_list import SideList
from gui.widgets.theme import Theme, fit_dialog

_SIDE = 26  # average characters
_NEW = "new profile"


class ProfilesDialog(QDialog):
    """Not modal. Unsaved edits of a profile are kept while others are shown."""

    save_requested = Signal(object, str, bool)  # ProfileRow, saved name, with the session's values
    delete_requested = Signal(str)
    use_requested = Signal(str)
    test_requested = Signal(object)  # ProfileRow

    def __init__(self, parent: QWidget | None, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Profiles"))
        self.setModal(False)
        self._drafts = ProfileDrafts()
        self._messages: tuple[SentenceRow, ...] = ()
        self.profiles, self.form = SideList(tr("Profiles")), ProfileForm()
        self.message_list, self.footer = SentenceList(), ProfilesFooter()
        self.new_button, self.duplicate_button = (
            push_button(tr("New"), "small"),
            push_button(tr("Duplicate"), "small"),
        )
        self.delete_button = push_button(tr("Delete…"), "small")
        # runs when the buttons have the font, too
        self._measure_timer = QTimer(self, singleShot=True, interval=0)
        self._measure_timer.timeout.connect(self._measure)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        fit_dialog(self, 900, 640)
        self.setMinimumSize(720, 420)

    def _lay_out(self) -> None:
        self._side, right = dialog_halves()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 8, 1, 8)
        left.addWidget(self.profiles, 1)
        self._buttons = QHBoxLayout()
        self._buttons.setContentsMargins(8, 0, 8, 0)
        self._buttons.setSpacing(6)
        for button in (self.new_button, self.duplicate_button, self.delete_button):
            self._buttons.addWidget(button)
        left.addLayout(self._buttons)
        form_column = QVBoxLayout(right)
        form_column.setContentsMargins(0, 0, 0, 0)
        form_column.addWidget(self.form, 1)
        form_layout = QVBoxLayout()
        form_layout.setContentsMargins(16, 0, 16, 12)
        form_layout.addWidget(self.message_list)
        form_column.addLayout(form_layout)
        lay_out_dialog(self, self._side, right, self.footer)
        self._measure()
        self._measure_timer.start()

    def _measure(self) -> None:
        width = _SIDE * self.fontMetrics().averageCharWidth()
        self._side.setFixedWidth(max(230, width, self._buttons.sizeHint().width() + 1))

    def _connect(self) -> None:
        self.profiles.chosen.connect(self._on_chosen)
        self.form.edited.connect(self._on_edited)
        self.new_button.clicked.connect(self._on_new)
        self.duplicate_button.clicked.connect(self._on_duplicate)
        self.delete_button.clicked.connect(self._ask_delete)
        self.footer.save.clicked.connect(self._on_save)
        self.footer.use.clicked.connect(self._on_use)
        self.footer.test.clicked.connect(self._on_test)
        self.footer.revert.clicked.connect(self._on_revert)
        self.footer.close_button.clicked.connect(self.close)
        self.footer.delete_agreed.connect(self._on_delete)

    @property
    def names(self) -> tuple[str, ...]:
        """The saved names in order of the list; "" for a new profile."""
        return self._drafts.names

    @property
    def current(self) -> ProfileRow:
        return self._drafts.row

    def set_theme(self, theme: Theme) -> None:
        self.profiles.set_theme(theme)
        self.message_list.set_theme(theme)

    def show_page(self, page: ProfilesPage) -> None:
        """Show all profiles; unsaved edits stay."""
        is_first, before = not self._drafts.page.rows, self.current
        self._drafts.receive(page)
        self.form.show_providers(page.providers, page.variables)
        self._list()
        if self.current != before or is_first:
            self.form.show_row(self.current)
        self._enable()
        self._show_messages()

    def show_notice(self, notice: Notice) -> None:
        """Show an error or a warning inside the dialog."""
        if notice.severity != "info":
            self._show_message(notice.severity, notice)

    def finish_save(self, _: object) -> None:
        """The profile is saved; its page follows."""
        self._drafts.finish_save()

    def show_answer(self, notice: Notice) -> None:
        """Show the result of a test."""
        self.end_test()
        self._show_message("ok" if notice.severity == "info" else notice.severity, notice)

    def _show_message(self, tone: str, notice: Notice) -> None:
        self._messages = ((tone, *notice_sentence(notice)[1:]),)
        self._show_messages()

    def end_test(self) -> None:
        self.footer.set_testing("")
        self._enable()

    def select(self, name: str) -> None:
        if name in self.names:
            self._drafts.current = name
            self._messages = ()
            self.footer.leave_question()
            self._list()
            self.form.show_row(self.current)
            self._enable()
            self._show_messages()

    def _list(self) -> None:
        entries = []
        for name in self.names:
            row = self._drafts.shown(name)
            note = tr("unsaved") if self._drafts.has_edits(name) else tr("in use") if row.active else ""
            note = note or (tr("built in") if row.is_built_in else "")
            entries.append((row.name or tr(_NEW), note, True))
        current = self._drafts.current
        self.profiles.show_entries(entries, self.names.index(current) if current in self.names else -1)

    def _show_messages(self) -> None:
        problems = tuple(("warning", problem, "") for problem in self._drafts.page.problems)
        self.message_list.show_sentences((*self._messages, *problems))

    def _enable(self) -> None:
        row, is_edited, is_saved = self.current, self._drafts.is_edited, self._drafts.is_saved
        is_complete = bool(row.name and row.provider and row.model)
        self.duplicate_button.setEnabled(is_saved)
        self.delete_button.setEnabled(not row.is_built_in)
        self.footer.save.setEnabled(is_edited and is_complete)
        self.footer.revert.setEnabled(is_edited)
        self.footer.use.setEnabled(is_saved and not is_edited and not row.active)
        self.footer.test.setEnabled(is_complete and not self.footer.is_testing)

    def _on_chosen(self, number: int) -> None:
        self.select(self.names[number])

    def _on_edited(self) -> None:
        self._drafts.edit(self.form.row, is_more=self.form.with_session_values.isChecked())
        self._list()
        self._enable()

    def _on_new(self) -> None:
        self._drafts.begin()
        self._begin_new()

    def _begin_new(self) -> None:
        self.select(NEW)
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _on_duplicate(self) -> None:
        self._drafts.duplicate()
        self._begin_new()

    def _ask_delete(self) -> None:
        if self._drafts.is_saved:
            self.footer.ask_delete(self._drafts.current)
        else:
            self._on_revert()

    def _on_delete(self) -> None:
        self._drafts.forget()
        self.delete_requested.emit(self._drafts.current)

    def _on_revert(self) -> None:
        self.select(self._drafts.forget())

    def _on_save(self) -> None:
        row, self._messages = self.form.row, ()
        self._drafts.save(row)
        self._show_messages()
        self.save_requested.emit(row, self._drafts.current, self.form.with_session_values.isChecked())

    def _on_use(self) -> None:
        self._messages = ()
        self._show_messages()
        self.use_requested.emit(self._drafts.current)

    def _on_test(self) -> None:
        row = self.form.row
        self._messages = ()
        self._show_messages()
        self.footer.set_testing(row.name)
        self._enable()
        self.test_requested.emit(row)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure_timer.start()
