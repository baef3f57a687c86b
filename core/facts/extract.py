"""Extraction of all facts in one pass over the messages, linear in their text. None is guessed from
prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.facts import sentences
from core.facts.action_logs import FileOperationLog, RunLog
from core.facts.model import (
    EARLIER_SUMMARY,
    Fact,
    FactKind,
    Facts,
    FactState,
    ordered_facts,
)
from core.facts.name_patterns import NameKind, distinct_names, is_passing
from core.facts.sentences import (
    instruction_sentences,
    is_instructing_file,
    reminded_files,
    shorten,
)
from core.facts.shell_actions import (
    FileVerb,
    ShellCommand,
    argument_texts,
    edited_open_file,
    file_operations,
    normalised_tool_name,
    parse_command_line,
    patched_files,
    shell_command,
    tool_verb,
)
from core.facts.tool_outcome import (
    Outcome,
    decline_comment,
    first_line,
    is_declined,
    reports_change,
    reports_no_change,
    said_first,
    shell_failed,
    tool_outcome,
    user_answers,
)
from core.transcript.model import (
    Media,
    Message,
    MessageFlag,
    Progress,
    Speaker,
    ToolCall,
    ToolResponse,
    no_progress,
    tool_calls,
    tool_responses,
)
from core.transcript.todos import COMPLETED, Todo, todo_states
from core.transcript.tool_pairs import is_marked_failed

_MAX_SEARCHED = 20_000  # characters of what is said
_MAX_OUTPUT = 6_000  # characters of a result
_NEWEST_SHARE = 0.1  # of the messages
_BUILT = re.compile(
    r"(?:^|[\\/])(?:dist|build|node_modules|site-packages|__pycache__|\.venv|target|\.next|\.git|coverage)(?:[\\/]|$)|"
    r"[-.][0-9A-Za-z_]{8,}\.(?:js|css|map|woff2?|png|svg)$|"
    r"img\.shields\.io|badge|\.svg(?:\?|$)"
)
"""Build output, assets with a hash, addresses of badges."""
_LOG_LINE = re.compile(
    r"\s*\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:INFO|DEBUG|TRACE)\b)"
)
_PROGRESS_BAR = re.compile(r"[█▓░▏▎▍▌▋▊▉━╸]{3}|\[[=#>\- .]{8,}\]|\d{1,3}%\||\r.")
"""What stands in a line that a program writes over and over."""
_LINE_NUMBER = re.compile(r"^[ \t]*\d+(?=[:\-→|\t])", re.MULTILINE)
_LINE_WORDS = "lines?|line number|ln|zeilen?|lignes?|líneas?"
_NAMED_LINE = re.compile(
    rf"(?i)\b(?:{_LINE_WORDS})[ #:]*\d[\d,]*(?:\s*(?:-|–|to|and)\s*\d+)?"
)
_SEARCH_ROW = re.compile(r"^([\w./@+-]+\.[A-Za-z]\w{0,7})[-:]\d+[-:]", re.MULTILINE)
"""What grep and editors write before the text of a line: no names of the session."""
_DIFF_HEAD = re.compile(r"^diff --git a/(\S+ )b/|^(?:---|\+\+\+) [ab]/", re.MULTILINE)
"""What a diff writes before its two paths."""
_ALTERNATIVES = re.compile(r"[A-Z][\w-]*/[A-Z][\w-]*")
"""Two words with a stroke between them: "All/Active" is no path."""


@dataclass(frozen=True, slots=True)
class _Name:
    """Where a name stands; those that a text is the first to hold share one."""

    kind: str
    first: int
    last: int
    count: int
    is_said: bool  # by a person, the model or in a call
    is_of_person: bool

    def again(self, index: int, *, is_said: bool, is_of_person: bool) -> _Name:
        return _Name(
            self.kind,
            self.first,
            index,
            self.count + (index != self.last),
            self.is_said or is_said,
            self.is_of_person or is_of_person,
        )


_ONE_REPORT = 2  # messages: an output, and what the model says of it


def _is_passing(text: str, name: _Name) -> bool:
    """Return whether a name is worth nothing: an option that no person says, a figure of one output
    and its report."""
    # What the person says is never noise.
    if name.is_of_person or not is_passing(text):
        return False
    return text.startswith("--") or name.count <= _ONE_REPORT


def _is_noise(line: str) -> bool:
    return bool(_LOG_LINE.match(line) or _PROGRESS_BAR.search(line))


def _names_of(text: str, *, is_result: bool) -> tuple[tuple[str, NameKind], ...]:
    """Return the names of a text that may become facts, each once with its kind."""
    if is_result:
        # Logs and progress bars give thousands of names that nobody asks for.
        text = "\n".join(line for line in text.split("\n") if not _is_noise(line))
        # "file.go-96" of grep is the file, and 96 is no number of the session.
        text = _LINE_NUMBER.sub("", _SEARCH_ROW.sub(r"\1 ", text))
    text = _NAMED_LINE.sub(" ", _DIFF_HEAD.sub(r"\1", text))
    return tuple(
        (name, kind)
        for name, kind in distinct_names(text).items()
        if not _is_no_name(name, kind)
    )


def _is_no_name(name: str, kind: NameKind) -> bool:
    # "All/Active" are two words to choose from.
    is_choice = kind is NameKind.PATH and _ALTERNATIVES.fullmatch(name)
    return bool(is_choice or _BUILT.search(name))


def _is_worth_a_fact(text: str, name: _Name, newest: float) -> bool:
    if _is_passing(text, name):
        return False
    is_new = name.last >= newest
    return is_new or name.is_said or name.count > 1 or name.kind == NameKind.URL


# Comparisons ask for the names of the same messages again and again.
_cached_names = lru_cache(maxsize=2_000)(_names_of)
_MAX_CACHED = _MAX_OUTPUT  # characters; thousands of longer texts would fill the memory


class NameLog:
    """Names by their text; ``add`` takes the messages in their order. One that is not open takes
    none."""

    def __init__(self, *, is_open: bool = True) -> None:
        self._is_open = is_open
        self._names = dict[str, _Name]()

    def add(
        self,
        text: str,
        index: int,
        *,
        is_result: bool = False,
        is_of_person: bool = False,
    ) -> None:
        """Add the names of a text, each once for its message."""
        if not self._is_open:
            return
        searched = text[: _MAX_OUTPUT if is_result else _MAX_SEARCHED]
        find = _cached_names if len(searched) <= _MAX_CACHED else _names_of
        is_said = not is_result
        # Most names of outputs stand once: a large session has hundreds of thousands.
        first = {
            kind: _Name(kind.value, index, index, 1, is_said, is_of_person)
            for kind in NameKind
        }
        for found, kind in find(searched, is_result=is_result):
            name = self._names.get(found)
            if name is None:
                self._names[found] = first[kind]
            else:
                self._names[found] = name.again(
                    index, is_said=is_said, is_of_person=is_of_person
                )

    def facts(self, messages: int) -> Iterator[Fact]:
        """Yield the names that somebody said, that stand in several of ``messages`` or in the
        newest. The log is empty then: of a large session both take as much memory as its texts."""
        newest = messages * (1 - _NEWEST_SHARE)
        kept = [
            (text, name)
            for text, name in self._names.items()
            if _is_worth_a_fact(text, name, newest)
        ]
        self._names.clear()
        for text, name in kept:
            yield Fact(
                kind=FactKind.NAME,
                key=text,
                text=text,
                first=name.first,
                last=name.last,
                count=name.count,
                detail=name.kind,
            )


_STARTED = re.compile(
    r"(?i)\b(?:agent[ _]?id|task[ _]?id|(?:background|async)[^.\n]{0,40}\bid|with (?:session )?id)"
    r"[\"']?(?:\s*[:=]\s*|\s+)[\"']?(?P<id>[\w-]{2,64})"
)
"""How tools of agents name what they started: "agentId: a77f01", "running in background with ID:
bash_9", "Process running with session ID 4"."""
_IN_BACKGROUND = re.compile(
    r"(?i)in (?:the )?background|launched|process running with|async_launched|still running"
)
_ENDED = re.compile(
    r"(?i)\b(?:completed|failed|killed|cancell?ed|stopped|exited|finished|terminated)\b|"
    r"process exited with"
)
_STOP_TOOLS = frozenset(
    ("killshell", "killbash", "taskstop", "killprocess", "stopagent")
)
_LONGEST_NOTE = 2_000  # characters of a text in which an end is looked for
_ABOUT_KEYS = ("description", "task", "name", "prompt", "message")
_ABOUT = 100  # characters


@dataclass(frozen=True, slots=True)
class _Started:
    about: str
    index: int


class RunningLog:
    """What runs, by its id, while messages are added in their order."""

    def __init__(self) -> None:
        self._running: dict[str, _Started] = {}

    def answered(self, call: ToolCall, text: str, index: int) -> None:
        """Add the result of a call: it may start something, or tell of the end of it."""
        self.noted(text, _named_ids(call))
        # A tool that stops something names it in its arguments, not always in its answer.
        if normalised_tool_name(call.name) in _STOP_TOOLS:
            for stopped in _named_ids(call):
                self._running.pop(stopped, None)
            return
        start = text[:_LONGEST_NOTE]
        match = _STARTED.search(start)
        if (
            match is None
            or match["id"] in self._running
            or not _is_background(call, start)
        ):
            return
        self._running[match["id"]] = _Started(_about(call), index)

    def noted(self, text: str, ids: tuple[str, ...] = ()) -> None:
        """Add a text that may tell of the end of what runs; ``ids`` are those that it is about."""
        # Tools say how something ended at the beginning of an output or at its end.
        note = text[:_LONGEST_NOTE] + text[-_LONGEST_NOTE:]
        if not self._running or not _ENDED.search(note):
            return
        for running in list(self._running):
            if running in ids or re.search(
                rf"(?<![\w-]){re.escape(running)}(?![\w-])", note
            ):
                del self._running[running]

    def facts(self) -> Iterator[Fact]:
        for running, started in self._running.items():
            yield Fact(
                kind=FactKind.RUNNING,
                key=running,
                text=running,
                first=started.index,
                last=started.index,
                detail=started.about,
            )


def _is_background(call: ToolCall, text: str) -> bool:
    arguments = call.arguments
    if isinstance(arguments, Mapping) and arguments.get("run_in_background") is True:
        return True
    return _IN_BACKGROUND.search(text) is not None


def _named_ids(call: ToolCall) -> tuple[str, ...]:
    """Return the arguments of a call that may be the id of what runs."""
    if not isinstance(call.arguments, Mapping):
        return ()
    return tuple(
        str(one) for one in call.arguments.values() if isinstance(one, str | int)
    )


def _about(call: ToolCall) -> str:
    """Return what was started, in the words of the call."""
    if command := shell_command(call):
        return shorten(command, _ABOUT)
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    texts = (arguments.get(key) for key in _ABOUT_KEYS)
    return shorten(
        next((one for one in texts if isinstance(one, str) and one), call.name), _ABOUT
    )


_FEW_WORDS = 3  # a message with at most this many own words is shown with its quotes
_ACKNOWLEDGEMENT = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yep|sure|thanks?(?: you)?|go(?: on| ahead)?|continue|proceed|great|perfect|good|"
    r"nice|cool|please|looks good|lgtm|ja|danke|weiter|oui|merci|sí|gracias|好的?|繼續|继续)[\s.,!]*){1,3}",
    re.IGNORECASE,
)


_PUT_IN = re.compile(
    r"\s*(?:# (?:AGENTS|CLAUDE|GEMINI)\.md instructions|<(?:user_)?instructions>|"
    r"Base directory for this skill|Contents of \S*(?:AGENTS|CLAUDE|GEMINI)\.md)",
    re.IGNORECASE,
)
"""The start of a file of rules or a skill that an agent puts into a message of the person."""


@dataclass(slots=True, kw_only=True)
class _Extraction:
    calls: dict[str, ToolCall] = field(default_factory=dict)
    files: FileOperationLog = field(default_factory=FileOperationLog)
    runs: RunLog = field(default_factory=RunLog)
    running: RunningLog = field(default_factory=RunningLog)
    names: NameLog = field(default_factory=NameLog)
    instructions: dict[str, Fact] = field(default_factory=dict)
    messages: list[Fact] = field(default_factory=list)
    attachments: list[Fact] = field(default_factory=list)
    last_answer: str = ""
    last_answer_at: int = EARLIER_SUMMARY
    has_marked_errors: bool = False  # the format marks failed calls


def extract_facts(
    messages: Sequence[Message], progress: Progress = no_progress
) -> Facts:
    """Return all facts of the messages, with indices into them. Earlier summaries among the
    messages are skipped: they are not first-hand. Messages written by a harness and encoded data
    never become facts. ``progress`` may raise Cancelled."""
    responses = (
        response for message in messages for response in tool_responses(message)
    )
    extraction = _Extraction(
        names=NameLog(),
        has_marked_errors=any(map(is_marked_failed, responses)),
    )
    for index, message in enumerate(messages):
        progress(index / len(messages), "Looking for facts")
        if not sentences.is_summary(message):
            _add_message(extraction, message, index)
    return Facts(
        ordered_facts(_all_facts(extraction, messages)),
        extraction.last_answer,
        extraction.last_answer_at,
    )


def open_facts(
    messages: Sequence[Message], progress: Progress = no_progress
) -> tuple[Fact, ...]:
    """Return only what is open, in half the time: to-dos that are not done, errors and
    running tasks. ``progress`` may raise Cancelled."""
    responses = (
        response for message in messages for response in tool_responses(message)
    )
    extraction = _Extraction(
        names=NameLog(is_open=False),
        has_marked_errors=any(map(is_marked_failed, responses)),
    )
    for index, message in enumerate(messages):
        progress(index / len(messages), "Looking for facts")
        if not sentences.is_summary(message):
            _add_calls(extraction, message, index)
            _note_end(extraction, message)
    todos = (todo for todo in _last_todos(messages) if todo.detail != COMPLETED)
    errors = (one for one in extraction.runs.facts() if one.kind is FactKind.OPEN_ERROR)
    return ordered_facts((*extraction.running.facts(), *errors, *todos))


def _all_facts(extraction: _Extraction, messages: Sequence[Message]) -> Iterator[Fact]:
    yield from extraction.messages
    yield from extraction.attachments
    yield from extraction.instructions.values()
    yield from extraction.running.facts()
    touched = list(extraction.files.facts())
    yield from touched
    yield from extraction.runs.facts()
    yield from _last_todos(messages)
    paths = {fact.key for fact in touched}
    ends = {end for path in paths for end in _ends(path)}
    # Which the agent always names.
    tools = {call.name for call in extraction.calls.values()}
    for name in extraction.names.facts(len(messages)):
        if name.text in tools:
            continue
        if name.detail != "path" or name.key.replace("\\", "/").strip("./") not in ends:
            yield name


def _ends(path: str) -> Iterator[str]:
    """Yield a path without its first stroke, and what is left of it without its first folders."""
    parts = path.strip("./").split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _last_todos(messages: Sequence[Message]) -> Iterator[Fact]:
    """Yield the items of the last list, from their first mention to the change to their state."""
    first_index: dict[str, int] = {}
    last_change: dict[str, tuple[int, str]] = {}
    last: Sequence[Todo] = ()
    for index, last in todo_states(messages):
        for todo in last:
            first_index.setdefault(todo.content, index)
            # A list is written again whole at each change; only a new status is news.
            if last_change.get(todo.content, (0, ""))[1] != todo.status:
                last_change[todo.content] = (index, todo.status)
    for todo in last:
        name = todo.content
        yield Fact(
            kind=FactKind.TODO,
            key=name,
            text=name,
            first=first_index[name],
            last=last_change[name][0],
            detail=todo.status,
        )


def _add_calls(extraction: _Extraction, message: Message, index: int) -> None:
    for call in tool_calls(message):
        extraction.calls[call.id] = call
        extraction.names.add("\n".join(argument_texts(call.arguments)), index)
    for response in tool_responses(message):
        _add_response(extraction, response, index)


def _note_end(extraction: _Extraction, message: Message) -> None:
    """Note what a harness says of running tasks."""
    if message.flags & MessageFlag.META or message.speaker is Speaker.SYSTEM:
        extraction.running.noted(sentences.plain_text(message))


def _add_message(extraction: _Extraction, message: Message, index: int) -> None:
    _add_calls(extraction, message, index)
    _note_end(extraction, message)
    if message.speaker is Speaker.AI:
        if text := sentences.authored_text(message):
            extraction.last_answer, extraction.last_answer_at = text, index
            extraction.names.add(text, index)
    elif message.speaker in (Speaker.HUMAN, Speaker.SYSTEM):
        # Of an agent without tool messages.
        tool, argument = sentences.tool_row(message)
        if verb := tool_verb(tool):
            _add_row(extraction, verb, argument, sentences.plain_text(message), index)
        if tool:
            extraction.names.add(sentences.plain_text(message), index, is_result=True)
        if message.flags & MessageFlag.META or message.speaker is Speaker.SYSTEM:
            _add_instructions(
                extraction, sentences.clean_text(sentences.plain_text(message)), index
            )
        else:
            for content in reminded_files(sentences.plain_text(message)):
                _instruct(extraction, instruction_sentences(content), "", index)
            _add_words(extraction, sentences.authored_text(message), index)
            _add_attachments(extraction, message, index)


def _add_attachments(extraction: _Extraction, message: Message, index: int) -> None:
    """Add the images and files that the person sent, each by its name or its type."""
    for block in message.blocks:
        if isinstance(block, Media):
            extraction.attachments.append(
                Fact(
                    kind=FactKind.ATTACHMENT,
                    key=f"{index}.{len(extraction.attachments)}",
                    text=block.caption or block.mime or "a file",
                    first=index,
                    last=index,
                    detail=block.mime,
                )
            )


def _add_row(
    extraction: _Extraction, verb: FileVerb, path: str, text: str, index: int
) -> None:
    """Add a file of a result that an agent sent as user text: the answer is behind its first
    line."""
    answer = text.partition("\n")[2]
    if verb is FileVerb.READ or reports_change(answer):
        extraction.files.add(path, verb, index)
    elif not reports_no_change(answer):
        said = sentences.shorten(first_line(answer), 100)
        extraction.files.add(path, FileVerb.ASKED, index, said)


def _add_instructions(extraction: _Extraction, text: str, index: int) -> None:
    """Add the sentences of a file of rules or a skill that an agent put into the conversation."""
    if sentences.is_instruction(text):
        _instruct(extraction, instruction_sentences(text), "", index)


def _instruct(
    extraction: _Extraction, found: Iterable[str], path: str, index: int
) -> None:
    for sentence in found:
        known = extraction.instructions.get(sentence)
        first, count = (known.first, known.count + 1) if known else (index, 1)
        extraction.instructions[sentence] = Fact(
            kind=FactKind.INSTRUCTION,
            key=sentence,
            text=sentence,
            first=first,
            last=index,
            count=count,
            detail=path,
        )


def _add_words(extraction: _Extraction, text: str, index: int) -> None:
    """Add what a person said; a pasted file of rules is an instruction."""
    if not text or _ACKNOWLEDGEMENT.fullmatch(text.strip()):
        return
    if _PUT_IN.match(text):
        _instruct(extraction, instruction_sentences(text), "", index)
        return
    prose = sentences.without_files(text)
    authored = sentences.authored_prose(prose)
    if len(authored.split()) > _FEW_WORDS:
        shown = authored
    else:
        shown = prose.strip() or text
    key = f"{index}.{len(extraction.messages)}"
    extraction.messages.append(
        Fact(kind=FactKind.YOUR_MESSAGE, key=key, text=shown, first=index, last=index)
    )
    extraction.names.add(prose, index, is_of_person=True)


def _add_response(extraction: _Extraction, response: ToolResponse, index: int) -> None:
    text = sentences.response_text(response)
    extraction.names.add(text, index, is_result=True)
    call = extraction.calls.get(response.call_id)
    if call is None:
        return
    has_failed = is_marked_failed(response)
    if is_declined(text, is_marked=has_failed):
        _add_words(extraction, decline_comment(text), index)
        return
    extraction.running.answered(call, text, index)
    if command := shell_command(call):
        result = _ShellResult(call, response, text, index, has_failed)
        _add_shell_result(extraction, parse_command_line(command), result)
        return
    operations = tuple(file_operations(call))
    if not operations and (path := edited_open_file(call, text)):
        extraction.files.add(path, FileVerb.EDITED, index)
    elif operations:
        if not has_failed and not reports_no_change(text):
            for verb, path in operations:
                _add_file(extraction, verb, path, call, response, index)
    elif has_failed:
        extraction.runs.failed(call.name, (), text, index, is_listed=False)
    else:
        extraction.runs.passed(call.name, index, FactState.RAN, is_listed=False)
        for answer in user_answers(text):
            _add_words(extraction, answer, index)


@dataclass(frozen=True, slots=True)
class _ShellResult:
    """The result of a shell command; ``has_failed`` is what the format marks."""

    call: ToolCall
    response: ToolResponse
    text: str
    index: int
    has_failed: bool


def _add_file(
    extraction: _Extraction,
    verb: FileVerb,
    path: str,
    call: ToolCall,
    response: ToolResponse,
    index: int,
) -> None:
    """Add what a call did to a file; a change that nothing proves is one that was asked for."""
    if verb is FileVerb.READ:
        extraction.files.add(path, verb, index)
        if is_instructing_file(path):
            found = instruction_sentences(sentences.response_text(response))
            _instruct(extraction, found, path, index)
    elif tool_outcome(call, response).kind is Outcome.SUCCEEDED:
        extraction.files.add(path, verb, index)
    else:
        extraction.files.add(path, FileVerb.ASKED, index, said_first(response))


def _add_shell_result(
    extraction: _Extraction, command: ShellCommand, result: _ShellResult
) -> None:
    runs, text, index = extraction.runs, result.text, result.index
    if result.has_failed or shell_failed(text, command, extraction.has_marked_errors):
        if command.parts:
            if len(command.parts) == 1:
                whole = command.parts[0]
            else:
                whole = command.name
            runs.failed(whole, command.parts, text, index)
        return
    for path in patched_files(command, text):  # as the program says of each file
        extraction.files.add(path, FileVerb.WRITTEN, index)
    for verb, paths in (
        (FileVerb.WRITTEN, command.written),
        (FileVerb.DELETED, command.deleted),
        (FileVerb.READ, command.read),
    ):
        for path in paths:
            _add_file(extraction, verb, path, result.call, result.response, index)
    is_proven = tool_outcome(result.call, result.response).kind is Outcome.SUCCEEDED
    is_ok = is_proven and len(command.parts) == 1 and not command.piped
    state = FactState.OK if is_ok else FactState.RAN
    if is_proven:
        output = ""
    else:
        output = said_first(result.response)
    for part in command.parts:
        runs.passed(part, index, state, output=output)
    if len(command.parts) > 1:
        runs.passed(command.name, index, FactState.RAN, is_listed=False)
