"""Values of the settings and profile dialogs, the command bar, and a running model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.presentation.model import ControlGroup, LabelledFigure, Notice


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """All settings, a group per section. ``session_count`` counts session values. ``profile`` is the
    active one; ``problems`` are sentences about the settings file; ``missing_key`` says why the summary's
    profile cannot be called, else None."""

    groups: tuple[ControlGroup, ...]
    profiles: tuple[str, ...]
    profile: str
    path: str
    session_count: int
    problems: tuple[str, ...] = ()
    missing_key: Notice | None = None


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile as the dialog edits it. ``parameters`` is TOML; ``key_source`` is "none", "environment"
    or "keyring", ``key_name`` the variable or entry. ``is_built_in``: the built-in profile, which can
    only be used and duplicated."""

    name: str
    provider: str
    model: str
    base_url: str = ""
    key_source: str = "none"
    key_name: str = ""
    parameters: str = ""
    timeout: float = 120.0
    total_timeout: float = 600.0
    stream: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    about: str = ""
    is_built_in: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True)
class ProfilesPage:
    """All profiles; ``problems`` are sentences about unreadable files, ``variables`` the usual key variables
    by provider."""

    rows: tuple[ProfileRow, ...]
    providers: tuple[str, ...]
    folder: str
    problems: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompletionList:
    """Completions at the cursor of the command bar: (text to insert, label, help)."""

    text: str
    start: int
    entries: tuple[tuple[str, str, str], ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """A question before the first call of a paid profile. ``focus`` is the compaction's focus, returned with
    the answer. ``secrets`` lists secrets in the request and their places."""

    title: str  # "Call haiku for the first time?"
    text: str
    facts: tuple[LabelledFigure, ...]
    yes_label: str  # "Call haiku"
    no_label: str  # "Use offline"
    focus: str = ""
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryProgress:
    """A model that writes the summary. ``fraction`` of the budget received; ``text`` is the end of the
    summary so far (4,000 characters)."""

    title: str  # "haiku writes the summary"
    elapsed: str  # "18 s"
    facts: tuple[str, ...]  # "≈88,811 tokens sent · 1,840 of at most 4,000 received · $0.10 so far"
    text: str
    fraction: float
    is_over: bool = False
