"""The saved profiles, and unsaved edits of them."""

from __future__ import annotations

from dataclasses import replace

from core.presentation.settings.model import ProfileRow, ProfilesPage

NEW = ""
"""The saved name of a profile that is not saved yet."""


class ProfileDrafts:
    """``current`` is the saved name of the shown profile; edits of others are kept."""

    def __init__(self) -> None:
        self.page = ProfilesPage((), (), "")
        self.current = NEW
        self._drafts: dict[str, ProfileRow] = {}
        self._saving = (NEW, NEW)  # names before and after

    @property
    def names(self) -> tuple[str, ...]:
        """The saved names in order of the list; NEW for a new profile comes last."""
        return (*self._saved, *((NEW,) if NEW in self._drafts else ()))

    @property
    def _saved(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.page.rows)

    @property
    def row(self) -> ProfileRow:
        return self.shown(self.current)

    @property
    def is_saved(self) -> bool:
        """True if the current profile is on disk, edited or not."""
        return self.current in self._saved

    @property
    def is_edited(self) -> bool:
        """True if the current profile has edits."""
        return self.current in self._drafts

    def shown(self, name: str) -> ProfileRow:
        """Return a profile as edited, else as saved."""
        return self._drafts.get(name) or self._on_disk(name)

    def has_edits(self, name: str) -> bool:
        return name in self._drafts

    def _on_disk(self, name: str) -> ProfileRow:
        return next((row for row in self.page.rows if row.name == name), ProfileRow("", "", ""))

    def receive(self, page: ProfilesPage) -> None:
        """Take in all saved profiles; unsaved edits stay."""
        is_first, self.page = not self.page.rows, page
        if self.current not in self.names:
            self.current = self.names[0] if self.names else NEW
        if is_first:
            self.current = next((row.name for row in page.rows if row.active), self.current)

    def save(self, row: ProfileRow) -> None:
        self._saving = self.current, row.name

    def finish_save(self) -> None:
        """The profile is saved: its edits end, and it has its new name."""
        former, name = self._saving
        self._drafts.pop(former, None)
        self.current = name if self.current == former else self.current

    def edit(self, row: ProfileRow, *, is_more: bool) -> None:
        """Set the current profile's edits; ``is_more``: it will also take the session's values."""
        if not is_more and self.is_saved and row == self._on_disk(self.current):
            self._drafts.pop(self.current, None)
        else:
            self._drafts[self.current] = row

    def begin(self) -> None:
        """Add a new profile, unless there is one already."""
        self._drafts.setdefault(NEW, ProfileRow("", "", ""))

    def duplicate(self) -> None:
        row = self.row
        self._drafts[NEW] = replace(
            row, name=self._free_name(row.name), about="", is_built_in=False, active=False
        )

    def _free_name(self, name: str) -> str:
        number, candidate = 2, f"{name}-copy"
        while candidate in self.names:
            candidate, number = f"{name}-copy-{number}", number + 1
        return candidate

    def forget(self) -> str:
        """Drop the edits of the current profile; return the name of the profile to show next."""
        self._drafts.pop(self.current, None)
        names = self.names
        return self.current if self.current in names else names[0] if names else NEW
