"""The values of the settings and profiles dialogs, the command bar, and a model at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.presentation.model import ControlGroup, LabelledFigure, Notice


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """All settings, a group per section. ``session`` says how many values the session holds.

    A Control's ``layer`` is "session", "saved" or "default"; ``layers`` has the text of each.
    ``profile`` is the active one; ``problems`` are sentences about the settings file; ``no_key`` says why the
    profile that writes the summary cannot be called, None where it can.
    """

    groups: tuple[ControlGroup, ...]
    profiles: tuple[str, ...]
    profile: str
    path: str
    session: int
    problems: tuple[str, ...] = ()
    no_key: Notice | None = None


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One profile as the dialog edits it. All texts; ``parameters`` is TOML, one ``key = value`` a line.

    ``key_source`` is "none", "environment" or "keyring"; ``key_name`` the variable or entry.
    ``fixed``: the built-in one, which can be used and duplicated only.
    """

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
    fixed: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True)
class ProfilesPage:
    """All profiles; ``problems`` are sentences about files that cannot be read. ``variables`` are those in
    which the keys of providers usually stand."""

    rows: tuple[ProfileRow, ...]
    providers: tuple[str, ...]
    folder: str
    problems: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompletionList:
    """What may stand at the cursor of the command bar: (text to insert, label, help) each."""

    text: str
    start: int
    entries: tuple[tuple[str, str, str], ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """A question in the after pane before the first call of a paid profile.

    ``focus`` is what the compaction was asked to attend to; it goes with the answer. ``found`` are lines on
    the secrets that go out, and where they stand.
    """

    title: str  # "Call haiku for the first time?"
    text: str
    facts: tuple[LabelledFigure, ...]
    yes: str  # "Call haiku"
    no: str  # "Use offline"
    focus: str = ""
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryProgress:
    """A model writes the summary: shown in the after pane while it does.

    ``fraction`` of the summary's budget received; ``text`` the summary so far (its last 4,000
    characters); ``over`` ends it.
    """

    title: str  # "haiku writes the summary"
    elapsed: str  # "18 s"
    facts: tuple[str, ...]  # "≈88,811 tokens sent · 1,840 of at most 4,000 received · $0.10 so far"
    text: str
    fraction: float
    over: bool = False
