"""Left of the text: the override levels with their file actions, and the checks."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QTreeWidgetItem, QWidget

from core.presentation.prompt_model import PromptPage
from core.settings.profile import OFFLINE
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.row_tree import RowTree
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import current_theme, mono_font_for, scaled_pixels
from gui.widgets.view_layout import column_of, row_of

_PAD = 12


class SidePanel(QWidget):
    """The levels of the override, and below them the sections and placeholders of the text."""

    level_chosen = Signal(str)
    insert_requested = Signal(str)  # the section

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page: PromptPage | None = None
        self._unsaved: Collection[str] = ()
        self.levels = RowTree(tr("Where the text comes from"), role="side-list")
        self.sections = RowTree(tr("Sections"), role="side-list", selects=False)
        self.placeholders = RowTree(tr("Placeholders"), stretched=1, role="side-list", selects=False)
        self.levels.restyled.connect(self._on_restyled)
        self.override = push_button(tr("Override for this model"), "small")
        self.remove = push_button(tr("Delete override…"), "small")
        self.override.setToolTip(tr("Save the text as the file of this level"))
        self.remove.setToolTip(tr("Delete the file of this level, so that the next one is used"))
        self._count = text_label("")
        self.edit = push_button("", "small")
        self.edit.setToolTip(tr("Go to the level above, whose text you can change; nothing is written yet"))
        self.edit.clicked.connect(self._on_edit)
        buttons = row_of(self.edit, self.override, self.remove, None, margins=(_PAD, 8, _PAD, 8), gap=6)
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
        self.setLayout(column)
        self.setMinimumWidth(scaled_pixels(200, self.font()))
        self.levels.currentItemChanged.connect(self._on_level)

    def show_page(self, page: PromptPage, unsaved: Collection[str]) -> None:
        """Show a page; ``unsaved`` are the paths of files with unsaved texts."""
        self._page, self._unsaved = page, unsaved
        self._show_levels(page, unsaved)
        self.sections.clear()
        mono = mono_font_for(self.font())
        for section in page.sections:
            tone, state = (
                ("ok", tr("{name}: present")) if section.present else ("error", tr("{name}: missing"))
            )
            spoken = state.format(name=section.name)
            item = self.sections.add_row(
                (section.name, ""), glyph=tone, tone=tone, spoken=spoken, fonts=(mono,)
            )
            if not section.present and page.editable:
                link = push_button(tr("Insert"), "link")
                link.setAccessibleName(tr("Insert {name}").format(name=section.name))
                link.setProperty("section", section.name)
                link.clicked.connect(self._on_insert)
                self.sections.setItemWidget(item, 1, link)
        self.placeholders.clear()
        for one in page.placeholders:
            item = self.placeholders.add_row((f"{{{one.name}}}", one.value), fonts=(mono,))
            if not one.known:
                item.setForeground(1, current_theme().warn)
            if not one.used:
                item.setForeground(0, current_theme().text3)
                item.setToolTip(0, tr("not in the text"))
        self.sections.fit()
        self.placeholders.fit()
        self._count.setText(page.sections_text)
        is_complete = all(section.present for section in page.sections)
        set_style_property(self._count, "tone", "ok" if is_complete else "error")

    def _show_levels(self, page: PromptPage, unsaved: Collection[str]) -> None:
        with QSignalBlocker(self.levels):
            self.levels.clear()
            for row in page.chain:
                is_unsaved = row.path in unsaved
                glyph = "error" if row.problem else "layer-session" if row.wins else "layer-default"
                tones = (("error", row.problem), ("warn", is_unsaved), ("accent", row.wins))
                tone = next((tone for tone, holds in tones if holds), "")
                state = tr("not saved") if is_unsaved else row.state
                spoken = ", ".join(filter(None, (row.title, state, row.place, row.problem)))
                cells = f"{row.title}\n{row.place}", state
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
        self.override.setVisible(page.editable and not exists)
        # the words of a prompt for offline are those of every model's
        wanted = page.chain[-2 if page.provider == OFFLINE else 0] if len(page.chain) > 1 else None
        self._edit_level = wanted.level if wanted is not None else ""
        title = "" if wanted is None else wanted.title[:1].lower() + wanted.title[1:]
        self.edit.setText(tr("Edit for {level}").format(level=title))
        self.edit.setVisible(not page.editable and wanted is not None)
        self.remove.setVisible(page.editable and exists)

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
