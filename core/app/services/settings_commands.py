"""Commands about settings, profiles, prompts and lines of the command bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from core.common.file_identity import FileSignature
from core.presentation.settings.model import ProfileRow
from core.settings.schema import SettingValue


@dataclass(frozen=True, slots=True)
class RunLineCommand:
    """A line of the command bar: ``/set``, ``/profile`` or ``/compact``."""

    text: str


@dataclass(frozen=True, slots=True)
class CompleteLineCommand:
    """Request completions at the cursor of the command bar."""

    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class LoadSettingsCommand:
    """Request the settings page."""


@dataclass(frozen=True, slots=True)
class SaveSettingsCommand:
    """Write values to the settings file (None removes one); the session's values of them are removed."""

    values: tuple[tuple[str, SettingValue | None], ...]


@dataclass(frozen=True, slots=True)
class LoadProfilesCommand:
    """Request the profiles page."""


@dataclass(frozen=True, slots=True)
class UseProfileCommand:
    """Make a profile the active one and load its settings into the session."""

    name: str


@dataclass(frozen=True, slots=True)
class SaveProfileCommand:
    """Write a profile as edited; ``former`` is its name on disk, empty for a new one.

    ``from_session``: with the session's settings.
    """

    row: ProfileRow
    former: str = ""
    from_session: bool = False


@dataclass(frozen=True, slots=True)
class DeleteProfileCommand:
    name: str


@dataclass(frozen=True, slots=True)
class TryProfileCommand:
    """Call a profile's model with a few tokens; the answer is a notice of topic "test"."""

    row: ProfileRow


@dataclass(frozen=True, slots=True)
class LoadPromptCommand:
    """Request the prompt page; ``text`` is the edited text, None as it is on disk."""

    name: str = ""
    provider: str = ""
    model: str = ""
    level: str = ""
    text: str | None = None
    seen: FileSignature | None = None


@dataclass(frozen=True, slots=True)
class SavePromptCommand:
    name: str
    provider: str
    model: str
    level: str
    text: str
    seen: FileSignature | None = None


@dataclass(frozen=True, slots=True)
class RevertPromptCommand:
    name: str
    provider: str
    model: str
    level: str


@dataclass(frozen=True, slots=True)
class TryPromptCommand:
    """Write the summary of what is shown with ``text`` as the prompt ``name``; nothing else changes.
    ``agreed`` to the paid call, or ``offline``; a TrialPage follows each step."""

    name: str
    text: str
    agreed: bool = False
    offline: bool = False


SettingsCommand: TypeAlias = (
    RunLineCommand
    | CompleteLineCommand
    | LoadSettingsCommand
    | SaveSettingsCommand
    | LoadProfilesCommand
    | UseProfileCommand
    | SaveProfileCommand
    | DeleteProfileCommand
    | TryProfileCommand
    | LoadPromptCommand
    | SavePromptCommand
    | RevertPromptCommand
)
