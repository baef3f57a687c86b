"""What the checks of a result tell a screen that was shown without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.presentation.model import ControlGroup, LintReport, Notice, Screen, StatusPart


@dataclass(frozen=True, slots=True)
class ScreenChecks:
    """The parts of a screen that speak of findings and of what each switch saves.

    ``generation`` is that of the screen that came without them.
    """

    generation: int
    groups: tuple[ControlGroup, ...]
    lint: tuple[LintReport, ...]
    status: tuple[StatusPart, ...]
    notices: tuple[Notice, ...]

    def upon(self, screen: Screen) -> Screen:
        """That screen with all it has to say."""
        return replace(screen, groups=self.groups, lint=self.lint, status=self.status, notices=self.notices)
