"""The settings dialog, built from the declarations. Values apply at once and can be saved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QInputDialog, QLineEdit, QWidget

from core.app.remote_methods import SettingsService
from core.presentation.dialog_model import SettingsPage
from core.presentation.model import Notice, SettingControl
from gui.backend import BackendClient
from gui.language import tr
from gui.settings_pane import SettingsPane, SettingsSection
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import GlyphButton
from gui.widgets.message_row import NoticeList
from gui.widgets.setting_editors import SESSION_LAYER
from gui.widgets.side_dialog import SideDialog, SideList
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import mono_font_for
from gui.widgets.view_layout import column_of, row_of

SAVE_LINE = "/profile save {}"
"""The line that saves the session's values in a profile."""


class HelpCard(QFrame):
    """Description, key and command line of a setting, or what a section is about."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.title = ElidedLabel("", "strong")
        self._key = ElidedLabel("", "muted", min_chars=8)
        self.about = text_label("", "muted", wraps=True)
        self._command = ElidedLabel("", "muted")
        for label in (self._key, self._command):
            label.setFont(mono_font_for(self.font()))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head = row_of(self.title, self._key, stretched=self.title)
        self.setLayout(
            column_of(head, self.about, self._command, margins=(12, 8, 12, 8), gap=4)
        )

    def show_control(self, control: SettingControl) -> None:
        self.show_help(control.label, control.help, control.key, control.command)

    def show_help(
        self, title: str, help: str, key: str = "", command: str = ""
    ) -> None:
        self.title.show_text(title)
        self._key.show_text(key)
        self.about.setText(help)
        self._command.show_text(command)
        self._command.setVisible(bool(command))


class SettingsDialog(SideDialog):
    """Search and sections at the left, all settings at the right."""

    profile_requested = Signal(str)  # "" for any

    def __init__(
        self,
        parent: QWidget | None,
        client: BackendClient,
        window_sections: Sequence[SettingsSection] = (),
    ) -> None:
        super().__init__(parent, tr("Settings"), side_letters=25)
        self._client = client
        self._page: SettingsPage | None = None
        self._notices: tuple[Notice, ...] = ()
        self._key_to_show = ""
        self.field = QLineEdit(placeholderText=tr("Search settings"))
        self.sections = SideList(tr("Sections"))
        self.settings = SettingsPane(client, window_sections)
        self.help_card = HelpCard()
        self.message_list = NoticeList()
        self._session_label = ElidedLabel("", "muted")
        self._path_label = ElidedLabel("", "quiet")
        self.undo = GlyphButton(
            "undo",
            tr("Undo"),
            text=tr("Undo"),
            tip=tr("Undo the last change of a setting"),
        )
        self.discard, self.to_profile = map(
            push_button, (tr("Back to my defaults"), tr("Save to profile…"))
        )
        self.save = push_button(tr("Save as my defaults"), "primary")
        self._typing_timer = QTimer(self, singleShot=True, interval=150)
        self._typing_timer.timeout.connect(self.search)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.side.addLayout(row_of(self.field, margins=(8, 0, 8, 0)))
        self.side.addWidget(self.sections, 1)
        self.pane.addWidget(self.settings, 1)
        below = column_of(
            self.help_card, self.message_list, margins=(16, 8, 16, 12), gap=8
        )
        self.pane.addLayout(below)
        self.foot.addLayout(column_of(self._session_label, self._path_label), 1)
        self.undo.setEnabled(False)
        self.discard.setToolTip(
            tr("Take all values of this session away, so that the saved ones show")
        )
        self.to_profile.setToolTip(
            tr("Keep the session's values in a profile; loading it brings them back")
        )
        self.save.setToolTip(tr("Write the session's values into the settings file"))
        self.add_buttons(self.undo, self.discard, self.to_profile, self.save)

    def _connect(self) -> None:
        QShortcut(QKeySequence("Ctrl+F"), self).activated.connect(self._on_find)
        self.field.setAccessibleName(tr("Search settings"))
        self.field.setClearButtonEnabled(True)
        self.field.textEdited.connect(self._typing_timer.start)
        self.field.textChanged.connect(self._on_text)
        self.sections.chosen.connect(self._on_section)
        self.settings.section_reached.connect(self.sections.show_current)
        self.settings.entered.connect(self.help_card.show_control)
        self.settings.section_entered.connect(self._show_section)
        self.settings.profiles_requested.connect(self._on_profiles)
        self.settings.show_all.clicked.connect(self.field.clear)
        self.message_list.action_requested.connect(self._on_link)
        self.undo.clicked.connect(self._client.undo)
        self.discard.clicked.connect(self._on_discard)
        self.to_profile.clicked.connect(self.ask_profile)
        self.save.clicked.connect(self._on_save)

    @property
    def session_values(self) -> tuple[SettingControl, ...]:
        return tuple(
            row.control
            for row in self.settings.rows
            if row.control.layer == SESSION_LAYER
        )

    def load(self) -> None:
        self._client.call(self, SettingsService.page).done(self.show_page)

    def show_page(self, page: SettingsPage) -> None:
        is_first = self._page is None
        self._page = page
        self.settings.show_page(page)
        self._session_label.show_text(_session_text(page.session_count))
        self._path_label.show_text(page.path)
        for button in (self.discard, self.to_profile, self.save):
            button.setEnabled(page.session_count > 0)
        self._show_messages()
        self._search()
        if is_first:
            self._show_help()
        if self._key_to_show:
            self.show_setting(self._key_to_show)

    def show_setting(self, key: str) -> None:
        """Scroll to a setting and focus its field, at once or with the first page."""
        self._key_to_show = key
        if self._page is not None:
            self._key_to_show = ""
            self.field.clear()
            self.settings.row(key).setFocus()

    def show_notice(self, notice: Notice) -> None:
        """Show the result of a change inside the dialog; an empty one removes earlier results."""
        if notice.title or notice.text:
            self._notices = (notice,)
        else:
            self._notices = ()
        self._show_messages()

    def _show_messages(self) -> None:
        page = self._page
        problems = page.problems if page is not None else ()
        no_key = page.missing_key if page is not None else None
        notices = [
            *self._notices,
            *(Notice("warning", "", problem) for problem in problems),
        ]
        if no_key is not None and no_key not in notices:
            notices.append(no_key)
        self.message_list.show_notices(notices)

    def forget_notices(self) -> None:
        """A change was made; what earlier ones said no longer applies."""
        self._notices = ()
        self._show_messages()

    def search(self) -> None:
        self._search()
        self._show_help()

    def _search(self) -> None:
        """Filter, and show in the list of sections the matches and changes."""
        text = self.field.text()
        counts = self.settings.search(text)
        shown = [
            count
            if text.strip()
            else sum(row.control.layer == SESSION_LAYER for row in section.rows)
            for section, count in zip(self.settings.sections, counts, strict=True)
        ]
        entries = [
            (section.title, str(number) if number else "", count > 0)
            for section, number, count in zip(
                self.settings.sections, shown, counts, strict=True
            )
        ]
        current = self.sections.currentRow()
        if not (0 <= current < len(counts) and counts[current]):
            current = next((number for number, count in enumerate(counts) if count), -1)
        self.sections.show_entries(entries, current)

    def _show_help(self) -> None:
        if self.settings.visible_controls:
            self.help_card.show_control(self.settings.visible_controls[0])

    def _on_section(self, number: int) -> None:
        self.settings.go_to(number)
        self._show_section(self.settings.sections[number])

    def _show_section(self, section: SettingsSection) -> None:
        """Show the help of a section: of its first visible setting, else its own."""
        shown = next((row for row in section.rows if not row.isHidden()), None)
        if shown is not None:
            self.help_card.show_control(shown.control)
        elif section.about:
            self.help_card.show_help(section.title, section.about)

    def _on_text(self, text: str) -> None:
        if not text:
            self._search()

    def _on_find(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _on_profiles(self) -> None:
        self.profile_requested.emit("")

    def _on_link(self, action: str, argument: str) -> None:
        if action == "profiles":
            self.profile_requested.emit(argument)

    def _on_discard(self) -> None:
        self._client.set_values(
            tuple((control.key, None) for control in self.session_values)
        )

    def _on_save(self) -> None:
        values = tuple((control.key, control.value) for control in self.session_values)
        self._client.call(self, SettingsService.save, values)

    def ask_profile(self) -> QInputDialog:
        """Ask for the profile that keeps the session's values: a known one, or a new name."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle(tr("Save to profile"))
        dialog.setLabelText(tr("Save the session's values to profile"))
        dialog.setComboBoxItems(
            ["", *(self._page.profiles if self._page is not None else ())]
        )
        dialog.setComboBoxEditable(True)
        dialog.textValueSelected.connect(self._on_profile_named)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _on_profile_named(self, name: str) -> None:
        if name.strip():
            self._client.call(
                self, SettingsService.run_line, SAVE_LINE.format(name.strip())
            )

    def showEvent(self, event: QShowEvent) -> None:
        """Focuses the search field."""
        super().showEvent(event)
        self.field.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """Loads the page when the dialog becomes active: another program may have changed the
        file."""
        super().changeEvent(event)
        if (
            event.type() == QEvent.Type.ActivationChange
            and self.isActiveWindow()
            and self._page is not None
        ):
            self.load()


def _session_text(count: int) -> str:
    if not count:
        return tr("Nothing differs from what is saved.")
    if count == 1:
        return tr("1 value of this session; it applies now.")
    return tr("{count} values of this session; they apply now.").format(count=count)
