"""The window of the prompt editor: checks the text while the user types, saves, and loses no
unsaved text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSplitter,
    QTreeWidgetItem,
    QWidget,
)

from core.app.remote_methods import PromptService
from core.common.paths import display_path
from core.presentation.dialog_model import (
    PromptLevelRow,
    PromptLocation,
    PromptPage,
    TrialOffer,
    TrialPage,
)
from core.presentation.model import Notice, NoticeAction
from core.presentation.screen_model import Screen
from core.settings.profile import OFFLINE
from core.settings.prompt_levels import insert_section
from gui.backend import BackendClient
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.prompt_views import TABS, PromptEdits, PromptViews, check_notice, editor_head
from gui.remote_call import PendingCall, Value
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.message_row import NoticeStrip, notice_text
from gui.widgets.pickers import SegmentedControl
from gui.widgets.row_tree import RowTree
from gui.widgets.side_dialog import question_dialog
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import current_theme, fit_dialog, mono_font_for, scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, panel_of, row_of

_PAD = 12


class SidePanel(QWidget):
    """The levels of the override, and below them the sections and placeholders of the text."""

    level_chosen = Signal(str)
    insert_requested = Signal(str)  # the section

    def __init__(self) -> None:
        super().__init__()
        self._page: PromptPage | None = None
        self._unsaved: Collection[str] = ()
        self.levels = RowTree(tr("Where the text comes from"), role="side-list")
        self.sections = RowTree(tr("Sections"), role="side-list", selects=False)
        self.placeholders = RowTree(
            tr("Placeholders"), stretched=1, role="side-list", selects=False
        )
        self.levels.restyled.connect(self._on_restyled)
        self.override = push_button(tr("Override for this model"), "small")
        self.remove = push_button(tr("Delete override…"), "small")
        self.override.setToolTip(tr("Save the text as the file of this level"))
        self.remove.setToolTip(
            tr("Delete the file of this level, so that the next one is used")
        )
        self._count = text_label("")
        self.edit = push_button("", "small")
        self.edit.setToolTip(
            tr(
                "Go to the level above, whose text you can change; nothing is written yet"
            )
        )
        self.edit.clicked.connect(self._on_edit)
        buttons = row_of(
            self.edit,
            self.override,
            self.remove,
            None,
            margins=(_PAD, 8, _PAD, 8),
            gap=6,
        )
        column = column_of(
            _head(text_label(tr("Where the text comes from"), "strong")),
            _head(text_label(tr("The first level that exists is used."), "secondary")),
            self.levels,
            buttons,
        )
        for title, tree, count in (
            (tr("Sections the strategy asks for"), self.sections, self._count),
            (tr("Placeholders"), self.placeholders, None),
        ):
            column.addWidget(rule())
            column.addLayout(_head(text_label(title, "group"), count))
            column.addWidget(tree)
        column.addStretch(1)
        fill_panel(self, "side", column)
        self.setMinimumWidth(scaled_pixels(200, self.font()))
        self.levels.currentItemChanged.connect(self._on_level)

    def show_page(self, page: PromptPage, unsaved: Collection[str]) -> None:
        """Show a page; ``unsaved`` are the paths of files with unsaved texts."""
        self._page, self._unsaved = page, unsaved
        self._show_levels(page, unsaved)
        self.sections.clear()
        mono = mono_font_for(self.font())
        for section in page.outline.sections:
            tone, state = (
                ("ok", tr("{name}: present"))
                if section.present
                else ("error", tr("{name}: missing"))
            )
            spoken = state.format(name=section.name)
            item = self.sections.add_row(
                (section.name, ""), glyph=tone, tone=tone, spoken=spoken, fonts=(mono,)
            )
            if not section.present and page.content.editable:
                link = push_button(tr("Insert"), "link")
                link.setAccessibleName(tr("Insert {name}").format(name=section.name))
                link.setProperty("section", section.name)
                link.clicked.connect(self._on_insert)
                self.sections.setItemWidget(item, 1, link)
        self.placeholders.clear()
        for one in page.outline.placeholders:
            item = self.placeholders.add_row(
                (f"{{{one.name}}}", one.value), fonts=(mono,)
            )
            if not one.is_known:
                item.setForeground(1, current_theme().warn)
            if not one.used:
                item.setForeground(0, current_theme().text3)
                item.setToolTip(0, tr("not in the text"))
        self.sections.fit()
        self.placeholders.fit()
        self._count.setText(page.outline.text)
        is_complete = all(section.present for section in page.outline.sections)
        set_style_property(self._count, "tone", "ok" if is_complete else "error")

    def _show_levels(self, page: PromptPage, unsaved: Collection[str]) -> None:
        with QSignalBlocker(self.levels):
            self.levels.clear()
            for row in page.chain:
                is_unsaved = row.path in unsaved
                glyph = "layer-session" if row.wins else "layer-default"
                if row.problem:
                    glyph = "error"
                tones = (
                    ("error", row.problem),
                    ("warn", is_unsaved),
                    ("accent", row.wins),
                )
                tone = next((tone for tone, holds in tones if holds), "")
                if is_unsaved:
                    state = tr("not saved")
                else:
                    state = row.state
                spoken = ", ".join(
                    filter(None, (row.title, state, row.location, row.problem))
                )
                cells = f"{row.title}\n{row.location}", state
                item = self.levels.add_row(
                    cells, glyph=glyph, tone=tone, spoken=spoken, lines=2
                )
                item.setData(0, Qt.ItemDataRole.UserRole, row.level)
                item.setToolTip(0, row.problem or row.path)
                if row.is_displayed:
                    self.levels.setCurrentItem(item)
            self.levels.fit()
        shown_row = next((row for row in page.chain if row.is_displayed), None)
        exists = shown_row is not None and (shown_row.exists or bool(shown_row.problem))
        title = tr("Override for {level}").format(level=_level_name(shown_row))
        self.override.setText(title)
        self.override.setVisible(page.content.editable and not exists)
        wanted = None
        if len(page.chain) > 1:
            # the words of a prompt for offline are those of every model's
            if page.provider == OFFLINE:
                wanted = page.chain[-2]
            else:
                wanted = page.chain[0]
        self._edit_level = wanted.level if wanted is not None else ""
        title = tr("Edit for {level}").format(level=_level_name(wanted))
        self.edit.setText(title)
        self.edit.setVisible(not page.content.editable and wanted is not None)
        self.remove.setVisible(page.content.editable and exists)

    def _on_level(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.level_chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))

    def _on_edit(self) -> None:
        self.level_chosen.emit(self._edit_level)

    def _on_insert(self) -> None:
        self.insert_requested.emit(self.sender().property("section"))

    def _on_restyled(self) -> None:
        if self._page is not None:
            self.show_page(self._page, self._unsaved)


def _level_name(row: PromptLevelRow | None) -> str:
    """Return the name of a level within a sentence."""
    if row is None:
        return ""
    return row.title[:1].lower() + row.title[1:]


def _head(title: QWidget, at_right: QWidget | None = None) -> QHBoxLayout:
    parts = (title,) if at_right is None else (title, at_right)
    return row_of(*parts, margins=(_PAD, 6, _PAD, 4), stretched=title)


class PromptTrialPane(QWidget):
    """The result of a trial: its figures, a note, and the summary's text."""

    def __init__(self) -> None:
        super().__init__()
        self.title = text_label("", "group")
        self.about = ElidedLabel("", "secondary", min_chars=4)
        self.facts = FigureList(indent=_PAD, row_height=24)
        self.status_label = text_label("")
        self.note = text_label("", "secondary")
        self.text = QPlainTextEdit(readOnly=True, undoRedoEnabled=False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("role", "reader")
        self.text.setAccessibleName(tr("Summary"))
        self.text.document().setDocumentMargin(_PAD - 2)
        for label in (self.status_label, self.note):
            label.setWordWrap(True)
        head = row_of(
            self.title, self.about, margins=(_PAD, 8, _PAD, 4), stretched=self.title
        )
        texts = column_of(
            self.status_label, self.note, margins=(_PAD, 4, _PAD, 4), gap=4
        )
        self.setLayout(
            column_of(head, self.facts, texts, self.text, None, stretched=self.text)
        )

    def show_page(self, page: TrialPage, *, is_stale: bool) -> None:
        """Show the result of a trial; ``is_stale``: of another text, or before a setting
        changed."""
        notice = page.notice
        self.text.setFont(mono_font_for(self.font()))
        self.title.setText(page.title)
        self.about.show_text(tr("before the last change") if is_stale else page.about)
        self.facts.show_facts(page.facts)
        self.note.setText(page.note)
        self.status_label.setText("" if notice is None else notice_text(notice))
        is_error = notice is not None and notice.severity == "error"
        set_style_property(self.status_label, "tone", "error" if is_error else "")
        if self.text.toPlainText() != page.text:
            self.text.setPlainText(page.text)
        for widget, is_shown in (
            (self.facts, page.facts),
            (self.note, page.note),
            (self.status_label, notice),
            (self.text, page.text),
        ):
            widget.setVisible(bool(is_shown))


class TrialPane(QWidget):
    """The request's facts, the ways to try it, and below them a question, progress, or the
    result."""

    try_wanted = Signal(bool, bool)  # offline, agreed

    def __init__(self) -> None:
        super().__init__()
        self._page: TrialPage | None = None
        self._result: TrialPage | None = None  # the last one with a result
        self._offer = TrialOffer()
        self.facts = FigureList(indent=_PAD, row_height=24)
        self.reason = text_label("", "secondary")
        self.offline = push_button("", "small")
        self.model = push_button("", "small")
        self.result = PromptTrialPane()
        self._lower_widget = QWidget()
        self.run = RunPane(self._lower_widget)
        self.run.question.request_button.hide()  # it is a tab of this window
        self._lay_out()
        self.offline.clicked.connect(self._on_offline)
        self.model.clicked.connect(self._on_model)
        self.run.agreed.connect(self._on_agreed)
        self.run.declined.connect(self._on_offline)

    def _lay_out(self) -> None:
        self._lower_widget.setLayout(column_of(self.result))
        self.reason.setWordWrap(True)
        title = text_label(tr("Try it on this conversation"), "strong")
        self._buttons = row_of(
            self.offline, self.model, None, margins=(_PAD, 8, _PAD, 8)
        )
        for button in (self.offline, self.model):
            self._buttons.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        head = column_of(title, margins=(_PAD, 6, _PAD, 4))
        reason = column_of(self.reason)
        reason.setContentsMargins(_PAD, 0, _PAD, 0)
        parts = (head, self.facts, reason, self._buttons, rule(), self._lower_widget)
        fill_panel(self, "side", column_of(*parts, stretched=self._lower_widget))
        self.setMinimumWidth(scaled_pixels(220, self.font()))
        self._show()

    def _fit(self) -> None:
        """Put the buttons side by side if both fit, else one below the other."""
        needed_width = (
            self.offline.sizeHint().width()
            + self.model.sizeHint().width()
            + 8
            + 2 * _PAD
        )
        direction = QBoxLayout.Direction
        fits = needed_width <= self.width()
        self._buttons.setDirection(
            direction.LeftToRight if fits else direction.TopToBottom
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def is_running(self) -> bool:
        return self._page is not None and self._page.is_running

    def show_offer(self, page: PromptPage) -> None:
        self._offer = page.trial
        self.facts.show_facts(page.request.facts)
        self.facts.setVisible(bool(page.request.facts))
        self.offline.setText(self._offer.offline)
        self.model.setText(self._offer.model)
        self.model.setToolTip(self._offer.reason or self._offer.model_reason)
        self._fit()
        self._show()

    def show_page(self, page: TrialPage) -> None:
        """Show the state of a trial; the previous result stays until there is another."""
        self._page = page
        if page.text or page.notice is not None:
            self._result = page
        self._show()
        if page.progress is not None:
            self.run.show_writing(page.progress)
        elif page.question is not None and not page.is_running:
            self.run.show_question(page.question)
        else:
            self.run.clear()

    def end_run(self) -> None:
        """End a trial that did not report its end."""
        if self._page is not None and self._page.is_running:
            self.show_page(replace(self._page, progress=None, is_running=False))

    def forget(self) -> None:
        self._page = self._result = None
        self.run.clear()
        self._show()

    def _show(self) -> None:
        offer, page = self._offer, self._result
        can_try = not offer.reason and not self.is_running
        self.offline.setEnabled(can_try)
        self.model.setEnabled(can_try and not offer.model_reason)
        if self.is_running:
            status = tr("The summary is being written. Esc stops it.")
        else:
            status = offer.reason
        self.reason.setText(status)
        self.reason.setVisible(bool(status))
        self.result.setVisible(page is not None)
        if page is not None:
            self.result.show_page(
                page, is_stale=bool(page.text) and page.key != offer.key
            )

    def _on_offline(self) -> None:
        self.try_wanted.emit(True, False)

    def _on_model(self) -> None:
        self.try_wanted.emit(False, False)

    def _on_agreed(self) -> None:
        self.try_wanted.emit(False, True)


PAUSE_MS = 250
"""Pause after the last key before the text is checked."""
_WIDTHS = (286, 652, 340)


class PromptEditor(QDialog):
    """Not modal. While hidden, it asks the worker nothing."""

    def __init__(self, parent: QWidget | None, client: BackendClient) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(tr("Prompts"))
        self._client = client
        self.edits = PromptEdits()
        self._is_moving = False  # another page was requested, or a change of the file
        self._is_saving = False
        self._error: Notice | None = None  # why the last action was not done
        self.name = QComboBox()
        self.provider = QLineEdit()
        self.model = QLineEdit()
        self.revert = push_button(tr("Revert"))
        self.save = push_button(tr("Save"), "primary")
        self.tabs = SegmentedControl(
            [tr(text) for _, text, _ in TABS], [tr(tip) for _, _, tip in TABS]
        )
        self.side = SidePanel()
        self.views = PromptViews()
        self.trial = TrialPane()
        self.notice = NoticeStrip()
        self.question = NoticeStrip(link_role="")
        self._path = ElidedLabel("", "secondary", min_chars=12)
        self._tokens = text_label("", "secondary")
        self._typing_timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._connect()
        fit_dialog(self, 1280, 800)
        if parent is not None:
            parent.window().installEventFilter(self)

    def _lay_out(self) -> None:
        parts = QSplitter(handleWidth=1, childrenCollapsible=False)
        for number, pane in enumerate((self.side, self.views, self.trial)):
            parts.addWidget(pane)
            parts.setStretchFactor(number, int(pane is self.views))
        parts.setSizes(list(_WIDTHS))
        foot_row = row_of(
            self._path, self._tokens, margins=(12, 3, 12, 3), stretched=self._path
        )
        foot = panel_of(foot_row, "side")
        foot.setMinimumHeight(24)
        self.revert.setToolTip(
            tr("Back to the text of the file (Ctrl Z takes it back)")
        )
        self.save.setToolTip(tr("Write this level's file (Ctrl S)"))
        buttons = (self.tabs, self.revert, self.save)
        head = editor_head(self.name, self.provider, self.model, buttons, self.font())
        self.setLayout(
            column_of(
                head, self.question, self.notice, parts, rule(), foot, stretched=parts
            )
        )

    def _connect(self) -> None:
        self._typing_timer.timeout.connect(self._load_for_text)
        self.views.text.text_typed.connect(self._on_typed)
        self.name.textActivated.connect(self._on_name)
        for field in (self.provider, self.model):
            field.editingFinished.connect(self._on_seen_by)
        self.tabs.chosen.connect(self._on_tab)
        self.revert.clicked.connect(self._on_revert)
        self.save.clicked.connect(self.save_text)
        self.side.level_chosen.connect(self._on_level)
        self.side.override.clicked.connect(self.save_text)
        self.side.remove.clicked.connect(self._on_delete)
        self.side.insert_requested.connect(self._on_insert)
        self.trial.try_wanted.connect(self._on_try)
        self.trial.run.cancel_requested.connect(self._client.cancel)
        self.notice.action_requested.connect(self._on_line)
        self.question.action_requested.connect(self._on_answer)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self).activated.connect(
            self.save_text
        )
        self._client.trial_page.connect(self.show_trial)
        self._client.opened.connect(self.trial.forget)
        self._client.screen.connect(self._on_screen)

    @property
    def text(self) -> str:
        return self.views.text.text

    # Calls of the service

    def begin(self, name: str = "") -> None:
        """Request a prompt; without a name the first one of the active strategy."""
        self._move(PromptLocation(name))

    def _load_for_text(self) -> None:
        self._typing_timer.stop()
        if not self._is_moving:
            self._watch(
                self._client.call(
                    self, PromptService.page, *self.edits.page_request(self.text)
                )
            )

    def _move(self, location: PromptLocation) -> None:
        """Request another page; what is typed meanwhile is kept with its file."""
        self._typing_timer.stop()
        self._is_moving, self._error = True, None
        self._watch(self._client.call(self, PromptService.page, location, None, None))

    def save_text(self) -> None:
        page, loaded = self.edits.page, self.edits.loaded_page
        if page is not None and loaded is not None and page.content.editable:
            self._typing_timer.stop()
            self._is_moving, self._is_saving, self._error = True, True, None
            signature = loaded.content.signature
            self._watch(
                self._client.call(
                    self, PromptService.save, page.location, self.text, signature
                )
            )

    def _watch(self, call: PendingCall[PromptPage]) -> None:
        self._on_end(call.done(self.show_page))

    def _on_end(self, call: PendingCall[Value]) -> None:
        call.failed(self._on_failed).cancelled(self.stop_waiting)

    def stop_waiting(self) -> None:
        """A call ended without its answer."""
        self._is_moving = self._is_saving = False
        self.trial.end_run()

    def _on_failed(self, notice: Notice) -> None:
        """Show an error here, and in the window."""
        self._client.notice.emit(notice)
        was_saving = self._is_saving
        self.stop_waiting()
        if self.isVisible():
            self._error = Notice(
                "error", notice_text(notice), "", (NoticeAction(tr("Close"), "close"),)
            )
            self._show_question()
            if was_saving:
                self._load_for_text()  # another program may have changed the file

    def _on_screen(self, screen: Screen) -> None:
        """Another preview changes the request."""
        if self.isVisible() and not screen.provisional:
            self._load_for_text()

    # Pages

    def show_tab(self, name: str) -> None:
        """Raise "text", "changes" or "request"."""
        self.tabs.show_choice([tab for tab, _, _ in TABS].index(name))
        self.views.show_tab(name)

    def show_page(self, page: PromptPage) -> None:
        """Show an answer. The text changes only if nothing typed is lost."""
        was_other = (
            self.edits.page is None or self.edits.page.content.path != page.content.path
        )
        text = self.edits.receive(page, self.text)
        self._is_moving = self._is_saving = False
        if text is not None:
            self.views.text.put_text(text, undoable=not was_other)
        self._show_prompt(page)
        self.views.show_page(page)
        self.trial.show_offer(page)
        self.notice.show_notice(check_notice(page))
        self._path.show_text(
            display_path(Path(page.content.path), Path.home())
            if page.content.path
            else ""
        )
        self._tokens.setText(page.tokens)
        self._show_edited()
        if was_other and self.edits.is_edited(self.text):
            self._load_for_text()  # an unsaved text was restored

    def _show_prompt(self, page: PromptPage) -> None:
        """Show which prompt is edited. A field that the user is changing is left alone."""
        names = page.names or (page.name,)
        if (
            tuple(self.name.itemText(index) for index in range(self.name.count()))
            != names
        ):
            self.name.clear()
            self.name.addItems(list(names))
        self.name.setCurrentText(page.name)
        for field, text in ((self.provider, page.provider), (self.model, page.model)):
            if not (field.hasFocus() and field.isModified()):
                field.setText(text)

    def show_trial(self, page: TrialPage) -> None:
        """Show the state of a trial; request the offer again if the text was changed meanwhile."""
        was_running = self.trial.is_running
        self.trial.show_page(page)
        if was_running and not page.is_running:
            self._load_for_text()

    def _show_edited(self) -> None:
        edited = self.edits.is_edited(self.text)
        page = self.edits.page
        self.save.setEnabled(edited and page is not None and page.content.editable)
        self.revert.setEnabled(edited)
        self.views.set_edited(edited)
        if page is not None:
            self.side.show_page(
                page, (*self.edits.unsaved, *((page.content.path,) if edited else ()))
            )
        self._show_question()

    def _show_question(self) -> None:
        """Show whose text holds if another program changed the file, else an error."""
        page = self.edits.page
        if (
            page is not None
            and page.content.changed_outside
            and self.edits.is_edited(self.text)
        ):
            answers = (
                NoticeAction(tr("Keep mine"), "mine"),
                NoticeAction(tr("Take theirs"), "theirs"),
            )
            detail = tr("Your text differs from it.")
            self.question.show_notice(
                Notice("warning", page.content.changed_outside, detail, answers)
            )
        else:
            self.question.show_notice(self._error)

    # User actions

    def _on_typed(self) -> None:
        self._error = None
        self._show_edited()
        self._typing_timer.start()

    def _on_tab(self, number: int) -> None:
        self.views.show_tab(TABS[number][0])

    def _on_name(self, name: str) -> None:
        self._move(
            PromptLocation(
                name, self.provider.text().strip(), self.model.text().strip()
            )
        )

    def _on_seen_by(self) -> None:
        seen_by = (self.provider.text().strip(), self.model.text().strip())
        page = self.edits.page
        is_changed = self.provider.isModified() or self.model.isModified()
        for field in (self.provider, self.model):
            field.setModified(False)
        if is_changed and (page is None or seen_by != (page.provider, page.model)):
            self._move(PromptLocation(self.name.currentText(), *seen_by))

    def _on_level(self, level: str) -> None:
        if (page := self.edits.page) is not None:
            self._move(PromptLocation(page.name, page.provider, page.model, level))
            if self.sender() is self.side and self.side.edit.hasFocus():
                self.views.text.setFocus()

    def _on_revert(self) -> None:
        self.views.text.put_text(self.edits.saved_text, undoable=True)
        self._on_typed()

    def _on_insert(self, section: str) -> None:
        if self.edits.page is not None:
            text = insert_section(self.edits.page.name, self.text, section)
            self.show_tab("text")
            self.views.text.put_text(text, undoable=True)
            self._on_typed()

    def _on_line(self, line: str, _: str) -> None:
        self.show_tab("text")
        self.views.text.go_to_line(int(line))

    def _on_try(self, offline: bool, agreed: bool) -> None:
        if (page := self.edits.page) is not None:
            self._load_for_text()  # so that the offer belongs to the text that is tried
            self._error = None
            text = self.edits.text(self.text)
            call = self._client.call(
                self, PromptService.try_prompt, page.name, text, offline, agreed
            )
            self._on_end(call.done(self.show_trial))

    def _on_answer(self, name: str, _: str) -> None:
        self._error = None
        if name == "mine":
            self.edits.overwrite_outside_change()
        elif name == "theirs":
            self.edits.discard(self.text)
        if name != "close":
            self._load_for_text()
        self._show_question()

    def _on_delete(self) -> None:
        question = tr(
            "Delete the text of this level? Then the next level that exists is used."
        )
        if (page := self.edits.page) is not None and self._confirms(
            question, tr("Delete")
        ):
            self.edits.discard(self.text)
            self._is_moving = True
            self._watch(self._client.call(self, PromptService.revert, page.location))

    def _confirms(self, question: str, yes: str) -> bool:
        dialog = question_dialog(self, question, yes)
        is_agreed = dialog.exec() == QDialog.DialogCode.Accepted
        dialog.deleteLater()
        return is_agreed

    # Closing

    def may_close(self) -> bool:
        """Return True if no text would be lost, or if the user agrees to lose it."""
        unsaved = self.edits.unsaved_count(self.text)
        if not unsaved:
            return True
        question = tr("This text is not saved.")
        if unsaved > 1:
            question = tr(
                "{unsaved} texts are not saved. The list marks their levels."
            ).format(unsaved=unsaved)
        if not self._confirms(question, tr("Close without saving")):
            return False
        self.edits.forget_all(self.text)
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(self.may_close())
        if event.isAccepted():
            self._stop_try()

    def reject(self) -> None:
        """Esc closes the editor, or stops a running trial."""
        if self.trial.is_running:
            self._stop_try()
        elif self.may_close():
            super().reject()

    def _stop_try(self) -> None:
        if self.trial.is_running:
            self._client.cancel()

    def changeEvent(self, event: QEvent) -> None:
        """Checks the file when the window becomes active again: it may have changed."""
        super().changeEvent(event)
        if (
            event.type() == QEvent.Type.ActivationChange
            and self.isActiveWindow()
            and self.edits.page
        ):
            self._load_for_text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Prevents the program from ending with unsaved texts."""
        if event.type() == QEvent.Type.Close and not self.may_close():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
