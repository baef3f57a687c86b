"""Values of the dialogs, the prompt editor, the command bar, and a running model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.atomic_file import ABSENT, FileSignature
from core.common.paths import display_name
from core.presentation.model import ControlGroup, LabelledFigure, Notice, PickerChoice


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """All settings, a group per section. ``session_count`` counts session values; ``problems`` are
    sentences about the settings file; ``missing_key`` says why the summary's profile cannot be
    called, else None."""

    groups: tuple[ControlGroup, ...]
    profiles: tuple[str, ...]
    path: str
    session_count: int
    problems: tuple[str, ...] = ()
    missing_key: Notice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRow:
    """A profile as the dialog edits it. ``parameters`` is TOML; ``key_source`` is "none",
    "environment" or "keyring", ``key_name`` the variable or entry. ``is_built_in``: the built-in
    profile, which can only be used and duplicated."""

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
    use: str = ""  # what it is used for now: "it writes the summaries"


@dataclass(frozen=True, slots=True)
class ProfilesPage:
    """All profiles; ``problems`` are sentences about unreadable files, ``variables`` the usual key
    variables by provider, ``summary_profile`` the profile that writes the summaries."""

    rows: tuple[ProfileRow, ...]
    providers: tuple[str, ...]
    problems: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    summary_profile: str = ""


@dataclass(frozen=True, slots=True)
class CompletionList:
    """Completions at the cursor of the command bar: (text to insert, label, help)."""

    text: str
    start: int
    entries: tuple[tuple[str, str, str], ...]
    problem: str = ""


USE_OFFLINE = "Use offline · free"
"""The way out of every question before a paid call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallQuestion:
    """A question before the first call of a paid profile. ``focus`` is the compaction's focus,
    returned with the answer. ``secrets`` lists secrets in the request and their places."""

    title: str  # "Send this to anthropic?"
    text: str
    facts: tuple[LabelledFigure, ...]
    yes_label: str  # "Send · at most $0.07"
    focus: str = ""
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryProgress:
    """A model that writes the summary. ``fraction`` of the budget received; ``text`` is the end of
    the summary so far (4,000 characters)."""

    title: str  # "haiku is writing the summary"
    elapsed: str  # "18 s"
    # "≈88,811 tokens sent · 1,840 of at most 4,000 received · $0.10 so far".
    facts: tuple[str, ...]
    text: str
    fraction: float
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """The share of the window that a session's next request would fill, -1 if unknown, its text and
    tone."""

    share: float
    text: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTrigger:
    """Distance of a session's next request from the trigger, "" if unknown, and requests until
    it."""

    distance: str
    requests: str = ""  # of a session that is being written
    is_reached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; unknown texts are empty while pending, else a dash. ``sort_keys`` sort the
    columns: prompt, project, agent, changed, size, messages, tokens, recorded, context."""

    path: str
    prompt: str
    project: str
    agent: str
    changed: str
    size: str
    messages: str
    tokens: str
    recorded: str
    context: SessionContext
    about: str  # folder and name, for the pane below
    trigger: SessionTrigger
    sort_keys: tuple[str, str, str, float, int, int, int, int, float]
    problem: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        first = (self.prompt, self.project, self.agent, self.changed, self.size)
        return (
            *first,
            self.messages,
            self.tokens,
            self.recorded,
            self.context.text,
            self.trigger.requests,
        )

    @property
    def has_recorded(self) -> bool:
        return self.sort_keys[7] > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRows:
    """Rows from ``start`` on, of ``total`` sessions. ``foot`` names the folders found and counts
    problems, ``searched`` names all that were looked for; ``is_over``: all is read; ``is_new``: of
    a new search."""

    start: int
    total: int
    rows: tuple[SessionRow, ...]
    foot: str = ""
    searched: str = ""
    problems: tuple[str, ...] = ()
    is_over: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """Write the result ("after") or the source ("before") to ``path``.

    ``append``: the source, then the compaction as its agent records one. ``provenance``: each
    message with its source, so that it can be restored later. ``redact`` None: as the format does.
    ``force``: even if the file would not open again as what was to be written. ``add_excerpts``:
    with the most useful lines that the result lacks.
    """

    path: str
    format: str
    side: str = "after"
    overwrite: bool = False
    redact: bool | None = None
    append: bool = False
    provenance: bool = False
    force: bool = False
    add_excerpts: bool = False


@dataclass(frozen=True, slots=True)
class SecretsCount:
    """How many secrets an export would hold, as sentences with redaction off and on.

    ``refused`` says why the file could not be written; ``finding_lines`` are lines on the secrets
    and their places.
    """

    count: int
    unredacted_text: str
    redacted_text: str
    refused: str = ""
    finding_lines: tuple[str, ...] = ()


CONVERSATIONS = "conversations"
BRANCHES = "branches"
FORMAT = "format"
REPORT = "import-report"
"""Actions of the title's links."""
NOTHING_REPORTED = "Nothing was skipped, repaired or warned of."


@dataclass(frozen=True, slots=True)
class ImportSection:
    """A titled list of (place or count, text)."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The import report; ``copy_text`` is its redacted text, ``copied_message`` the message after
    copying."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[ImportSection, ...] = ()
    copy_text: str = ""
    copied_message: str = ""


NO_REPORT = ImportPage("")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportChoice:
    """A format to write.

    ``suffix`` begins with a dot. ``word`` is part of a report's file name, empty for a transcript.
    ``redacts``: redaction is the default. ``appends``: the compaction can be recorded at the end of
    the source. ``provenance``: messages can carry their origin.
    """

    value: str
    label: str
    suffix: str
    about: str = ""
    word: str = ""
    redacts: bool = False
    appends: bool = False
    provenance: bool = False


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What the program offers for the open file; its exports begin with the format of the file."""

    strategies: tuple[PickerChoice, ...] = ()
    exports: tuple[ExportChoice, ...] = ()
    formats: tuple[PickerChoice, ...] = ()  # "" is by content


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReader:
    """The format by which a file is read, and why."""

    format: str
    label: str
    why: str  # "uuid and parentUuid in 200 of 200 lines"
    forced: str = ""  # the format chosen by the user


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBranching:
    """Conversations of a file with several, branches of a session that forks, and which of them are
    shown."""

    conversations: tuple[PickerChoice, ...] = ()  # if the file holds several
    conversation: int = 1
    branches: tuple[PickerChoice, ...] = ()  # if the session forks
    branch: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOpenedEvent:
    path: str
    name: str
    reader: FileReader
    title: str  # "fix-flaky-upload.jsonl · Claude Code · 412 messages · no recorded compaction"
    scopes: tuple[PickerChoice, ...]
    models: tuple[PickerChoice, ...]
    profiles: tuple[PickerChoice, ...]
    branching: FileBranching = FileBranching()
    # Parts of the title; the value is the link's action.
    title_parts: tuple[PickerChoice, ...] = ()
    report: ImportPage = NO_REPORT
    has_grown: bool = False  # the open file was read again


@dataclass(frozen=True, slots=True)
class PromptLocation:
    """A prompt as a provider's model gets it, at a level of the chain."""

    name: str = ""
    provider: str = ""
    model: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLevelRow:
    """A level of the chain; ``state`` is "in use", "installed", "none"; ``problem`` says why its
    file cannot be used."""

    level: str
    title: str  # "This provider"
    location: str  # "providers/anthropic/compression/"
    path: str
    state: str
    exists: bool
    wins: bool
    is_displayed: bool  # the editor shows this level's text
    problem: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class PromptDiffRow:
    """A changed line: "+", "-" or " ", and its number ("" if removed)."""

    mark: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A required section, and whether the text has it."""

    name: str
    present: bool


@dataclass(frozen=True, slots=True)
class PlaceholderRow:
    """A placeholder and its value here ("≈88,383 tokens", "4,000", "empty")."""

    name: str
    value: str
    used: bool
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class RequestPart:
    """One message of a request; ``title`` is its position: "2 of 31"."""

    role: str
    title: str
    text: str
    tokens: str


@dataclass(frozen=True, slots=True)
class RequestPage:
    """The exact request for the open conversation, or the ``reason`` why there is none."""

    parts: tuple[RequestPart, ...]
    facts: tuple[LabelledFigure, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrialOffer:
    """The available trials; ``key`` identifies a result that is current. ``reason`` says why
    nothing can be tried, ``model_reason`` why no model can; else ""."""

    key: str = ""
    offline: str = ""  # "Try offline"
    model: str = ""  # "Try with haiku…"
    reason: str = ""
    model_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPage:
    """A trial: a question, a running model, an error, or the result. ``key`` identifies text and
    conversation, as in ``TrialOffer``."""

    title: str  # "Offline result"
    about: str  # "deterministic preview"
    key: str
    facts: tuple[LabelledFigure, ...] = ()
    note: str = ""
    text: str = ""
    question: CallQuestion | None = None
    progress: SummaryProgress | None = None
    notice: Notice | None = None
    is_running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChanges:
    """What differs from the level below."""

    title: str  # "Changes against built in"
    added: str  # "+3"
    removed: str  # "−2"
    rows: tuple[PromptDiffRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOutline:
    """Sections and placeholders of a prompt."""

    sections: tuple[SectionRow, ...]
    text: str  # "8 of 9"
    placeholders: tuple[PlaceholderRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptNotice:
    """The bar above the text, "" if nothing is to check, and the first line to go to, 0 for
    none."""

    text: str
    detail: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContent:
    """The text of the file at ``path``; ``signature`` is the file's, for saving;
    ``changed_outside`` a sentence or ""."""

    path: str
    text: str
    editable: bool
    edited: bool  # differs from the file
    signature: FileSignature = ABSENT
    changed_outside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPage:
    """The content of the prompt editor.

    ``names`` are all prompts. ``provider`` and ``model`` determined the chain.
    """

    name: str
    file: str  # "compression/middle-out.md"
    chain: tuple[PromptLevelRow, ...]
    level: str
    content: PromptContent
    changes: PromptChanges
    outline: PromptOutline
    notice: PromptNotice
    tokens: str  # "≈428 tokens · o200k_base estimate"
    request: RequestPage
    names: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    trial: TrialOffer = field(default_factory=TrialOffer)

    @property
    def location(self) -> PromptLocation:
        return PromptLocation(self.name, self.provider, self.model, self.level)


def missing_file_text(path: str) -> tuple[str, str]:
    """Return that the open file is gone from its place, and what that means."""
    return (
        f"{display_name(path)} is gone: deleted, moved or renamed.",
        "What was read of it stays open.",
    )
