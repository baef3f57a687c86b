"""At the sides of the text: the override levels and checks; what a model would be sent, and a
trial."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QTreeWidgetItem,
    QWidget,
)

from core.presentation.dialog_model import PromptPage, TrialOffer, TrialPage
from core.settings.profile import OFFLINE
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.row_tree import RowTree
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import current_theme, mono_font_for, scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, row_of

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
        self.remove.setToolTip(tr("Delete the file of this level, so that the next one is used"))
        self._count = text_label("")
        self.edit = push_button("", "small")
        self.edit.setToolTip(
            tr("Go to the level above, whose text you can change; nothing is written yet")
        )
        self.edit.clicked.connect(self._on_edit)
        buttons = row_of(
            self.edit, self.override, self.remove, None, margins=(_PAD, 8, _PAD, 8), gap=6
        )
        column = column_of(
            _head(text_label(tr("Where the text comes from"), "strong")),
            _head(text_label(tr("The first that exists is used."), "secondary")),
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
            item = self.placeholders.add_row((f"{{{one.name}}}", one.value), fonts=(mono,))
            if not one.known:
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
                tones = (("error", row.problem), ("warn", is_unsaved), ("accent", row.wins))
                tone = next((tone for tone, holds in tones if holds), "")
                state = tr("not saved") if is_unsaved else row.state
                spoken = ", ".join(filter(None, (row.title, state, row.location, row.problem)))
                cells = f"{row.title}\n{row.location}", state
                item = self.levels.add_row(cells, glyph=glyph, tone=tone, spoken=spoken, lines=2)
                item.setData(0, Qt.ItemDataRole.UserRole, row.level)
                item.setToolTip(0, row.problem or row.path)
                if row.shown:
                    self.levels.setCurrentItem(item)
            self.levels.fit()
        shown_row = next((row for row in page.chain if row.shown), None)
        exists = shown_row is not None and (shown_row.exists or bool(shown_row.problem))
        level = "" if shown_row is None else shown_row.title[:1].lower() + shown_row.title[1:]
        self.override.setText(tr("Override for {level}").format(level=level))
        self.override.setVisible(page.content.editable and not exists)
        wanted = None
        if len(page.chain) > 1:
            # the words of a prompt for offline are those of every model's
            wanted = page.chain[-2] if page.provider == OFFLINE else page.chain[0]
        self._edit_level = wanted.level if wanted is not None else ""
        title = "" if wanted is None else wanted.title[:1].lower() + wanted.title[1:]
        self.edit.setText(tr("Edit for {level}").format(level=title))
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


def _head(title: QWidget, at_right: QWidget | None = None) -> QHBoxLayout:
    parts = (title,) if at_right is None else (title, at_right)
    return row_of(*parts, margins=(_PAD, 6, _PAD, 4), stretched=title)


class TrialResult(QWidget):
    """The result of a trial: its figures, a note, and the summary's text."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.about = text_label("", "group"), ElidedLabel("", "secondary", min_chars=4)
        self.facts = FigureList(indent=_PAD, row_height=24)
        self.status_label, self.note = text_label(""), text_label("", "secondary")
        self.text = QPlainTextEdit(readOnly=True, undoRedoEnabled=False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("role", "reader")
        self.text.setAccessibleName(tr("Summary"))
        self.text.document().setDocumentMargin(_PAD - 2)
        for label in (self.status_label, self.note):
            label.setWordWrap(True)
        head = row_of(self.title, self.about, margins=(_PAD, 8, _PAD, 4), stretched=self.title)
        texts = column_of(self.status_label, self.note, margins=(_PAD, 4, _PAD, 4), gap=4)
        self.setLayout(column_of(head, self.facts, texts, self.text, None, stretched=self.text))

    def show_page(self, page: TrialPage, *, is_stale: bool) -> None:
        """Show the result of a trial; ``is_stale``: of another text, or before a setting
        changed."""
        notice = page.notice
        self.text.setFont(mono_font_for(self.font()))
        self.title.setText(page.title)
        self.about.show_text(tr("before the last change") if is_stale else page.about)
        self.facts.show_facts(page.facts)
        self.note.setText(page.note)
        self.status_label.setText("" if notice is None else f"{notice.title} {notice.text}".strip())
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
        self.facts, self.reason = (
            FigureList(indent=_PAD, row_height=24),
            text_label("", "secondary"),
        )
        self.offline, self.model = push_button("", "small"), push_button("", "small")
        self.result, self._lower_widget = TrialResult(), QWidget()
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
        self._buttons = row_of(self.offline, self.model, None, margins=(_PAD, 8, _PAD, 8))
        for button in (self.offline, self.model):
            self._buttons.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        head, reason = column_of(title, margins=(_PAD, 6, _PAD, 4)), column_of(self.reason)
        reason.setContentsMargins(_PAD, 0, _PAD, 0)
        parts = (head, self.facts, reason, self._buttons, rule(), self._lower_widget)
        fill_panel(self, "side", column_of(*parts, stretched=self._lower_widget))
        self.setMinimumWidth(scaled_pixels(220, self.font()))
        self._show()

    def _fit(self) -> None:
        """Put the buttons side by side if both fit, else one below the other."""
        needed_width = (
            self.offline.sizeHint().width() + self.model.sizeHint().width() + 8 + 2 * _PAD
        )
        direction = QBoxLayout.Direction
        fits = needed_width <= self.width()
        self._buttons.setDirection(direction.LeftToRight if fits else direction.TopToBottom)

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
        status = (
            tr("The summary is being written. Esc stops it.") if self.is_running else offer.reason
        )
        self.reason.setText(status)
        self.reason.setVisible(bool(status))
        self.result.setVisible(page is not None)
        if page is not None:
            self.result.show_page(page, is_stale=bool(page.text) and page.key != offer.key)

    def _on_offline(self) -> None:
        self.try_wanted.emit(True, False)

    def _on_model(self) -> None:
        self.try_wanted.emit(False, False)

    def _on_agreed(self) -> None:
        self.try_wanted.emit(False, True)
