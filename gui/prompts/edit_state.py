"""The state of editing: the saved text, its state when it was read, and other unsaved texts."""

from __future__ import annotations

from core.common.atomic_file import FileSignature
from core.presentation.model import Notice, NoticeAction
from core.presentation.prompt_model import PromptPage, PromptPlace
from gui.language import tr


class PromptEdits:
    """Decides how an answer changes the text in the editor. No unsaved text is ever lost here.

    ``page`` is the newest answer, ``loaded_page`` the one that the saved text was taken from.
    """

    def __init__(self) -> None:
        self.page: PromptPage | None = None
        self.loaded_page: PromptPage | None = None
        self._saved_text = ""
        self._drafts: dict[str, tuple[str, PromptPage]] = {}  # text, and page of its file, by path

    @property
    def drafts(self) -> tuple[str, ...]:
        """The files with unsaved texts that are not in the editor now."""
        return tuple(self._drafts)

    def is_edited(self, text: str) -> bool:
        """Return whether the editor's text differs from the saved one."""
        return self.loaded_page is not None and text != self._saved_text

    def unsaved_count(self, text: str) -> int:
        return len(self._drafts) + self.is_edited(text)

    @property
    def saved_text(self) -> str:
        return self._saved_text

    def text(self, text: str) -> str:
        """Return the text that would be used: the file's own if nothing was typed."""
        return text if self.loaded_page is None or self.is_edited(text) else self.loaded_page.text

    def receive(self, page: PromptPage, text: str) -> str | None:
        """Take in an answer while the editor holds ``text``; return the text to show, None to keep it."""
        if self.page is None or self.page.path != page.path:
            return self._other_file(page, text)
        self.page = page
        if page.edited or (self.is_edited(text) and editor_lines(page.text) != text):
            return None  # an answer about a typed text, which may be outdated
        self._saved_text, self.loaded_page = editor_lines(page.text), page
        return None if self._saved_text == text else self._saved_text

    def _other_file(self, page: PromptPage, text: str) -> str:
        if self.loaded_page is not None and self.is_edited(text):
            self._drafts[self.loaded_page.path] = text, self.loaded_page
        self.page = page
        self._saved_text = editor_lines(page.text)
        text, self.loaded_page = self._drafts.pop(page.path, (self._saved_text, page))
        return text

    def overwrite_outside_change(self) -> None:
        """Let the next save replace a file that was changed outside."""
        self.loaded_page = self.page

    def discard(self, text: str) -> None:
        """Let the next answer replace the text."""
        self._saved_text = text

    def forget_all(self, text: str) -> None:
        self._drafts.clear()
        self.discard(text)

    def page_request(self, text: str) -> tuple[PromptPlace, str | None, FileSignature | None]:
        """Return place, text and file signature to ask about; no text if nothing was typed."""
        if self.page is None or self.loaded_page is None:
            return PromptPlace(), None, None
        if not self.is_edited(text):
            return self.page.place, None, None
        return self.page.place, text, self.loaded_page.file_signature


def editor_lines(text: str) -> str:
    """Return the text with the editor's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_notice(page: PromptPage) -> Notice | None:
    """Return what to check in the text of a page."""
    if not page.notice and not page.detail:
        return None
    go = NoticeAction(tr("Go to line {line}").format(line=page.line), str(page.line))
    cannot = any(row.shown and row.tone == "error" for row in page.chain)
    return Notice("error" if cannot else "warning", page.notice, page.detail, (go,) if page.line else ())
