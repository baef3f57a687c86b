"""What is being edited: the text of the file beneath, its state when it was read, and other unsaved texts."""

from __future__ import annotations

from dataclasses import dataclass

from core.app.services.settings_commands import LoadPromptCommand, SavePromptCommand
from core.presentation.prompts.model import PromptPage


@dataclass(frozen=True, slots=True)
class UnsavedPrompt:
    """An unsaved text, and the page of the file as it was when it was last read."""

    text: str
    page: PromptPage


class PromptEdits:
    """Decides what an answer means for the text in the editor. No unsaved text is ever lost here.

    ``page`` is the newest answer, ``read`` the one that the text of the file was taken from.
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
        """Whether the editor's text is another than the file's."""
        return self.read is not None and text != self._base

    def unsaved(self, text: str) -> int:
        """How many texts would be lost."""
        return len(self._drafts) + self.is_edited(text)

    @property
    def base(self) -> str:
        """The text of the file."""
        return self._base

    def text(self, text: str) -> str:
        """The text that would be used: the file's own where nothing was typed."""
        return text if self.read is None or self.is_edited(text) else self.read.text

    def arrive(self, page: PromptPage, text: str) -> str | None:
        """An answer came while the editor holds ``text``: the text to show instead, None to keep it."""
        if self.page is None or self.page.path != page.path:
            return self._other_file(page, text)
        self.page = page
        if page.edited or (self.is_edited(text) and editor_lines(page.text) != text):
            return None  # an answer about a text that was typed; it may be late
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

    def keep_mine(self) -> None:
        """The file was changed outside: what is saved next may replace it."""
        self.read = self.page

    def give_up(self, text: str) -> None:
        """Let the next answer replace the text."""
        self._base = text

    def forget_all(self, text: str) -> None:
        """Let all unsaved texts go."""
        self._drafts.clear()
        self.give_up(text)

    def ask(self, text: str) -> LoadPromptCommand:
        """Ask about the text as typed; about the file where nothing was typed."""
        if self.page is None or self.read is None:
            return LoadPromptCommand()
        page = self.page
        if not self.is_edited(text):
            return LoadPromptCommand(page.name, page.provider, page.model, page.level)
        return LoadPromptCommand(page.name, page.provider, page.model, page.level, text, self.read.seen)

    def save(self, text: str) -> SavePromptCommand | None:
        """Write the text at the level that is shown."""
        if self.page is None or self.read is None:
            return None
        page = self.page
        return SavePromptCommand(page.name, page.provider, page.model, page.level, text, self.read.seen)


def editor_lines(text: str) -> str:
    """The text with the line ends that an editor has."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
