"""Adds the results of checks to a screen that was shown without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.presentation.model import ControlGroup, LintReport, Notice, Screen, StatusPart


@dataclass(frozen=True, slots=True)
class ScreenChecks:
    """The parts of a screen that depend on checks; ``generation`` is the screen's."""

    generation: int
    groups: tuple[ControlGroup, ...]
    lint: tuple[LintReport, ...]
    status: tuple[StatusPart, ...]
    notices: tuple[Notice, ...]

    def applied_to(self, screen: Screen) -> Screen:
        """Return the screen with these parts."""
        return replace(screen, groups=self.groups, lint=self.lint, status=self.status, notices=self.notices)
