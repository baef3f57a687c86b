"""Extraction of all facts in one pass over the messages, linear in their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_

from core.facts import prose_facts, sentences, tool_failures
from core.facts import user_constraints as rules
from core.facts.file_calls import FileVerb, file_operations, operation_of, shell_command
from core.facts.file_mentions import FileOperationLog
from core.facts.model import Fact, FactCategory, Facts, FactState, ordered_facts
from core.facts.other_actions import CallLog
from core.facts.shell_actions import ShellCommand, parse_command_line
from core.facts.user_text import own_words, without_files
from core.transcript.model import (
    Message,
    Progress,
    Speaker,
    ToolCall,
    ToolResponse,
    no_progress,
    tool_calls,
    tool_responses,
)
from core.transcript.todos import Todo, todo_states

_ANSWER_LIMIT = 240
_FREE_ANSWER = 40  # characters; longer answers are the user's own words, not a choice
_FEW_WORDS = 3  # a message with at most this many own words is shown with its quotes
_PROSE_LIMIT = 20_000  # characters of one message that are searched for names and values


@dataclass(slots=True)
class _ExtractionState:
    calls: dict[str, ToolCall] = field(default_factory=dict)
    files: FileOperationLog = field(default_factory=FileOperationLog)
    actions: CallLog = field(default_factory=CallLog)
    rules: list[Fact] = field(default_factory=list)
    users: list[Fact] = field(default_factory=list)
    errors: dict[tuple[str, ...], Fact] = field(default_factory=dict)
    error_parts: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    commands: dict[str, Fact] = field(default_factory=dict)
    failed_runs: Counter[str] = field(default_factory=Counter)
    passed: dict[str, int] = field(default_factory=dict)
    previous: dict[tuple[FactCategory, str], Fact] = field(default_factory=dict)
    work: Fact | None = None
    marked: bool = False  # the format marks failed calls


def extract_facts(messages: Sequence[Message], progress: Progress = no_progress) -> Facts:
    """Return all facts of the messages, with indices into them.

    Earlier summaries among the messages are skipped: they are not first-hand. Messages written by a harness
    and encoded data never become facts.
    """
    return FactExtractor().extract(messages, progress)


class FactExtractor:
    """Extracts the facts of a growing history; unchanged messages are not read again."""

    def __init__(self) -> None:
        self._gathered, self._read = _ExtractionState(), list[Message]()

    def extract(self, messages: Sequence[Message], progress: Progress = no_progress) -> Facts:
        """Return the same facts as ``extract_facts``; ``progress`` may raise Cancelled."""
        gathered, read = self._gathered, self._read
        marked = gathered.marked or _is_marked(messages[len(read) :])
        if not (len(read) <= len(messages) and all(map(is_, read, messages)) and marked == gathered.marked):
            gathered, read = _ExtractionState(), []
            gathered.marked = _is_marked(messages)
        self._gathered, self._read = _ExtractionState(), []  # an error below leaves no partial state
        for index in range(len(read), len(messages)):
            progress(index / len(messages), "Looking for facts")
            _add_message(gathered, messages[index], index)
            read.append(messages[index])
        self._gathered, self._read = gathered, read
        return ordered_facts(_all_facts(gathered, messages))


def _is_marked(messages: Sequence[Message]) -> bool:
    return any(
        sentences.is_marked_error(response) for message in messages for response in tool_responses(message)
    )


def _add_message(gathered: _ExtractionState, message: Message, index: int) -> None:
    if sentences.is_summary(message):
        return
    for call in tool_calls(message):
        gathered.calls[call.id] = call
        _put_each(gathered, FactCategory.URL, _url_argument(call), index)
    for response in tool_responses(message):
        _response(gathered, response, index)
    if message.speaker is Speaker.AI:
        _model_text(gathered, sentences.said_text(message), index)
    elif message.speaker in (Speaker.HUMAN, Speaker.SYSTEM):
        _tool_row(gathered, message, index)
        _human_text(gathered, sentences.said_text(message), index, message.speaker)


def _all_facts(gathered: _ExtractionState, messages: Sequence[Message]) -> Iterator[Fact]:
    """Yield all facts in their final state, and the todos in their last one."""
    yield from rules.settle_rules(gathered.rules)
    yield from (fact for fact in gathered.rules if fact.category is FactCategory.REVOCATION)
    yield from gathered.users
    yield from gathered.files.facts()
    yield from gathered.actions.facts()
    yield from _settled_errors(gathered)
    yield from _settled_commands(gathered)
    yield from gathered.previous.values()
    yield from _todos(messages)
    if gathered.work:
        yield gathered.work


def _todos(messages: Sequence[Message]) -> Iterator[Fact]:
    """Yield the items of the last list, from their first mention to the change to their state."""
    first: dict[str, int] = {}
    settled: dict[str, tuple[int, str]] = {}
    last: Sequence[Todo] = ()
    for index, last in todo_states(messages):
        for todo in last:
            first.setdefault(todo.content, index)
            if settled.get(todo.content, (0, ""))[1] != todo.status:
                settled[todo.content] = (index, todo.status)
    for todo in last:
        place, name = settled[todo.content][0], todo.content
        yield Fact(FactCategory.TODO, name, name, first[name], place, detail=todo.status)


def _human_text(gathered: _ExtractionState, text: str, index: int, speaker: Speaker) -> None:
    if not text:
        return
    prose = without_files(text)
    own = own_words(prose)
    gathered.rules += rules.rule_candidates(own, index)
    _mentions(gathered, prose, own, index)
    if speaker is Speaker.HUMAN:
        shown = own if len(own.split()) > _FEW_WORDS else prose.strip() or text
        gathered.users.append(Fact(FactCategory.USER_MESSAGE, f"{index}", shown, index, index))
        _put_each(gathered, FactCategory.DECISION, prose_facts.decisions(own), index)


def _url_argument(call: ToolCall) -> Iterator[str]:
    url = call.arguments.get("url") if isinstance(call.arguments, Mapping) else None
    return prose_facts.urls(url) if isinstance(url, str) else iter(())


def _tool_row(gathered: _ExtractionState, message: Message, index: int) -> None:
    """Count a file that an agent without tool messages reports in user text."""
    tool, argument = sentences.tool_row(message)
    verb = operation_of(tool)
    if verb:
        gathered.files.add(argument, verb, index)


def _model_text(gathered: _ExtractionState, text: str, index: int) -> None:
    if not text:
        return
    gathered.work = Fact(FactCategory.CURRENT_WORK, "work", text, index, index)
    if gathered.users:
        gathered.users[-1] = replace(gathered.users[-1], detail=text, last=index)
    chosen = tuple(prose_facts.decisions(text))
    _put_each(gathered, FactCategory.DECISION, chosen, index)
    for sentence, names in prose_facts.findings(text):
        if sentence not in chosen:
            gathered.previous[FactCategory.FINDING, sentence] = Fact(
                FactCategory.FINDING, sentence, sentence, index, index, names
            )
    _mentions(gathered, text, prose_facts.outside_fences(text[:_PROSE_LIMIT]), index)


def _mentions(gathered: _ExtractionState, text: str, own: str, index: int) -> None:
    """Add URLs and identifiers of a text, and values of its part without code and quotes."""
    part = text[:_PROSE_LIMIT]
    _put_each(gathered, FactCategory.URL, prose_facts.urls(part), index)
    _put_each(gathered, FactCategory.IDENTIFIER, prose_facts.identifiers(part), index)
    for key, value in prose_facts.numbers(own[:_PROSE_LIMIT]):
        _put(gathered, FactCategory.NUMBER, key.lower(), f"{key} = {value}", index)


def _put_each(gathered: _ExtractionState, category: FactCategory, found: Iterable[str], index: int) -> None:
    for text in found:
        _put(gathered, category, text, text, index)


def _put(
    gathered: _ExtractionState,
    category: FactCategory,
    key: str,
    text: str,
    index: int,
    state: FactState = FactState.NONE,
) -> None:
    """Add a fact or another mention of it; the newest text wins."""
    old = gathered.previous.get((category, key))
    if old is None:
        gathered.previous[category, key] = Fact(category, key, text, index, index, state=state)
    else:
        gathered.previous[category, key] = replace(old, text=text, last=index, count=old.count + 1)


def _response(gathered: _ExtractionState, response: ToolResponse, index: int) -> None:
    call = gathered.calls.get(response.call_id)
    if call is None:
        return
    text = sentences.response_text(response)
    bad = sentences.is_marked_error(response)
    if bad and tool_failures.is_declined(text):
        _human_text(gathered, tool_failures.user_said(text), index, Speaker.HUMAN)
        return
    command = shell_command(call)
    if command:
        _shell(gathered, parse_command_line(command), text, bad, index)
        return
    operations = tuple(file_operations(call))
    bad = bad or (bool(operations) and tool_failures.is_undone(text))
    if not operations:
        gathered.actions.add(call, index, FactState.FAILED if bad else FactState.OK)
    if bad:
        _error(gathered, _target(call, operations), (), text, index)
        return
    for verb, path in operations:
        gathered.files.add(path, verb, index)
        gathered.passed[f"{call.name} {path}"] = index
    gathered.passed[call.name] = index
    if not operations:
        _answers(gathered, text, index)


def _target(call: ToolCall, operations: Sequence[tuple[FileVerb, str]]) -> str:
    return f"{call.name} {operations[0][1]}" if operations else call.name


def _answers(gathered: _ExtractionState, text: str, index: int) -> None:
    for question, answer in tool_failures.user_answers(text):
        words = f"{sentences.shorten(question, _ANSWER_LIMIT)} → {answer}"
        _put(gathered, FactCategory.DECISION, question, words, index, FactState.ANSWERED)
        if len(answer) > _FREE_ANSWER:
            gathered.rules += rules.rule_candidates(answer, index)


def _shell(gathered: _ExtractionState, command: ShellCommand, text: str, bad: bool, index: int) -> None:
    if bad or tool_failures.shell_failed(text, command, gathered.marked):
        if not command.quiet or tool_failures.is_worded(text):
            _error(gathered, command.name, command.parts, text, index)
        if len(command.parts) == 1:
            gathered.failed_runs[command.parts[0]] += 1
            _ran(gathered, command.parts[0], index, FactState.FAILED)
        else:
            for part in command.parts:  # one of them failed, it is unknown which
                gathered.commands.setdefault(part, Fact(FactCategory.COMMAND, part, part, index, index, 0))
        return
    for path in command.written:
        gathered.files.add(path, FileVerb.WRITTEN, index)
    for path in command.deleted:
        gathered.files.add(path, FileVerb.DELETED, index)
    for path in command.read:
        gathered.files.add(path, FileVerb.READ, index)
    gathered.passed[command.name] = index
    for part in command.parts:
        gathered.passed[part] = index
        _ran(gathered, part, index, FactState.OK)


def _ran(gathered: _ExtractionState, part: str, index: int, state: FactState) -> None:
    old = gathered.commands.get(part)
    count = (old.count if old else 0) + (state is FactState.OK)
    first = old.first if old else index
    gathered.commands[part] = Fact(FactCategory.COMMAND, part, part, first, index, count, state)


def _error(gathered: _ExtractionState, target: str, parts: tuple[str, ...], text: str, index: int) -> None:
    words = tool_failures.message_of(text)
    key = (target, words[:60].lower())
    old = gathered.errors.get(key)
    first, count = (old.first, old.count + 1) if old else (index, 1)
    gathered.errors[key] = Fact(
        FactCategory.ERROR, f"{target}: {key[1]}", words, first, index, count, FactState.OPEN, target
    )
    gathered.error_parts[key] = parts or (target,)


def _settled_errors(gathered: _ExtractionState) -> Iterable[Fact]:
    """Yield the errors, resolved if the whole command, or all parts of it, passed later."""
    for key, fact in gathered.errors.items():
        whole_passed = gathered.passed.get(key[0], -1) > fact.last
        parts_passed = all(gathered.passed.get(part, -1) > fact.last for part in gathered.error_parts[key])
        yield replace(fact, state=FactState.RESOLVED) if whole_passed or parts_passed else fact


def _settled_commands(gathered: _ExtractionState) -> Iterable[Fact]:
    failed: Mapping[str, int] = gathered.failed_runs
    for part, fact in gathered.commands.items():
        yield replace(fact, detail=str(failed[part])) if failed.get(part) else fact
