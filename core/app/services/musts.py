"""The texts that must survive: what files and the person say of the open session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.services.service import Service
from core.common.errors import InputError
from core.facts.sentences import plain_text
from core.losses.must_keep import must_evidence, save_typed_musts

if TYPE_CHECKING:
    from core.losses.must_keep import MustEvidence, MustFile, TypedMusts
    from core.preview.options import Preview

_NO_TEXT = (
    "There is nothing to keep.",
    "Type a sentence, a name or a number, or select some text.",
)


class MustService(Service):
    """Adds and removes texts; none of them changes a result."""

    def add(self, text: str) -> None:
        """Judge every result by a text from now on; Undo takes it back. InputError for none."""
        if not text.strip():
            raise InputError(*_NO_TEXT)
        self._change(self._workspace.view.musts.with_text(text))

    def add_message(self, index: int) -> None:
        """Judge by all sentences of a source message, counted from 0. InputError where it has no
        text."""
        messages = self._workspace.shown_preview().messages
        self.add(plain_text(messages[index]) if 0 <= index < len(messages) else "")

    def remove(self, text: str) -> None:
        """Remove a typed text, or ignore one of a file in this session."""
        self._change(self._workspace.view.musts.without(text))

    def _change(self, musts: TypedMusts) -> None:

        workspace = self._workspace
        file, view = workspace.opened_file(), workspace.view
        if musts == view.musts:
            return
        save_typed_musts(file.conversation, musts)
        workspace.change(replace(view, musts=musts))

    def evidence(
        self, preview: Preview, files: list[MustFile]
    ) -> tuple[MustEvidence, ...]:
        """Return what a preview holds of the texts, worst first."""
        workspace = self._workspace
        texts = workspace.view.musts.joined(files)
        return must_evidence(preview, texts, workspace.opened_file().stages)
