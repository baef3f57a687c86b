"""Counts messages, tokens and recorded compactions of a session, with a cache on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.paths import cache_dir
from core.formats.discovery.find_sessions import SessionFile
from core.formats.registry import load_conversation
from core.llm.catalog import choose_model, context_window
from core.llm.request_size import next_size, sizing_of
from core.tokens.counter import COUNTER_VERSION, counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Progress, no_progress
from core.transcript.scopes import CURRENT

LARGEST = 20_000_000
"""Bytes: a larger session is counted only when it is opened."""

_VERSION = 3


@dataclass(frozen=True, slots=True)
class SessionSizes:
    """Counts of the first conversation of a file: tokens of all messages, and of the next request with system
    prompt and tools. ``mark`` says how they were counted; ``limit`` None means unknown."""

    messages: int
    tokens: int
    context: int
    limit: int | None
    mark: str
    recorded: int

    @property
    def fraction(self) -> float | None:
        """Share of the model's context window that the next request would fill."""
        return self.context / self.limit if self.limit else None


def known_sizes(found: SessionFile) -> SessionSizes | None:
    """Return the cached sizes if the file has not changed."""
    try:
        fields = json.loads(_cache_path(found).read_bytes())
        return SessionSizes(**fields)
    except (OSError, ValueError, TypeError):
        return None


def measure_session(
    found: SessionFile, progress: Progress = no_progress, stop: Callable[[], bool] | None = None
) -> SessionSizes | None:
    """Count a session; None if it cannot be read or is larger than LARGEST. Cancelled passes through."""
    known = known_sizes(found)
    if known is not None or found.size > LARGEST:
        return known
    try:
        conversation = load_conversation(found.path, progress=progress, stop=stop)
    except InputError:
        return None
    model = choose_model(conversation)
    raw = counter_for(model)
    counts = count_messages(conversation, raw, progress)
    sizing = sizing_of(conversation, raw, CURRENT, model)
    sizes = SessionSizes(
        len(conversation.messages),
        sum(sizing.sizes(conversation.messages, counts)),
        next_size(conversation, raw, sizing),
        context_window(conversation, model, None).limit,
        sizing.counter(raw).method.mark,
        len(conversation.recorded),
    )
    with suppress(OSError, InputError):
        _cache_path(found).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(_cache_path(found), json.dumps(asdict(sizes)).encode(), overwrite=True)
    return sizes


def _cache_path(found: SessionFile) -> Path:
    parts = (str(found.path), found.size, found.changed, COUNTER_VERSION, _VERSION)
    name = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    return cache_dir() / "sessions" / name
