"""A conversation that a command has read."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.cli.arguments import CommonOptions
from core.formats.common.format import Format
from core.preview.options import StageCache
from core.settings.profile import Profile
from core.settings.values import Values
from core.transcript.model import Conversation


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation that was read, with what the command line asks of it.

    ``summary`` is the text of ``--summary-file``; None without one.
    """

    options: CommonOptions
    conversation: Conversation
    reader: Format
    format_reason: str
    values: Values
    profile: Profile
    summary: str | None = None
    stages: StageCache = field(default_factory=StageCache)
