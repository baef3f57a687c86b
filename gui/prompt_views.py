"""The middle of the editor: the text and its unsaved edits, its changes or the request, under a
header."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRegularExpression, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from core.common.atomic_file import FileSignature
from core.presentation.dialog_model import (
    PromptDiffRow,
    PromptLocation,
    PromptPage,
    RequestPage,
)
from core.presentation.model import SUMMARISED, Notice, NoticeAction
from core.settings.prompts import PLACEHOLDERS
from gui.inspect.inspector.text_view import TextReader, TextRun, char_format
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import (
    SECONDARY,
    blend_colours,
    current_theme,
    mono_font_for,
    resized_font,
    scaled_pixels,
)
from gui.widgets.view_layout import (
    column_of,
    fill_panel,
    line_of_widgets,
    panel_of,
    row_of,
)

_LEFT, _RIGHT, _TOP, _END = 12, 14, 6, 6
_TAG_COLOUR = SUMMARISED
_MARKED = QRegularExpression(
    r"\{([a-z][a-z0-9_]*)\}|</?[A-Za-z][\w-]*[ \t]*/?>",
    QRegularExpression.PatternOption.UseUnicodePropertiesOption,
)
_SHARE = {True: 0.22, False: 0.13}
"""The share of the tone's colour in the ground of a changed line, in dark themes and in light
ones."""


class PromptHighlighter(QSyntaxHighlighter):
    """Highlights tags, placeholders and unknown placeholders."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._tag = QTextCharFormat()
        self._placeholder = QTextCharFormat()
        self._unknown = QTextCharFormat()
        self._unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)

    def follow_theme(self) -> None:
        theme = current_theme()
        self._tag.setForeground(theme.fate_text[_TAG_COLOUR])
        self._placeholder.setForeground(theme.accent_text)
        self._unknown.setForeground(theme.warn)
        self._unknown.setUnderlineColor(theme.warn)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        matches = _MARKED.globalMatch(text)
        while matches.hasNext():
            match = matches.next()
            name = match.captured(1)
            marked = self._placeholder if name in PLACEHOLDERS else self._unknown
            self.setFormat(
                match.capturedStart(),
                match.capturedLength(),
                marked if name else self._tag,
            )


class CodeGutter(QWidget):
    """The column left of the text; its view paints it."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(event)


class CodeView(QPlainTextEdit):
    """Plain text in the code font, wrapped, with a gutter. ``gutter_texts`` are number and mark of
    a line."""

    text_typed = Signal()  # by the user, not by ``put_text``
    has_marks = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self._is_putting = False
        self._last_text = (
            ""  # highlighting emits textChanged too; only another text counts
        )
        self._gutter = CodeGutter(self)
        self._marks = PromptHighlighter(self.document())
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._on_update)
        self.textChanged.connect(self._on_text)
        self.follow_theme()

    def follow_theme(self) -> None:
        """Paint in the theme's colours; the code font follows the body's size."""
        parent = self.parentWidget()
        if parent is None:
            font = self.font()
        else:
            font = parent.font()
        self.setFont(mono_font_for(font))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._fit_gutter()
        self._marks.follow_theme()
        self._gutter.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.follow_theme()

    @property
    def text(self) -> str:
        """The text; unlike ``toPlainText`` with its no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def put_text(self, text: str, *, undoable: bool = False) -> None:
        """Show another text. ``undoable``: as an edit of the differing part; the cursor stays."""
        self._is_putting = True
        if undoable:
            self._edit_to(text)
        elif text != self.text:
            self.setPlainText(text)
        self._is_putting, self._last_text = False, self.text

    def _edit_to(self, text: str) -> None:
        old_text = self.text
        most = min(len(old_text), len(text))
        prefix = next((n for n in range(most) if old_text[n] != text[n]), most)
        suffix = next(
            (n for n in range(most - prefix) if old_text[-1 - n] != text[-1 - n]),
            most - prefix,
        )
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.setPosition(_utf16_length(old_text[:prefix]))
        cursor.setPosition(
            _utf16_length(old_text[: len(old_text) - suffix]),
            QTextCursor.MoveMode.KeepAnchor,
        )
        cursor.insertText(text[prefix : len(text) - suffix])
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def go_to_line(self, line: int) -> None:
        """Put the cursor on a line, from 1, and centre it."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return self.textCursor().blockNumber() + 1

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        return str(block.blockNumber() + 1), ""

    def gutter_width(self) -> int:
        """Return the gutter's width in pixels."""
        digits = max(2, len(str(self.blockCount()))) + (2 if self.has_marks else 0)
        return _LEFT + _RIGHT + digits * self.fontMetrics().horizontalAdvance("0")

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint number and mark beside each visible line, over the colour of the line."""
        painter = QPainter(self._gutter)
        theme = current_theme()
        painter.setFont(self.font())
        width = self._gutter.width()
        height = self.fontMetrics().height()
        if self.has_marks:
            sign = self.fontMetrics().horizontalAdvance("00")
        else:
            sign = 0
        block = self.firstVisibleBlock()
        while block.isValid():
            rect = (
                self.blockBoundingGeometry(block)
                .translated(self.contentOffset())
                .toRect()
            )
            if rect.top() > event.rect().bottom():
                break
            number, mark = self.gutter_texts(block)
            painter.fillRect(
                QRect(0, rect.top(), width, rect.height()),
                block.blockFormat().background(),
            )
            painter.setPen(theme.text3)
            right = Qt.AlignmentFlag.AlignRight
            painter.drawText(
                0, rect.top(), width - _RIGHT - sign, height, right, number
            )
            if mark:
                painter.setPen(theme.ok if mark == "+" else theme.error)
                painter.drawText(0, rect.top(), width - _RIGHT, height, right, mark)
            block = block.next()
        painter.end()

    def _fit_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), _TOP, _END, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        top = inside.top() + _TOP
        height = inside.height() - _TOP
        self._gutter.setGeometry(inside.left(), top, self.gutter_width(), height)

    def _on_update(self, rect: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _on_text(self) -> None:
        if not self._is_putting and (text := self.text) != self._last_text:
            self._last_text = text
            self.text_typed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()

    def set_editable(self, editable: bool) -> None:
        if self.isReadOnly() == editable:
            flag = Qt.TextInteractionFlag
            selectable = flag.TextSelectableByMouse | flag.TextSelectableByKeyboard
            self.setReadOnly(not editable)
            self.setTextInteractionFlags(
                flag.TextEditorInteraction if editable else selectable
            )


class ChangesView(CodeView):
    """Read-only; the gutter has the numbers of the new text and a sign at each changed line."""

    has_marks = True

    def __init__(self, name: str) -> None:
        self.lines: tuple[PromptDiffRow, ...] = ()
        super().__init__(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)

    def follow_theme(self) -> None:
        super().follow_theme()
        self._paint_backgrounds()

    def show_changes(self, lines: Sequence[PromptDiffRow]) -> None:
        if tuple(lines) != self.lines:
            self.lines = tuple(lines)
            scroll_position = self.verticalScrollBar().value()
            self.put_text("\n".join(line.text for line in self.lines))
            self._paint_backgrounds()
            self._fit_gutter()
            self.verticalScrollBar().setValue(scroll_position)

    def _paint_backgrounds(self) -> None:
        """Paint the grounds of changed lines, and removed lines paler. High contrast only has the
        signs."""
        theme = current_theme()
        if theme.high_contrast:
            share = 0.0
        else:
            share = _SHARE[theme.dark]
        tones = {"+": theme.ok, "-": theme.error}
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().firstBlock()
        for line in self.lines:
            if line.mark in tones:
                background = blend_colours(tones[line.mark], theme.surface, share)
                _paint(
                    block, background, theme.text2 if line.mark == "-" else theme.text
                )
            block = block.next()
        cursor.endEditBlock()

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        if block.blockNumber() >= len(self.lines):
            return "", ""
        line = self.lines[block.blockNumber()]
        return line.number, {"+": "+", "-": "−"}.get(line.mark, "")


def _paint(block: QTextBlock, background: QColor, foreground: QColor) -> None:
    cursor = QTextCursor(block)
    block_format = QTextBlockFormat()
    text_format = QTextCharFormat()
    block_format.setBackground(background)
    text_format.setForeground(foreground)
    cursor.setBlockFormat(block_format)
    cursor.movePosition(
        QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
    )
    cursor.setCharFormat(text_format)


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class PromptEdits:
    """Decides how an answer changes the text in the editor. No unsaved text is ever lost here.

    ``page`` is the newest answer, ``loaded_page`` the one that the saved text was taken from.
    """

    def __init__(self) -> None:
        self.page: PromptPage | None = None
        self.loaded_page: PromptPage | None = None
        self.saved_text = ""
        self.unsaved: dict[str, tuple[str, PromptPage]] = {}
        """Unsaved texts that are not in the editor now, each with the page of its file, by path."""

    def is_edited(self, text: str) -> bool:
        """Return whether the editor's text differs from the saved one."""
        return self.loaded_page is not None and text != self.saved_text

    def unsaved_count(self, text: str) -> int:
        return len(self.unsaved) + self.is_edited(text)

    def text(self, text: str) -> str:
        """Return the text that would be used: the file's own if nothing was typed."""
        if self.loaded_page is None or self.is_edited(text):
            return text
        return self.loaded_page.content.text

    def receive(self, page: PromptPage, text: str) -> str | None:
        """Take in an answer while the editor holds ``text``; return the text to show, None to keep
        it."""
        if self.page is None or self.page.content.path != page.content.path:
            return self._other_file(page, text)
        self.page = page
        if page.content.edited or (
            self.is_edited(text) and editor_lines(page.content.text) != text
        ):
            return None  # an answer about a typed text, which may be outdated
        self.saved_text = editor_lines(page.content.text)
        self.loaded_page = page
        return None if self.saved_text == text else self.saved_text

    def _other_file(self, page: PromptPage, text: str) -> str:
        if self.loaded_page is not None and self.is_edited(text):
            self.unsaved[self.loaded_page.content.path] = text, self.loaded_page
        self.page = page
        self.saved_text = editor_lines(page.content.text)
        text, self.loaded_page = self.unsaved.pop(
            page.content.path, (self.saved_text, page)
        )
        return text

    def overwrite_outside_change(self) -> None:
        """Let the next save replace a file that was changed outside."""
        self.loaded_page = self.page

    def discard(self, text: str) -> None:
        """Let the next answer replace the text."""
        self.saved_text = text

    def forget_all(self, text: str) -> None:
        self.unsaved.clear()
        self.discard(text)

    def page_request(
        self, text: str
    ) -> tuple[PromptLocation, str | None, FileSignature | None]:
        """Return place, text and file signature to ask about; no text if nothing was typed."""
        if self.page is None or self.loaded_page is None:
            return PromptLocation(), None, None
        if not self.is_edited(text):
            return self.page.location, None, None
        return self.page.location, text, self.loaded_page.content.signature


def editor_lines(text: str) -> str:
    """Return the text with the editor's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_notice(page: PromptPage) -> Notice | None:
    """Return what to check in the text of a page."""
    if not page.notice.text and not page.notice.detail:
        return None
    go = NoticeAction(
        tr("Go to line {line}").format(line=page.notice.line), str(page.notice.line)
    )
    cannot = any(row.is_displayed and row.tone == "error" for row in page.chain)
    return Notice(
        "error" if cannot else "warning",
        page.notice.text,
        page.notice.detail,
        (go,) if page.notice.line else (),
    )


TABS = (
    ("text", "Text", "The text of this level."),
    ("changes", "Changes", "What it changes against the level below."),
    ("request", "Request", "What a model would be sent for this conversation."),
)
"""Names, labels and tooltips of the views, in order."""


class PromptViews(QWidget):
    """Three views of one page; a request may be long and is laid out only while it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self.text = CodeView(tr("Text of the prompt"))
        self.changes = ChangesView(tr("Changes"))
        self.request = TextReader(tr("Request"))
        self.request.set_wrapped(True)
        self.text.set_editable(False)
        self._page: PromptPage | None = None
        self._shown_request: RequestPage | None = None
        self._is_edited = False
        self._title, self._added, self._removed = (
            text_label("", role) for role in ("strong", "", "")
        )
        self._added.setProperty("tone", "ok")
        self._removed.setProperty("tone", "error")
        self.state = ElidedLabel("", "secondary", min_chars=8)
        self.state.setAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        self._stack = QStackedWidget()
        for view in (self.text, self.changes, self.request):
            self._stack.addWidget(view)
        head = line_of_widgets(
            self._title,
            self._added,
            self._removed,
            self.state,
            gap=8,
            stretched=self.state,
        )
        head.setMinimumHeight(28)
        fill_panel(self, "pane", column_of(head, self._stack, stretched=self._stack))
        self.text.cursorPositionChanged.connect(self._show_head)

    @property
    def tab(self) -> str:
        return TABS[self._stack.currentIndex()][0]

    def show_tab(self, name: str) -> None:
        self._stack.setCurrentIndex([tab for tab, _, _ in TABS].index(name))
        self._show_view()
        (self.text, self.changes, self.request)[self._stack.currentIndex()].setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    def show_page(self, page: PromptPage) -> None:
        """Show a page's information; the text itself is set by the editor."""
        self._page = page
        self.text.set_editable(page.content.editable)
        self._show_view()

    def set_edited(self, edited: bool) -> None:
        self._is_edited = edited
        self._show_head()

    def _show_view(self) -> None:
        if (page := self._page) is None:
            return
        if self.tab == "changes":
            self.changes.show_changes(page.changes.rows)
        elif self.tab == "request" and page.request != self._shown_request:
            self._shown_request = page.request
            self.request.show_runs(_request_runs(page.request, self.font()))
        self._show_head()

    def _show_head(self) -> None:
        if (page := self._page) is None:
            return
        is_request = self.tab == "request"
        if self.tab == "changes":
            no_title = tr("No level is below.")
        else:
            no_title = page.file
        self._title.setText(
            tr("Request") if is_request else page.changes.title or no_title
        )
        for label, text in (
            (self._added, page.changes.added),
            (self._removed, page.changes.removed),
        ):
            label.setText(text)
            label.setVisible(bool(page.changes.title) and not is_request)
        if is_request:
            self.state.show_text(
                tr("not sent until you press Compact or try it")
                if page.request.parts
                else ""
            )
        elif not page.content.editable:
            self.state.show_text(
                tr("read-only; the button at the left begins an override")
            )
        else:
            if self.tab == "text":
                line = tr("line {line} · ").format(line=self.text.line)
            else:
                line = ""
            exists = any(row.is_displayed and row.exists for row in page.chain)
            if exists:
                state = tr("saved")
            else:
                state = tr("no file")
            if self._is_edited:
                state = tr("not saved")
            self.state.show_text(f"{line}UTF-8 · {state}")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._shown_request is not None:
            self._shown_request = None
            self._show_view()


def _request_runs(page: RequestPage, font: QFont) -> list[TextRun]:
    """Return each message under its role, place and tokens, or the reason why there is none."""
    theme = current_theme()
    if not page.parts:
        return [TextRun(page.reason, char_format(font, theme.text2))]
    plain_font = resized_font(font, SECONDARY)
    bold_font = resized_font(font, SECONDARY, bold=True)
    code = mono_font_for(font)
    runs: list[TextRun] = []
    for number, part in enumerate(page.parts):
        title = f"  {part.title} · {tr('{tokens} tokens').format(tokens=part.tokens)}\n"
        runs += [
            TextRun("\n\n" if number else "", char_format(font, theme.text)),
            TextRun(part.role, char_format(bold_font, theme.text), heading=True),
            TextRun(title, char_format(plain_font, theme.text3)),
            TextRun(part.text, char_format(code, theme.text)),
        ]
    return runs


def editor_head(
    name: QComboBox,
    provider: QLineEdit,
    model: QLineEdit,
    buttons: Sequence[QWidget],
    font: QFont,
) -> QWidget:
    """Return the row over an editor: which prompt, seen by which model, and its buttons."""
    name.setAccessibleName(tr("Prompt"))
    name.setMinimumWidth(scaled_pixels(130, font))
    tip = tr(
        "{name} whose levels are shown. Another one can be looked at before it is used."
    )
    for field, label, width, hint in (
        (provider, tr("Provider"), 100, tr("any provider")),
        (model, tr("Model"), 170, tr("any model")),
    ):
        field.setAccessibleName(label)
        field.setPlaceholderText(hint)
        field.setMinimumWidth(60)
        field.setMaximumWidth(scaled_pixels(width, font))
        field.setMinimumHeight(28)
        field.setToolTip(tip.format(name=label))
    labels = [
        text_label(text, "secondary") for text in (tr("Prompt"), tr("as seen by"), "/")
    ]
    parts = (labels[0], name, labels[1], provider, labels[2], model, None, *buttons)
    return panel_of(row_of(*parts, margins=(12, 6, 12, 6), stretched=model), "head")
