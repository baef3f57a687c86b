"""The profiles dialog: all profiles at the left, the form of one at the right. Edits wait until saved."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.view.phrases import phrase
from core.view.settings_values import ProfileRow, ProfilesPage
from core.view.values import Notice
from gui.dialogs.halves import halves, put_together
from gui.dialogs.owner import TEST
from gui.dialogs.profile_form import ProfileForm
from gui.dialogs.profiles_foot import ProfilesFoot
from gui.dialogs.says import Said, Says, said
from gui.dialogs.side_list import SideList
from gui.language import tr
from gui.parts import button
from gui.theme import Theme, fit

_SIDE = 26  # average characters
_NEW = phrase("new profile")


class ProfilesDialog(QDialog):
    """Not modal. A profile that is edited keeps its edits while others are looked at."""

    save_requested = Signal(object, str, bool)  # ProfileRow, former name, with the session's values
    delete_requested = Signal(str)
    use_requested = Signal(str)
    test_requested = Signal(object)  # ProfileRow

    def __init__(self, parent: QWidget | None, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Profiles"))
        self.setModal(False)
        self._page = ProfilesPage((), (), "")
        self._drafts: dict[str, ProfileRow] = {}  # by the name on disk, "" for a new one
        self._current = ""
        self._saving: tuple[str, ProfileRow] | None = None
        self._said: tuple[Said, ...] = ()
        self.profiles, self.form = SideList(tr("Profiles")), ProfileForm()
        self.says, self.foot = Says(), ProfilesFoot()
        self.new, self.copy = button(tr("New"), "small"), button(tr("Duplicate"), "small")
        self.delete = button(tr("Delete…"), "small")
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        fit(self, 900, 640)
        self.setMinimumSize(720, 420)

    def _lay_out(self) -> None:
        self._side, right = halves()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 8, 1, 8)
        left.addWidget(self.profiles, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 0, 8, 0)
        buttons.setSpacing(6)
        for one in (self.new, self.copy, self.delete):
            buttons.addWidget(one)
        left.addLayout(buttons)
        beside = QVBoxLayout(right)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self.form, 1)
        room = QVBoxLayout()
        room.setContentsMargins(16, 0, 16, 12)
        room.addWidget(self.says)
        beside.addLayout(room)
        put_together(self, self._side, right, self.foot)
        self._measure()

    def _measure(self) -> None:
        self._side.setFixedWidth(max(230, _SIDE * self.fontMetrics().averageCharWidth()))

    def _connect(self) -> None:
        self.profiles.chosen.connect(self._on_chosen)
        self.form.edited.connect(self._on_edited)
        self.new.clicked.connect(self._on_new)
        self.copy.clicked.connect(self._on_duplicate)
        self.delete.clicked.connect(self._ask_delete)
        self.foot.save.clicked.connect(self._on_save)
        self.foot.use.clicked.connect(self._on_use)
        self.foot.test.clicked.connect(self._on_test)
        self.foot.revert.clicked.connect(self._on_revert)
        self.foot.close_button.clicked.connect(self.close)
        self.foot.delete_agreed.connect(self._on_delete)

    @property
    def names(self) -> tuple[str, ...]:
        """The names on disk in order of the list; "" for a new profile."""
        new = ("",) if "" in self._drafts else ()
        return (*(row.name for row in self._page.rows), *new)

    @property
    def current(self) -> ProfileRow:
        """The profile in the form, as edited."""
        return self._drafts.get(self._current) or self._on_disk(self._current)

    def _on_disk(self, name: str) -> ProfileRow:
        return next((row for row in self._page.rows if row.name == name), ProfileRow("", "", ""))

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self.profiles.set_theme(theme)
        self.says.set_theme(theme)

    def show_page(self, page: ProfilesPage) -> None:
        """Show all profiles; unsaved edits stay, those that were saved are over."""
        is_first = not self._page.rows
        before, self._page = self.current, page
        self.form.show_providers(page.providers)
        self._end_saving()
        if self._current not in self.names:
            self._current = self.names[0] if self.names else ""
        if is_first:
            self._current = next((row.name for row in page.rows if row.active), self._current)
        self._list()
        if self.current != before or is_first:
            self.form.show_row(self.current)
        self._enable()
        self._say()

    def _end_saving(self) -> None:
        """A save is over when the page has the profile under its new name, as it was asked for."""
        if self._saving is None:
            return
        former, asked = self._saving
        row = self._on_disk(asked.name)
        if (row.provider, row.model, row.base_url) == (asked.provider, asked.model, asked.base_url):
            self._saving = None
            self._drafts.pop(former, None)
            self._current = asked.name if self._current == former else self._current

    def show_notice(self, notice: Notice) -> None:
        """Say inside the dialog what came of a test, or what went wrong."""
        if notice.severity == "error":
            self._saving = None
        if notice.topic == TEST or notice.severity != "info":
            tone = "ok" if notice.topic == TEST and notice.severity == "info" else notice.severity
            self._said = ((tone, *said(notice)[1:]),)
            self.foot.set_testing("")
            self._say()
            self._enable()

    def end_test(self) -> None:
        """Nobody is called any more; a test that was cancelled has no answer."""
        if self.foot.is_testing:
            self.foot.set_testing("")
            self._enable()

    def select(self, name: str) -> None:
        """Show a profile; an unknown name changes nothing."""
        if name in self.names:
            self._current = name
            self._said = ()
            self.foot.leave_question()
            self._list()
            self.form.show_row(self.current)
            self._enable()
            self._say()

    def _list(self) -> None:
        entries = []
        for name in self.names:
            row = self._drafts.get(name) or self._on_disk(name)
            note = "unsaved" if name in self._drafts else tr("in use") if row.active else ""
            note = note or (tr("built in") if row.fixed else "")
            entries.append((row.name or tr(_NEW), note, True))
        current = self.names.index(self._current) if self._current in self.names else -1
        self.profiles.show_entries(entries, current)

    def _say(self) -> None:
        problems = tuple(("warning", one, "") for one in self._page.problems)
        self.says.show_sentences((*self._said, *problems))

    def _enable(self) -> None:
        row, is_edited = self.current, self._current in self._drafts
        is_on_disk = self._current in (one.name for one in self._page.rows)
        is_whole = bool(row.name and row.provider and row.model)
        self.copy.setEnabled(is_on_disk)
        self.delete.setEnabled(not row.fixed)
        self.foot.save.setEnabled(is_edited and is_whole)
        self.foot.revert.setEnabled(is_edited)
        self.foot.use.setEnabled(is_on_disk and not is_edited and not row.active)
        self.foot.test.setEnabled(is_whole and not self.foot.is_testing)

    def _on_chosen(self, number: int) -> None:
        self.select(self.names[number])

    def _on_edited(self) -> None:
        row = self.form.row
        if row == self._on_disk(self._current) and self._current and not self.form.take.isChecked():
            self._drafts.pop(self._current, None)
        else:
            self._drafts[self._current] = row
        self._list()
        self._enable()

    def _on_new(self) -> None:
        self._drafts.setdefault("", ProfileRow("", "", ""))
        self._begin_new()

    def _begin_new(self) -> None:
        self.select("")
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _on_duplicate(self) -> None:
        row = self.current
        self._drafts[""] = replace(row, name=self._free_name(row.name), about="", fixed=False, active=False)
        self._begin_new()

    def _free_name(self, name: str) -> str:
        taken, number, found = self.names, 2, f"{name}-copy"
        while found in taken:
            found, number = f"{name}-copy-{number}", number + 1
        return found

    def _ask_delete(self) -> None:
        if self._current in (row.name for row in self._page.rows):
            self.foot.ask_delete(self._current)
        else:
            self._on_revert()

    def _on_delete(self) -> None:
        self._drafts.pop(self._current, None)
        self.delete_requested.emit(self._current)

    def _on_revert(self) -> None:
        self._drafts.pop(self._current, None)
        names = self.names
        self.select(self._current if self._current in names else names[0] if names else "")

    def _on_save(self) -> None:
        row = self.form.row
        self._saving, self._said = (self._current, row), ()
        self._say()
        self.save_requested.emit(row, self._current, self.form.take.isChecked())

    def _on_use(self) -> None:
        self._said = ()
        self._say()
        self.use_requested.emit(self._current)

    def _on_test(self) -> None:
        row = self.form.row
        self._said = ()
        self._say()
        self.foot.set_testing(row.name)
        self._enable()
        self.test_requested.emit(row)

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
