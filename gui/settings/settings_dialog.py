"""The settings dialog, built from the declarations. Values apply at once and can be saved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.presentation.model import Notice, SettingControl
from core.presentation.settings.model import SettingsPage
from gui.inspect.tuning.layer_dot import SESSION_LAYER
from gui.language import tr
from gui.settings.setting_help import HelpCard
from gui.settings.settings_foot import SettingsFooter
from gui.settings.settings_pane import SettingsPane, SettingsSection
from gui.widgets.basic_widgets import push_button
from gui.widgets.dialog_layout import dialog_halves, lay_out_dialog
from gui.widgets.dialog_messages import SentenceList, SentenceRow, notice_sentence
from gui.widgets.icons import glyph_icon
from gui.widgets.side_list import SideList
from gui.widgets.theme import Theme, fit_dialog

_SIDE, _MAX_SIDE_WIDTH = 25, 300  # average characters, and at most so many pixels


class SettingsDialog(QDialog):
    """Search and sections at the left, all settings at the right, not modal."""

    value_changed = Signal(str, object, bool)  # key, value, draft
    reset_requested = Signal(str)
    discard_requested = Signal(tuple)  # (key, None) pairs
    save_requested = Signal(tuple)  # (key, value) pairs
    profile_save_requested = Signal(str)
    profiles_requested = Signal()
    profile_requested = Signal(str)
    undo_requested = Signal()
    page_requested = Signal()  # another program may have changed the file

    def __init__(
        self, parent: QWidget | None, theme: Theme, window_sections: Sequence[SettingsSection] = ()
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setModal(False)
        self._page: SettingsPage | None = None
        self._notices: tuple[SentenceRow, ...] = ()
        self.field, self.sections = QLineEdit(placeholderText=tr("Search settings")), SideList(tr("Sections"))
        self.pane, self.help_card, self.message_list, self.footer = (
            SettingsPane(window_sections),
            HelpCard(),
            SentenceList(),
            SettingsFooter(),
        )
        self.edit = push_button(tr("Edit profile…"), "link")  # if the chosen profile has no key
        self.edit.hide()
        self._search_icon = self.field.addAction(
            glyph_icon("search", theme.text3), QLineEdit.ActionPosition.LeadingPosition
        )
        self._typing_timer = QTimer(self, singleShot=True, interval=150)
        self._typing_timer.timeout.connect(self._on_typing_paused)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        fit_dialog(self, 1060, 700)
        self.setMinimumSize(720, 420)

    def _lay_out(self) -> None:
        self._side, right = dialog_halves()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 8, 1, 8)
        left.setSpacing(8)
        columns = QHBoxLayout()
        columns.setContentsMargins(8, 0, 8, 0)
        columns.addWidget(self.field)
        left.addLayout(columns)
        left.addWidget(self.sections, 1)
        pane_column = QVBoxLayout(right)
        pane_column.setContentsMargins(0, 0, 0, 0)
        pane_column.setSpacing(0)
        message_layout = QVBoxLayout()
        message_layout.setContentsMargins(16, 8, 16, 12)
        message_layout.setSpacing(8)
        message_layout.addWidget(self.help_card)
        message_layout.addWidget(self.message_list)
        message_layout.addWidget(self.edit, 0, Qt.AlignmentFlag.AlignLeft)
        pane_column.addWidget(self.pane, 1)
        pane_column.addLayout(message_layout)
        lay_out_dialog(self, self._side, right, self.footer)
        self._measure()

    def _measure(self) -> None:
        self._side.setFixedWidth(min(_SIDE * self.fontMetrics().averageCharWidth(), _MAX_SIDE_WIDTH))

    def _connect(self) -> None:
        find = QShortcut(QKeySequence("Ctrl+F"), self)
        find.activated.connect(self._on_find)
        self.field.setAccessibleName(tr("Search settings"))
        self.field.setClearButtonEnabled(True)
        self.field.textEdited.connect(self._on_edited)
        self.field.textChanged.connect(self._on_text)
        self.sections.chosen.connect(self._on_section)
        self.pane.section_reached.connect(self.sections.show_current)
        self.pane.entered.connect(self.help_card.show_control)
        self.pane.section_entered.connect(self._show_section)
        for change in (self.pane.changed, self.pane.reset_requested, self.footer.profile_chosen):
            change.connect(self._forget)
        self.pane.changed.connect(self.value_changed)
        self.pane.reset_requested.connect(self.reset_requested)
        self.pane.unsave_requested.connect(self._on_unsave)
        self.pane.profiles_requested.connect(self.profiles_requested)
        self.pane.all_requested.connect(self.field.clear)
        self.edit.clicked.connect(self._on_edit)
        self.footer.undo_requested.connect(self.undo_requested)
        self.footer.discard_requested.connect(self._on_discard)
        self.footer.save_requested.connect(self._on_save)
        self.footer.profile_chosen.connect(self.profile_save_requested)
        self.footer.close_requested.connect(self.close)

    @property
    def session_values(self) -> tuple[SettingControl, ...]:
        return tuple(control for control in self.pane.controls if control.layer == SESSION_LAYER)

    def set_theme(self, theme: Theme) -> None:
        self._search_icon.setIcon(glyph_icon("search", theme.text3))
        for part in (self.sections, self.pane, self.message_list, self.footer):
            part.set_theme(theme)

    def set_can_undo(self, can_undo: bool) -> None:
        self.footer.undo.setEnabled(can_undo)

    def show_page(self, page: SettingsPage) -> None:
        is_first = self._page is None
        self._page = page
        self.pane.show_page(page)
        self.footer.show_page(page)
        self._show_messages()
        self._search()
        if is_first:
            self._show_help()

    def show_notice(self, notice: Notice) -> None:
        """Show the result of a change inside the dialog; an info replaces earlier errors."""
        self._notices = (notice_sentence(notice),) if notice.title or notice.text else ()
        self._show_messages()

    def _show_messages(self) -> None:
        page = self._page
        problems = page.problems if page is not None else ()
        no_key = page.missing_key if page is not None else None
        page_notes = (
            (notice_sentence(no_key),)
            if no_key is not None and notice_sentence(no_key) not in self._notices
            else ()
        )
        self.message_list.show_sentences(
            (*self._notices, *(("warning", problem, "") for problem in problems), *page_notes)
        )
        self.edit.setVisible(no_key is not None)

    def _forget(self) -> None:
        self._notices = ()
        self._show_messages()

    def _search(self) -> None:
        """Filter, and show in the list of sections the matches and changes."""
        text = self.field.text()
        counts = self.pane.search(text)
        entries = [
            (section.title, _note(count if text.strip() else section.session_value_count), count > 0)
            for section, count in zip(self.pane.sections, counts, strict=True)
        ]
        current = self.sections.currentRow()
        if not (0 <= current < len(counts) and counts[current]):
            current = next((number for number, count in enumerate(counts) if count), -1)
        self.sections.show_entries(entries, current)

    def _show_help(self) -> None:
        if self.pane.shown_controls:
            self.help_card.show_control(self.pane.shown_controls[0])

    def _on_section(self, number: int) -> None:
        self.pane.go_to(number)
        self._show_section(self.pane.sections[number])

    def _show_section(self, section: SettingsSection) -> None:
        """Show the help of a section: of its first visible setting, else its own."""
        shown = next((row for row in section.rows if not row.isHidden()), None)
        if shown is not None:
            self.help_card.show_control(shown.control)
        elif section.about:
            self.help_card.show_help(section.title, section.about)

    def _on_edited(self) -> None:
        self._typing_timer.start()

    def _on_typing_paused(self) -> None:
        self._search()
        self._show_help()

    def _on_text(self, text: str) -> None:
        if not text:
            self._search()

    def _on_edit(self) -> None:
        if self._page is not None and self._page.missing_key is not None:
            self.profile_requested.emit(self._page.missing_key.actions[0].argument)

    def _on_find(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _on_unsave(self, key: str) -> None:
        self._forget()
        self.save_requested.emit(((key, None),))

    def _on_discard(self) -> None:
        self._forget()
        self.discard_requested.emit(tuple((control.key, None) for control in self.session_values))

    def _on_save(self) -> None:
        self._forget()
        self.save_requested.emit(tuple((control.key, control.value) for control in self.session_values))

    def showEvent(self, event: QShowEvent) -> None:
        """Focuses the search field."""
        super().showEvent(event)
        self.field.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """Measures again for another font; requests the page when the dialog becomes active."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self._page is not None:
            self.page_requested.emit()


def _note(count: int) -> str:
    return str(count) if count else ""
