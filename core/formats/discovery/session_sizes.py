"""Counts messages, tokens and recorded compactions of a session, with a cache on disk."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.paths import cache_dir
from core.formats.common.format import StopCheck, never_stop
from core.formats.discovery.find_sessions import SessionFile
from core.formats.registry import load_conversation
from core.llm.catalog import choose_model, context_window
from core.llm.request_size import next_request_tokens, request_sizing
from core.tokens.counter import COUNTER_VERSION, count_messages, counter_for
from core.transcript.model import Conversation, Progress, no_progress
from core.transcript.scopes import CURRENT

MAX_MEASURED_SIZE = 20_000_000
"""Bytes: a larger session is counted only when it is opened; of a store, its newest conversation counts."""

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


def cached_sizes(session: SessionFile) -> SessionSizes | None:
    """Return the cached sizes if the file has not changed."""
    try:
        fields = json.loads(_cache_path(session).read_bytes())
        return SessionSizes(**fields)
    except (OSError, ValueError, TypeError):
        return None


def measure_session(
    session: SessionFile, progress: Progress = no_progress, stop: StopCheck = never_stop
) -> SessionSizes | None:
    """Count a session; None if it cannot be read or is larger than LARGEST. Cancelled passes through."""
    cached = cached_sizes(session)
    if cached is not None or session.size > MAX_MEASURED_SIZE:
        return cached
    try:
        conversation = load_conversation(session.path, progress=progress, stop=stop)
    except InputError:
        return None
    return count_session(session, conversation, progress)


def count_session(
    session: SessionFile, conversation: Conversation, progress: Progress = no_progress
) -> SessionSizes:
    """Count a conversation that was read from a session, and cache the counts."""
    sizes = sizes_of(conversation, progress)
    with suppress(OSError, InputError):
        _cache_path(session).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(_cache_path(session), json.dumps(asdict(sizes)).encode(), overwrite=True)
    return sizes


def sizes_of(conversation: Conversation, progress: Progress = no_progress) -> SessionSizes:
    model = choose_model(conversation)
    counter = counter_for(model)
    counts = count_messages(conversation, counter, progress)
    sizing = request_sizing(conversation, counter, CURRENT, model)
    return SessionSizes(
        len(conversation.messages),
        sum(sizing.sizes(conversation.messages, counts)),
        next_request_tokens(conversation, counter, sizing),
        context_window(conversation, model, None).limit,
        sizing.counter(counter).method.mark,
        len(conversation.recorded),
    )


def _cache_path(session: SessionFile) -> Path:
    parts = (str(session.path), session.size, session.modified_at, COUNTER_VERSION, _VERSION)
    name = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    return cache_dir() / "sessions" / name
