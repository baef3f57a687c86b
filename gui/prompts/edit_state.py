"""The state of editing: the saved text, its state when it was read, and other unsaved texts."""

from __future__ import annotations

from dataclasses import dataclass

from core.app.services.settings_commands import LoadPromptCommand, SavePromptCommand
from core.presentation.prompts.model import PromptPage


@dataclass(frozen=True, slots=True)
class UnsavedPrompt:
    """An unsaved text, and the page of its file when it was last read."""

    text: str
    page: PromptPage


class PromptEdits:
    """Decides how an answer changes the text in the editor. No unsaved text is ever lost here.

    ``page`` is the newest answer, ``read`` the one that the saved text was taken from.
    """

    def __init__(self) -> None:
        self.page: PromptPage | None = None
        self.read: PromptPage | None = None
        self._base = ""
        self._drafts: dict[str, UnsavedPrompt] = {}

    @property
    def drafts(self) -> tuple[str, ...]:
        """The files with unsaved texts that are not in the editor now."""
        return tuple(self._drafts)

    def is_edited(self, text: str) -> bool:
        """Return whether the editor's text differs from the saved one."""
        return self.read is not None and text != self._base

    def unsaved(self, text: str) -> int:
        return len(self._drafts) + self.is_edited(text)

    @property
    def base(self) -> str:
        return self._base

    def text(self, text: str) -> str:
        """Return the text that would be used: the file's own if nothing was typed."""
        return text if self.read is None or self.is_edited(text) else self.read.text

    def receive(self, page: PromptPage, text: str) -> str | None:
        """Take in an answer while the editor holds ``text``; return the text to show, None to keep it."""
        if self.page is None or self.page.path != page.path:
            return self._other_file(page, text)
        self.page = page
        if page.edited or (self.is_edited(text) and editor_lines(page.text) != text):
            return None  # an answer about a typed text, which may be outdated
        self._base, self.read = editor_lines(page.text), page
        return None if self._base == text else self._base

    def _other_file(self, page: PromptPage, text: str) -> str:
        if self.read is not None and self.is_edited(text):
            self._drafts[self.read.path] = UnsavedPrompt(text, self.read)
        self.page = page
        draft = self._drafts.pop(page.path, None)
        self._base = editor_lines(page.text)
        self.read = page if draft is None else draft.page
        return self._base if draft is None else draft.text

    def keep_edits(self) -> None:
        """Let the next save replace a file that was changed outside."""
        self.read = self.page

    def discard(self, text: str) -> None:
        """Let the next answer replace the text."""
        self._base = text

    def forget_all(self, text: str) -> None:
        self._drafts.clear()
        self.discard(text)

    def ask(self, text: str) -> LoadPromptCommand:
        """Return the command for the text as typed; for the file if nothing was typed."""
        if self.page is None or self.read is None:
            return LoadPromptCommand()
        page = self.page
        if not self.is_edited(text):
            return LoadPromptCommand(page.name, page.provider, page.model, page.level)
        return LoadPromptCommand(page.name, page.provider, page.model, page.level, text, self.read.seen)

    def save(self, text: str) -> SavePromptCommand | None:
        """Return the command that saves the text at the shown level."""
        if self.page is None or self.read is None:
            return None
        page = self.page
        return SavePromptCommand(page.name, page.provider, page.model, page.level, text, self.read.seen)


def editor_lines(text: str) -> str:
    """Return the text with the editor's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
