"""One pass over messages that gathers all facts; linear in their text."""

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
_FEW_WORDS = 3  # a message of no more own words is shown with what was quoted in it
_PROSE_LIMIT = 20_000  # characters of one message that are searched for names and values


@dataclass(slots=True)
class _ExtractionState:
    """What has been gathered so far; lives only inside a ``FactExtractor``."""

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
    seen: dict[tuple[FactCategory, str], Fact] = field(default_factory=dict)
    work: Fact | None = None
    marked: bool = False  # failed calls are marked as such


def extract_facts(messages: Sequence[Message], progress: Progress = no_progress) -> Facts:
    """All facts of some messages; indices in them are places in ``messages``.

    Earlier summaries among the messages are left out: they are not first-hand. Rows that a harness
    wrote and encoded data never become facts.
    """
    return FactExtractor().of(messages, progress)


class FactExtractor:
    """The facts of a history that grows: what was read stays known, as long as it stays as it was."""

    def __init__(self) -> None:
        self._walk, self._read = _ExtractionState(), list[Message]()

    def of(self, messages: Sequence[Message], progress: Progress = no_progress) -> Facts:
        """The facts of some messages, the same as ``extract_facts`` finds. Cancelled comes out of
        ``progress``."""
        walk, read = self._walk, self._read
        marked = walk.marked or _is_marked(messages[len(read) :])
        if not (len(read) <= len(messages) and all(map(is_, read, messages)) and marked == walk.marked):
            walk, read = _ExtractionState(), []
            walk.marked = _is_marked(messages)
        self._walk, self._read = _ExtractionState(), []  # an error in what follows leaves nothing half read
        for index in range(len(read), len(messages)):
            progress(index / len(messages), "Looking for facts")
            _hear(walk, messages[index], index)
            read.append(messages[index])
        self._walk, self._read = walk, read
        return ordered_facts(_gathered(walk, messages))


def _is_marked(messages: Sequence[Message]) -> bool:
    """True where failed calls are marked as such."""
    return any(
        sentences.is_marked_error(response) for message in messages for response in tool_responses(message)
    )


def _hear(walk: _ExtractionState, message: Message, index: int) -> None:
    if sentences.is_summary(message):
        return
    for call in tool_calls(message):
        walk.calls[call.id] = call
        _note(walk, FactCategory.URL, _addressed(call), index)
    for response in tool_responses(message):
        _response(walk, response, index)
    if message.speaker is Speaker.AI:
        _model_text(walk, sentences.said_text(message), index)
    elif message.speaker in (Speaker.HUMAN, Speaker.SYSTEM):
        _tool_row(walk, message, index)
        _human_text(walk, sentences.said_text(message), index, message.speaker)


def _gathered(walk: _ExtractionState, messages: Sequence[Message]) -> Iterator[Fact]:
    """All that the walk found, settled, and the todos in their last state."""
    yield from rules.settle_rules(walk.rules)
    yield from (fact for fact in walk.rules if fact.category is FactCategory.REVOCATION)
    yield from walk.users
    yield from walk.files.facts()
    yield from walk.actions.facts()
    yield from _settled_errors(walk)
    yield from _settled_commands(walk)
    yield from walk.seen.values()
    yield from _todos(messages)
    if walk.work:
        yield walk.work


def _todos(messages: Sequence[Message]) -> Iterator[Fact]:
    """The items of the last list, from where each was first written to where it got its state."""
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


def _human_text(walk: _ExtractionState, text: str, index: int, speaker: Speaker) -> None:
    if not text:
        return
    kept = without_files(text)
    own = own_words(kept)
    walk.rules += rules.rule_candidates(own, index)
    _mentions(walk, kept, own, index)
    if speaker is Speaker.HUMAN:
        shown = own if len(own.split()) > _FEW_WORDS else kept.strip() or text
        walk.users.append(Fact(FactCategory.USER_MESSAGE, f"{index}", shown, index, index))
        _note(walk, FactCategory.DECISION, prose_facts.decisions(own), index)


def _addressed(call: ToolCall) -> Iterator[str]:
    """The address that a call names as such."""
    url = call.arguments.get("url") if isinstance(call.arguments, Mapping) else None
    return prose_facts.urls(url) if isinstance(url, str) else iter(())


def _tool_row(walk: _ExtractionState, message: Message, index: int) -> None:
    """Count a file that an agent without tool messages reports in text of the person."""
    tool, argument = sentences.tool_row(message)
    verb = operation_of(tool)
    if verb:
        walk.files.add(argument, verb, index)


def _model_text(walk: _ExtractionState, text: str, index: int) -> None:
    if not text:
        return
    walk.work = Fact(FactCategory.CURRENT_WORK, "work", text, index, index)
    if walk.users:
        walk.users[-1] = replace(walk.users[-1], detail=text, last=index)
    chosen = tuple(prose_facts.decisions(text))
    _note(walk, FactCategory.DECISION, chosen, index)
    for sentence, names in prose_facts.findings(text):
        if sentence not in chosen:
            walk.seen[FactCategory.FINDING, sentence] = Fact(
                FactCategory.FINDING, sentence, sentence, index, index, names
            )
    _mentions(walk, text, prose_facts.outside_fences(text[:_PROSE_LIMIT]), index)


def _mentions(walk: _ExtractionState, text: str, own: str, index: int) -> None:
    """Addresses and names in a text, values in that part of it which is neither code nor quoted."""
    part = text[:_PROSE_LIMIT]
    _note(walk, FactCategory.URL, prose_facts.urls(part), index)
    _note(walk, FactCategory.IDENTIFIER, prose_facts.identifiers(part), index)
    for key, value in prose_facts.numbers(own[:_PROSE_LIMIT]):
        _put(walk, FactCategory.NUMBER, key.lower(), f"{key} = {value}", index)


def _note(walk: _ExtractionState, category: FactCategory, found: Iterable[str], index: int) -> None:
    for text in found:
        _put(walk, category, text, text, index)


def _put(
    walk: _ExtractionState,
    category: FactCategory,
    key: str,
    text: str,
    index: int,
    state: FactState = FactState.NONE,
) -> None:
    """Add a fact or another mention of it; the newest text wins."""
    old = walk.seen.get((category, key))
    if old is None:
        walk.seen[category, key] = Fact(category, key, text, index, index, state=state)
    else:
        walk.seen[category, key] = replace(old, text=text, last=index, count=old.count + 1)


def _response(walk: _ExtractionState, response: ToolResponse, index: int) -> None:
    call = walk.calls.get(response.call_id)
    if call is None:
        return
    text = sentences.response_text(response)
    bad = sentences.is_marked_error(response)
    if bad and tool_failures.is_declined(text):
        _human_text(walk, tool_failures.user_said(text), index, Speaker.HUMAN)
        return
    command = shell_command(call)
    if command:
        _shell(walk, parse_command_line(command), text, bad, index)
        return
    operations = tuple(file_operations(call))
    bad = bad or (bool(operations) and tool_failures.is_undone(text))
    if not operations:
        walk.actions.add(call, index, FactState.FAILED if bad else FactState.OK)
    if bad:
        _error(walk, _target(call, operations), (), text, index)
        return
    for verb, path in operations:
        walk.files.add(path, verb, index)
        walk.passed[f"{call.name} {path}"] = index
    walk.passed[call.name] = index
    if not operations:
        _answers(walk, text, index)


def _target(call: ToolCall, operations: Sequence[tuple[FileVerb, str]]) -> str:
    return f"{call.name} {operations[0][1]}" if operations else call.name


def _answers(walk: _ExtractionState, text: str, index: int) -> None:
    """What the user chose when a tool asked."""
    for question, answer in tool_failures.user_answers(text):
        words = f"{sentences.shorten(question, _ANSWER_LIMIT)} → {answer}"
        _put(walk, FactCategory.DECISION, question, words, index, FactState.ANSWERED)
        if len(answer) > _FREE_ANSWER:
            walk.rules += rules.rule_candidates(answer, index)


def _shell(walk: _ExtractionState, command: ShellCommand, text: str, bad: bool, index: int) -> None:
    if bad or tool_failures.shell_failed(text, command, walk.marked):
        if not command.quiet or tool_failures.is_worded(text):
            _error(walk, command.name, command.parts, text, index)
        if len(command.parts) == 1:
            walk.failed_runs[command.parts[0]] += 1
            _ran(walk, command.parts[0], index, FactState.FAILED)
        else:
            for part in command.parts:  # one of them failed, nobody can say which
                walk.commands.setdefault(part, Fact(FactCategory.COMMAND, part, part, index, index, 0))
        return
    for path in command.written:
        walk.files.add(path, FileVerb.WRITTEN, index)
    for path in command.deleted:
        walk.files.add(path, FileVerb.DELETED, index)
    for path in command.read:
        walk.files.add(path, FileVerb.READ, index)
    walk.passed[command.name] = index
    for part in command.parts:
        walk.passed[part] = index
        _ran(walk, part, index, FactState.OK)


def _ran(walk: _ExtractionState, part: str, index: int, state: FactState) -> None:
    old = walk.commands.get(part)
    count = (old.count if old else 0) + (state is FactState.OK)
    first = old.first if old else index
    walk.commands[part] = Fact(FactCategory.COMMAND, part, part, first, index, count, state)


def _error(walk: _ExtractionState, target: str, parts: tuple[str, ...], text: str, index: int) -> None:
    words = tool_failures.message_of(text)
    key = (target, words[:60].lower())
    old = walk.errors.get(key)
    first, count = (old.first, old.count + 1) if old else (index, 1)
    walk.errors[key] = Fact(
        FactCategory.ERROR, f"{target}: {key[1]}", words, first, index, count, FactState.OPEN, target
    )
    walk.error_parts[key] = parts or (target,)


def _settled_errors(walk: _ExtractionState) -> Iterable[Fact]:
    """Errors whose whole command, or all parts of it, later passed are resolved."""
    for key, fact in walk.errors.items():
        whole = walk.passed.get(key[0], -1) > fact.last
        pieces = all(walk.passed.get(part, -1) > fact.last for part in walk.error_parts[key])
        yield replace(fact, state=FactState.RESOLVED) if whole or pieces else fact


def _settled_commands(walk: _ExtractionState) -> Iterable[Fact]:
    failed: Mapping[str, int] = walk.failed_runs
    for part, fact in walk.commands.items():
        yield replace(fact, detail=str(failed[part])) if failed.get(part) else fact
