"""The editor's questions and notes over the text; the most urgent one is shown."""

from __future__ import annotations

from core.presentation.prompts.model import PromptPage
from gui.language import tr
from gui.prompts.edit_state import PromptEdits
from gui.prompts.message_strip import MessageStrip, StripAction, StripMessage

CLOSE, DELETE = "close", "delete"
"""Questions that wait for their answer."""
_CHANGED_OUTSIDE_TEXT = "Your text differs from it."
_CHANGED_OUTSIDE_ACTIONS = (StripAction("mine", "Keep mine", ""), StripAction("theirs", "Take theirs", ""))
_DELETE_QUESTION = StripMessage(
    "Delete the override of this level?",
    "The next level that exists is used then.",
    "warn",
    (StripAction("delete", "Delete it", ""), StripAction("keep", "Keep it", "")),
)


def question_message(edits: PromptEdits, text: str, asking: str, error: str) -> StripMessage | None:
    """Return the question while the editor holds ``text``: ``asking`` first, then about a file that another
    program changed; else the ``error``."""
    page, unsaved = edits.page, edits.unsaved_count(text)
    if asking == CLOSE and unsaved:
        return _closing(unsaved)
    if asking == DELETE:
        return _DELETE_QUESTION
    if page is not None and page.changed_outside and edits.is_edited(text):
        return StripMessage(page.changed_outside, _CHANGED_OUTSIDE_TEXT, "warn", _CHANGED_OUTSIDE_ACTIONS)
    return StripMessage(error, "", "error", (StripAction("close", tr("Close")),)) if error else None


class QuestionStrip(MessageStrip):
    """The open question, or an error; both stay until the user's next action."""

    def __init__(self, edits: PromptEdits) -> None:
        super().__init__()
        self._edits = edits
        self._asking = self._error = ""

    def ask(self, asking: str, text: str, answer: str) -> None:
        """Ask CLOSE or DELETE while the editor holds ``text``; ``answer`` gets the focus."""
        self._asking = asking
        self.refresh(text)
        self.focus_answer(answer)

    def fail(self, error: str, text: str) -> None:
        """Show why something was not done; a question comes first."""
        self._error = error
        self.refresh(text)

    def forget_error(self) -> None:
        self._error = ""

    def resolve(self) -> None:
        self._asking = self._error = ""

    def refresh(self, text: str) -> None:
        """Show the question or error while the editor holds ``text``."""
        self.show_message(question_message(self._edits, text, self._asking, self._error))


def _closing(unsaved: int) -> StripMessage:
    headline = (
        tr("This text is not saved.")
        if unsaved == 1
        else tr("{unsaved} texts are not saved.").format(unsaved=unsaved)
    )
    answers = (
        StripAction("stay", tr("Go on editing"), ""),
        StripAction("discard", tr("Close without saving"), ""),
    )
    return StripMessage(headline, tr("Levels with one say so in the list."), "warn", answers)


def notice_message(page: PromptPage) -> StripMessage | None:
    """Return what to check in the text of a page."""
    if not page.notice and not page.detail:
        return None
    answers = (
        (StripAction(str(page.line), tr("Go to line {line}").format(line=page.line)),) if page.line else ()
    )
    cannot = any(row.shown and row.tone == "error" for row in page.chain)
    return StripMessage(page.notice, page.detail, "error" if cannot else "warn", answers)
