"""What a session holds: its sizes, with a cache on disk, and its first and last words."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from core.common import excerpts
from core.common.atomic_file import write_atomic
from core.common.crash_report import item_problem
from core.common.errors import InputError
from core.common.paths import cache_dir
from core.facts.sentences import block_texts
from core.formats.common.compressed_files import open_unpacked, packing_of
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.document import DocumentContainer, open_text
from core.formats.common.format import (
    FIRST_WITH_MESSAGES,
    ReadRequest,
    StopCheck,
    never_stop,
)
from core.formats.common.open_document import is_zip_head
from core.formats.discovery.find_sessions import SessionFile, SessionSearch, no_check
from core.formats.registry import detect_format, load_conversation, load_with_reason
from core.llm.catalog import choose_model, find_model_limit
from core.llm.request_size import next_request_tokens, request_sizing
from core.tokens.counter import COUNTER_VERSION, count_messages, counter_for
from core.transcript.model import (
    NOT_TYPED,
    Conversation,
    Message,
    Progress,
    SourceDocument,
    Speaker,
    Text,
    no_progress,
)
from core.transcript.scopes import CURRENT

MAX_MEASURED_SIZE = 20_000_000
"""Bytes: a larger session is counted only when it is opened; of a store, its newest conversation
counts."""
_VERSION = 3
_MAX_WHOLE_SIZE = 4_000_000
"""Bytes: a smaller file is read whole, of a larger one the first records if it has lines."""
_HEAD_SIZE = 65_536  # bytes at the beginning of a longer file, to detect its format
_END_SIZES = (65_536, 1_048_576)
"""Bytes to read at the end; the second if the first part has no message, as one result may fill
it."""
_MAX_WRAPPED_SIZE = 20_000  # characters
_REQUEST = re.compile(
    r"<(\w*(?:query|request|task|prompt|message))>(.*?)(?:</\1>.*)?",
    re.DOTALL | re.IGNORECASE,
)
_WRAPPERS = (
    re.compile(
        r"\A<(?!\w*(?:query|request|task|prompt|message)>)([\w-]+)(?: [^<>]*)?>.*?</\1>",
        re.S | re.I,
    ),
    re.compile(r"\A[^\n]{1,80}\(untrusted[^\n)]*\):\s*```\w*\n.*?\n```", re.DOTALL),
    re.compile(r"\A\[[^\]\n]*\d{4}-\d{2}-\d{2}[^\]\n]*\]"),
    re.compile(r"\[message_id: [^\]\n]*\]\Z"),
)
_GENERIC_FOLDERS = ("chats", "sessions", "subagents", "archive", "agents", "main")
"""Names of folders that do not name a project."""


@dataclass(frozen=True, slots=True)
class SessionSizes:
    """Counts of the first conversation of a file: tokens of all messages, and of the next request
    with system prompt and tools. ``mark`` says how they were counted; ``limit`` None means
    unknown."""

    messages: int
    tokens: int
    context: int
    limit: int | None
    mark: str
    recorded: int

    @property
    def fraction(self) -> float | None:
        """Share of the model's context window that the next request would fill."""
        if self.limit:
            return self.context / self.limit
        return None


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
    """Count a session; None if it is no transcript or larger than MAX_MEASURED_SIZE. Cancelled
    passes."""
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
        write_atomic(
            _cache_path(session), json.dumps(asdict(sizes)).encode(), overwrite=True
        )
    return sizes


def sizes_of(
    conversation: Conversation, progress: Progress = no_progress
) -> SessionSizes:
    model = choose_model(conversation)
    counter = counter_for(model)
    counts = count_messages(conversation, counter, progress)
    sizing = request_sizing(conversation, counter, CURRENT, model)
    return SessionSizes(
        len(conversation.messages),
        sum(sizing.sizes(conversation.messages, counts)),
        next_request_tokens(conversation, counter, sizing),
        find_model_limit(conversation, model, None).tokens,
        sizing.counter(counter).method.mark,
        len(conversation.recorded),
    )


def _cache_path(session: SessionFile) -> Path:
    parts = (
        str(session.path),
        session.size,
        session.modified_at,
        COUNTER_VERSION,
        _VERSION,
    )
    name = hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    return cache_dir() / "sessions" / name


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """The beginning of a session: ``format`` is the name of its format, ``agent`` that format's
    label, ``cwd`` the folder in which the agent worked. ``problem`` is one sentence if it is no
    transcript."""

    prompt: str = ""
    project: str = ""
    format: str = ""
    is_sub_agent: bool = False
    problem: str = ""
    agent: str = ""
    cwd: str = ""


@dataclass(slots=True, kw_only=True)
class SessionListing:
    """The newest of ``total`` sessions; ``headers`` and ``sizes`` are those of the first ones.

    ``start`` and ``end`` bound those that were read last.
    """

    search: SessionSearch
    extra_folders: tuple[Path, ...]
    sessions: Sequence[SessionFile]
    total: int
    headers: list[SessionHeader] = field(default_factory=list)
    sizes: list[SessionSizes | None] = field(default_factory=list)
    start: int = 0
    end: int = 0

    def fail(self, index: int, error: Exception) -> None:
        """Note why a session could not be counted; its first words stay. Raises Cancelled again."""
        header = self.headers[index]
        problem = item_problem(error)
        self.headers[index] = replace(header, problem=header.problem or problem)
        self.sizes.append(None)

    def sizes_of(self, index: int) -> SessionSizes | None:
        """Return the counted sizes of a session, else those of an earlier count."""
        if index < len(self.sizes):
            return self.sizes[index]
        return cached_sizes(self.sessions[index])


def read_session_header(session: SessionFile) -> SessionHeader:
    """Read the first records of a session. Whatever fails is its ``problem``."""
    try:
        return _read_header(session)
    except Exception as error:  # one file ends no list
        return SessionHeader(problem=item_problem(error))


def _read_header(session: SessionFile) -> SessionHeader:
    call_count = 0

    def stop() -> bool:
        nonlocal call_count
        call_count += 1
        # The first call comes before anything is read.
        return call_count > 1 and session.size > _MAX_WHOLE_SIZE

    request = ReadRequest(FIRST_WITH_MESSAGES, stop=stop)
    conversation, reader, _ = load_with_reason(session.path, request)
    prompt = first_prompt(conversation) or conversation.title
    data = conversation.document.data
    # Of a store, which may be large: it is not opened again.
    if data and conversation.document.path:
        if conversation.siblings > 1:
            # A store is one row of the list, so the row says that there are more.
            prompt = f"(newest of {conversation.siblings:,}) {prompt}"
        if len(data) <= MAX_MEASURED_SIZE:
            count_session(session, conversation)
    return SessionHeader(
        prompt=prompt,
        project=project_name(conversation.cwd, session.path),
        format=reader.name,
        is_sub_agent=_is_sub_agent(session.path),
        agent=reader.label,
        cwd=conversation.cwd,
    )


def _is_sub_agent(path: Path) -> bool:
    """Return whether a file is that of a sub-agent, by its folders; Kimi's own agent is called
    main."""
    return path.parent.name == "subagents" or (
        path.name == "wire.jsonl"
        and path.parents[1].name == "agents"
        and path.parent.name != "main"
    )


def first_prompt(conversation: Conversation) -> str:
    """Return the user's first words in a conversation, on one line; "" if there are none."""
    prompts = (
        first_spoken_words(message)
        for message in conversation.messages
        if message.speaker is Speaker.HUMAN
    )
    return next(filter(None, prompts), "")


def first_spoken_words(message: Message) -> str:
    """Return the first words of a message, on one line; "" if its agent generated it or it has no
    text."""
    if message.flags & NOT_TYPED:
        return ""
    # A prompt may begin with a block of the harness; the first words count.
    texts = (block.text for block in message.blocks if isinstance(block, Text))
    words = (without_wrapper(text[:_MAX_WRAPPED_SIZE]) for text in texts)
    return excerpts.one_line_start(next(filter(None, words), ""))


def without_wrapper(text: str) -> str:
    """Return what the user typed of a prompt that a harness wrapped: without elements in front,
    facts about an untrusted sender, a channel with its date, and the id of the message."""
    text = text.strip()
    start = ""
    # Wrappers stand in one another and in a row.
    while start != text:
        start = text
        for wrapper in _WRAPPERS:
            text = wrapper.sub("", text).strip()
    if inner := _REQUEST.fullmatch(text):
        return inner[2].strip()
    # An element that is left is one of the harness, not the person's.
    return "" if text.startswith("<") else text


def project_name(cwd: str, path: Path) -> str:
    """Return the last two parts of the agent's working folder, else of the session's own folder."""
    parts = [part for part in cwd.replace("\\", "/").split("/") if part]
    if parts:
        return "/".join(parts[-2:])
    folders = [folder.name for folder in path.parents]
    if "agent-transcripts" in folders:  # of Cursor: below it is the session
        folders = folders[folders.index("agent-transcripts") + 1 :]
    return next((folder for folder in folders if folder not in _GENERIC_FOLDERS), "")


def last_message(session: SessionFile, check: Callable[[], None] = no_check) -> str:
    """Return the last words of user or model in a session on one line, "" if they cannot be read.
    Of a long file only both ends are read, so that it must have lines and a message near its end.
    ``check`` may raise Cancelled."""

    def stop() -> bool:
        check()
        return False

    try:
        return _last_words_of_file(session.path, stop)
    except Exception as error:
        item_problem(error)  # the header says it
        return ""


def _last_words_of_file(path: Path, stop: StopCheck) -> str:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_HEAD_SIZE)
        # The end of a database is not its newest row.
        if head.startswith(SQLITE_SIGNATURE):
            return _last_words(load_conversation(path, stop=stop))
        for length in _END_SIZES:
            if size <= _HEAD_SIZE + length:
                return _last_words(load_conversation(path, stop=stop))
            file.seek(-length, os.SEEK_END)
            if words := _last_words_of_end(path.name, head, file.read(), stop):
                return words
    return ""


def _last_words_of_end(name: str, head: bytes, end: bytes, stop: StopCheck) -> str:
    """Return the last words in the lines of an end. Raises InputError if the file is not JSONL."""
    # The first line of the end is cut, and so is the last one of the head.
    start, (_, _, rest) = head[: head.rfind(b"\n") + 1], end.partition(b"\n")
    file = open_text(SourceDocument(name=name, data=start + rest))
    if file.container is not DocumentContainer.LINES:
        raise InputError(f"{name} is not made of lines.")
    return _last_words(
        detect_format(file)[0].read(file, ReadRequest(stop=stop)), start.count(b"\n")
    )


def _last_words(conversation: Conversation, after_line: int = 0) -> str:
    words = (
        first_spoken_words(message)
        for message in reversed(conversation.messages)
        if message.speaker in (Speaker.HUMAN, Speaker.AI)
        and any(source.line > after_line for source in message.sources)
    )
    return next(filter(None, words), "")


_AGE = re.compile(r"(\d+)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_PART_SIZE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Empty fields choose every session.

    ``agent`` is its name, in any spelling ("claude-code", "Claude Code"); ``since`` the time of the
    last write in seconds since 1970; ``project`` a folder in which, or below which, the agent
    worked, or the project's name as it is listed; ``search`` a text of the first prompt or of the
    file, in any case.
    """

    agent: str = ""
    since: float = 0.0
    project: str = ""
    search: str = ""

    def __bool__(self) -> bool:
        return bool(self.agent or self.since or self.project or self.search)


def since_time(text: str, now: datetime) -> float:
    """Return the time that a text names, in seconds since 1970: an age ("30m", "12h", "2d", "3w")
    or a date and time as ISO 8601 has them, local where no zone is named. InputError otherwise."""
    if age := _AGE.fullmatch(text.strip().lower()):
        try:
            return (now - timedelta(**{_UNITS[age[2]]: int(age[1])})).timestamp()
        except OverflowError:
            # An age beyond the calendar means all sessions.
            return 0.0
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise InputError(
            f"{text!r} is neither an age nor a date.",
            "Write 30m, 12h, 2d, 3w or 2026-11-28.",
        ) from None


def chosen_sessions(
    sessions: Sequence[SessionFile],
    chosen: SessionFilter,
    check: Callable[[], None] = no_check,
) -> tuple[SessionFile, ...]:
    """Return the sessions that a filter chooses, in their order. InputError where its agent has
    none; ``check`` is called for each and may raise Cancelled."""
    agent = _plain(chosen.agent)
    if agent and agent not in (
        names := {_plain(name): name for name in map(_agent, sessions)}
    ):
        agents = ", ".join(sorted(filter(None, names.values())))
        if agents:
            hint = f"Agents with sessions here: {agents}."
        else:
            hint = "No sessions were found."
        raise InputError(f'There is no session of "{chosen.agent}".', hint)
    return tuple(
        session for session in sessions if _is_chosen(session, chosen, agent, check)
    )


def _is_chosen(
    session: SessionFile, chosen: SessionFilter, agent: str, check: Callable[[], None]
) -> bool:
    check()
    if session.modified_at < chosen.since or (
        agent and _plain(_agent(session)) != agent
    ):
        return False
    if not chosen.project and not chosen.search:
        return True
    header = read_session_header(session)
    if chosen.project and not _is_of_project(header, chosen.project):
        return False
    return chosen.search.casefold() in header.prompt.casefold() or _holds(
        session.path, chosen.search
    )


def _agent(session: SessionFile) -> str:
    return session.agent or read_session_header(session).agent


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name).casefold()


def _is_of_project(header: SessionHeader, project: str) -> bool:
    wanted = project.rstrip("/\\").casefold()
    listed = header.project.casefold()
    if wanted and wanted in (listed, listed.rpartition("/")[2]):
        return True
    folder = Path(project).expanduser().absolute()
    worked_in = header.cwd
    return bool(worked_in) and Path(worked_in).is_relative_to(folder.resolve())


def _holds(path: Path, text: str) -> bool:
    """Return whether a file holds a text, in any case, as it is or as JSON writes it; False for one
    that cannot be read, which the listing says. Of a database and an archive it is the first
    conversation."""
    # JSON escapes letters with accents by their case.
    cases = (text, text.lower(), text.upper())
    written = {
        json.dumps(case, ensure_ascii=ascii)[1:-1]
        for case in cases
        for ascii in (True, False)
    }
    forms = [form.casefold() for form in (text, *written)]
    try:
        return any(
            form in part
            for part in _parts(path, max(map(len, forms)))
            for form in forms
        )
    except (OSError, InputError):
        return False


def _parts(path: Path, length: int) -> Iterator[str]:
    """Yield the text of a file in parts that overlap by at least ``length`` characters."""
    with path.open("rb") as file:
        head = file.read(len(SQLITE_SIGNATURE))
        if is_zip_head(head) or head.startswith(SQLITE_SIGNATURE):
            for message in load_conversation(path).messages:
                yield from map(str.casefold, block_texts(message))
            return
        file.seek(0)
        packing = packing_of(head)
        rest = b""
        if packing:
            stream = open_unpacked(path.name, file, packing)
        else:
            stream = file
        while data := stream.read(_PART_SIZE):
            yield (rest + data).decode("utf-8", "ignore").casefold()
            # A character has four bytes at most, so that a text across two parts is whole in one.
            rest = data[-4 * length :]
