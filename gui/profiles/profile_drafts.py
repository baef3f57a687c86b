"""The profiles as they are on disk, and the edits of them that are not saved."""

from __future__ import annotations

from dataclasses import replace

from core.presentation.settings.model import ProfileRow, ProfilesPage

NEW = ""
"""The name on disk of a profile that is not there yet."""


class ProfileDrafts:
    """``current`` is the name on disk of the profile that is shown; edits of others wait."""

    def __init__(self) -> None:
        self.page = ProfilesPage((), (), "")
        self.current = NEW
        self._drafts: dict[str, ProfileRow] = {}
        self._saving: tuple[str, ProfileRow] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names on disk in order of the list; NEW for a new profile comes last."""
        return (*self._saved, *((NEW,) if NEW in self._drafts else ()))

    @property
    def _saved(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.page.rows)

    @property
    def row(self) -> ProfileRow:
        """The current profile as edited."""
        return self.shown(self.current)

    @property
    def is_saved(self) -> bool:
        """Whether the current profile is on disk, edited or not."""
        return self.current in self._saved

    @property
    def is_edited(self) -> bool:
        """Whether the current profile has edits."""
        return self.current in self._drafts

    def shown(self, name: str) -> ProfileRow:
        """A profile as edited, else as on disk."""
        return self._drafts.get(name) or self._on_disk(name)

    def has_edits(self, name: str) -> bool:
        """Whether a profile differs from what is on disk."""
        return name in self._drafts

    def _on_disk(self, name: str) -> ProfileRow:
        return next((row for row in self.page.rows if row.name == name), ProfileRow("", "", ""))

    def arrive(self, page: ProfilesPage) -> None:
        """All profiles anew: unsaved edits stay, those that were saved are over."""
        is_first, self.page = not self.page.rows, page
        self._end_saving()
        if self.current not in self.names:
            self.current = self.names[0] if self.names else NEW
        if is_first:
            self.current = next((row.name for row in page.rows if row.active), self.current)

    def _end_saving(self) -> None:
        """A save is over when the page has the profile under its new name, as it was asked for."""
        if self._saving is None:
            return
        former, asked = self._saving
        row = self._on_disk(asked.name)
        if (row.provider, row.model, row.base_url) == (asked.provider, asked.model, asked.base_url):
            self._saving = None
            self._drafts.pop(former, None)
            self.current = asked.name if self.current == former else self.current

    def save(self, row: ProfileRow) -> None:
        """The current profile is being saved as ``row``."""
        self._saving = self.current, row

    def fail(self) -> None:
        """What was being saved was refused."""
        self._saving = None

    def edit(self, row: ProfileRow, *, is_more: bool) -> None:
        """The current profile reads so now; ``is_more``: it will also take the session's values with it."""
        if not is_more and self.is_saved and row == self._on_disk(self.current):
            self._drafts.pop(self.current, None)
        else:
            self._drafts[self.current] = row

    def begin(self) -> None:
        """A new profile, unless there is one already."""
        self._drafts.setdefault(NEW, ProfileRow("", "", ""))

    def duplicate(self) -> None:
        """A new profile that is the current one under a name that is free."""
        row = self.row
        self._drafts[NEW] = replace(row, name=self._free_name(row.name), about="", fixed=False, active=False)

    def _free_name(self, name: str) -> str:
        number, found = 2, f"{name}-copy"
        while found in self.names:
            found, number = f"{name}-copy-{number}", number + 1
        return found

    def forget(self) -> str:
        """Let the edits of the current profile go; the name of the profile to show then."""
        self._drafts.pop(self.current, None)
        names = self.names
        return self.current if self.current in names else names[0] if names else NEW
