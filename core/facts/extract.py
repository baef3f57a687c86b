"""Extraction of all facts in one pass over the messages, linear in their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap

from core.facts import listed_facts, prose_facts, sentences, stated_facts, tool_failures, value_facts
from core.facts import user_constraints as rules
from core.facts.file_calls import (
    FileVerb,
    argument_texts,
    file_operations,
    shell_command,
    tool_verb,
    written_prose,
)
from core.facts.model import Fact, FactCategory, Facts, FactState, ordered_facts
from core.facts.names import NameLog, NameSource, is_fact
from core.facts.other_actions import REPORTED, CallLog, ErrorLog, FileOperationLog
from core.facts.sentences import authored_prose, without_files
from core.facts.shell_actions import ShellCommand, parse_command_line
from core.facts.tool_outcome import Outcome, tool_outcome
from core.transcript.model import (
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

_RESULT_TAIL = 400  # characters at the start and the end of a result in which outcomes are counted
_ANSWER_LIMIT = 240
_FREE_ANSWER = 40  # characters; longer answers are the user's own words, not a choice
_FEW_WORDS = 3  # a message with at most this many own words is shown with its quotes


@dataclass(slots=True)
class _ExtractionState:
    calls: dict[str, ToolCall] = field(default_factory=dict)
    files: FileOperationLog = field(default_factory=FileOperationLog)
    actions: CallLog = field(default_factory=CallLog)
    rules: list[Fact] = field(default_factory=list)
    user_messages: list[Fact] = field(default_factory=list)
    errors: ErrorLog = field(default_factory=ErrorLog)
    commands: dict[str, Fact] = field(default_factory=dict)
    failed_runs: Counter[str] = field(default_factory=Counter)
    mentions: dict[tuple[FactCategory, str], Fact] = field(default_factory=dict)
    names: NameLog = field(default_factory=NameLog)
    current_work: Fact | None = None
    has_marked_errors: bool = False  # the format marks failed calls


def extract_facts(messages: Sequence[Message], progress: Progress = no_progress) -> Facts:
    """Return all facts of the messages, with indices into them. Earlier summaries among the messages are
    skipped: they are not first-hand. Messages written by a harness and encoded data never become facts.
    ``progress`` may raise Cancelled."""
    return ordered_facts(_all_facts(_extraction(messages, progress), messages))


def name_candidates(messages: Sequence[Message]) -> Iterator[tuple[Fact, frozenset[str]]]:
    """Yield the names of the messages that may be facts, and their cues."""
    return _untouched_names(_extraction(messages, no_progress))


def _extraction(messages: Sequence[Message], progress: Progress) -> _ExtractionState:
    responses = (response for message in messages for response in tool_responses(message))
    extraction = _ExtractionState(has_marked_errors=any(map(sentences.is_marked_error, responses)))
    for index, message in enumerate(messages):
        progress(index / len(messages), "Looking for facts")
        _add_message(extraction, message, index)
    return extraction


def _add_message(extraction: _ExtractionState, message: Message, index: int) -> None:
    if sentences.is_summary(message):
        return
    for call in tool_calls(message):
        extraction.calls[call.id] = call
        extraction.names.add("\n".join(argument_texts(call.arguments)), NameSource.CALL, index)
        prompt = call.arguments.get("prompt") if isinstance(call.arguments, Mapping) else None
        if isinstance(prompt, str):  # what a model tells a subagent
            extraction.rules += _at(index, rules.rule_candidates(authored_prose(prompt)))
        for text in written_prose(call):
            _add_mentions(extraction, stated_facts.plan_facts(text), index)
    for response in tool_responses(message):
        _add_response(extraction, response, index)
    if message.speaker is Speaker.AI:
        _add_model_text(extraction, sentences.authored_text(message), index)
    elif message.speaker in (Speaker.HUMAN, Speaker.SYSTEM):
        tool, argument = sentences.tool_row(message)  # of an agent without tool messages
        if verb := tool_verb(tool):
            extraction.files.add(argument, verb, index)
        if tool:
            extraction.names.add(sentences.plain_text(message), NameSource.RESULT, index)
        if tool and not verb:
            _add_reported(extraction, tool_failures.answer_errors(sentences.plain_text(message)), index)
        if message.flags & MessageFlag.META:
            _add_harness_text(extraction, sentences.clean_text(sentences.plain_text(message)), index)
        _add_human_text(extraction, sentences.authored_text(message), index, message.speaker)


def _all_facts(extraction: _ExtractionState, messages: Sequence[Message]) -> Iterator[Fact]:
    """Yield all facts in their final state, and the todos in their last one."""
    yield from rules.final_rules(extraction.rules)
    yield from (fact for fact in extraction.rules if fact.category is FactCategory.REVOCATION)
    yield from extraction.user_messages
    yield from extraction.files.facts()
    yield from extraction.actions.facts()
    yield from extraction.errors.facts()
    yield from _final_commands(extraction)
    yield from extraction.mentions.values()
    for name, cues in _untouched_names(extraction):
        if (name.category, name.key) not in extraction.mentions and is_fact(cues):
            yield name
    yield from listed_facts.last_todos(messages)
    if extraction.current_work:
        yield extraction.current_work


def _untouched_names(extraction: _ExtractionState) -> Iterator[tuple[Fact, frozenset[str]]]:
    """Yield names and their cues, without paths that a tool touched."""
    touched = {f"/{path}" for path in extraction.files.paths()}
    endings = {ending for path in touched for ending in _endings(path)}
    for name, cues in extraction.names.candidates():
        if name.category is FactCategory.PATH:
            end = "/" + name.key.replace("\\", "/").lstrip("./")
            if end in endings or not touched.isdisjoint(_endings(end)):
                continue
        yield name, cues


def _endings(path: str) -> Iterator[str]:
    """Yield a path and what is left of it without its first folders."""
    return (path[place:] for place, letter in enumerate(path) if letter == "/")


def _add_harness_text(extraction: _ExtractionState, text: str, index: int) -> None:
    """Add the rules of a file that instructs, or the errors of a tool that answers as the user."""
    if sentences.is_instruction(text):
        extraction.rules += _at(index, rules.rule_candidates(authored_prose(text), instructs=True))
        return
    _add_reported(extraction, tool_failures.answer_errors(text), index)


def _add_reported(extraction: _ExtractionState, errors: Iterable[str], index: int) -> None:
    for words in errors:
        extraction.errors.add(REPORTED, (), words, index)


def _add_human_text(extraction: _ExtractionState, text: str, index: int, speaker: Speaker) -> None:
    if not text:
        return
    prose = without_files(text)
    authored = authored_prose(prose)
    instructs = speaker is Speaker.SYSTEM or sentences.is_instruction(text)
    extraction.rules += _at(index, rules.rule_candidates(authored, instructs=instructs))
    by_person = NameSource.PERSON if speaker is Speaker.HUMAN else NameSource.SYSTEM
    extraction.names.add(prose, by_person, index)
    _add_mentions(extraction, stated_facts.values(prose, authored), index)
    _add_reported(extraction, tool_failures.reported_errors(text), index)
    if speaker is Speaker.HUMAN:
        shown_text = authored if len(authored.split()) > _FEW_WORDS else prose.strip() or text
        extraction.user_messages.append(Fact(FactCategory.USER_MESSAGE, f"{index}", shown_text, index, index))
        _add_mentions(extraction, stated_facts.person_facts(authored, instructs=instructs), index)


def _add_model_text(extraction: _ExtractionState, text: str, index: int) -> None:
    if not text:
        return
    extraction.current_work = Fact(FactCategory.CURRENT_WORK, "work", text, index, index)
    if extraction.user_messages:
        extraction.user_messages[-1] = replace(extraction.user_messages[-1], detail=text, last=index)
    extraction.names.add(text, NameSource.MODEL, index)
    _add_mentions(extraction, stated_facts.model_facts(text), index)


def _at(index: int, facts: Iterable[Fact]) -> Iterator[Fact]:
    return (replace(fact, first=index, last=index) for fact in facts)


def _add_mentions(extraction: _ExtractionState, facts: Iterable[Fact], index: int) -> None:
    """Add facts or further mentions of them; the newest text wins, but a todo stays as it was."""
    for fact in _at(index, facts):
        key = fact.category, fact.key
        previous = extraction.mentions.get(key)
        if previous is None or fact.category is FactCategory.FINDING:
            extraction.mentions[key] = fact
        elif fact.category is not FactCategory.TODO:
            count = previous.count + 1
            extraction.mentions[key] = replace(previous, text=fact.text, last=index, count=count)


def _add_response(extraction: _ExtractionState, response: ToolResponse, index: int) -> None:
    text = sentences.response_text(response)
    extraction.names.add(text, NameSource.RESULT, index)
    call = extraction.calls.get(response.call_id)
    if call is None:
        return
    tail = text if len(text) <= 2 * _RESULT_TAIL else f"{text[:_RESULT_TAIL]}\n{text[-_RESULT_TAIL:]}"
    if tool_verb(call.name) is None:
        _add_outcomes(extraction, value_facts.outcomes(sentences.clean_text(tail)), index)
    has_failed = sentences.is_marked_error(response)
    if has_failed and tool_failures.is_declined(text):
        _add_human_text(extraction, tool_failures.decline_comment(text), index, Speaker.HUMAN)
        return
    command = shell_command(call)
    if command:
        is_proven = not has_failed and tool_outcome(call, response).kind is Outcome.SUCCEEDED
        line = parse_command_line(command)
        _add_shell_result(extraction, line, text, index, has_failed=has_failed, is_proven=is_proven)
        return
    operations = tuple(file_operations(call))
    has_failed = has_failed or (bool(operations) and tool_failures.reports_no_change(text))
    if not has_failed and tool_failures.answer_errors(text) and tool_verb(call.name) is None:
        has_failed = True
    if not operations:
        extraction.actions.add(call, index, FactState.FAILED if has_failed else FactState.OK)
    if has_failed:
        target = f"{call.name} {operations[0][1]}" if operations else call.name
        extraction.errors.add(target, (), text, index)
        return
    for verb, path in operations:
        extraction.files.add(path, verb, index)
        if verb is FileVerb.READ:
            extraction.rules += _at(index, rules.file_rules(path, text))
        extraction.errors.resolve(f"{call.name} {path}", index)
    extraction.errors.resolve(call.name, index)
    for question, answer in () if operations else tool_failures.user_answers(text):
        words = f"{sentences.shorten(question, _ANSWER_LIMIT)} → {answer}"
        decision = Fact(FactCategory.DECISION, question, words, 0, 0, state=FactState.ANSWERED)
        _add_mentions(extraction, (decision,), index)
        if len(answer) > _FREE_ANSWER:
            extraction.rules += _at(index, rules.rule_candidates(answer))


def _add_outcomes(extraction: _ExtractionState, outcomes: Mapping[str, str], index: int) -> None:
    """Add the counts of a run; one without failures ends those of the run before."""
    if "passed" in outcomes:
        for key in ("failed", "errors"):
            extraction.mentions.pop((FactCategory.NUMBER, key), None)
    _add_mentions(extraction, starmap(stated_facts.number_fact, outcomes.items()), index)


def _add_shell_result(
    extraction: _ExtractionState,
    command: ShellCommand,
    text: str,
    index: int,
    *,
    has_failed: bool,
    is_proven: bool,
) -> None:
    if has_failed or tool_failures.shell_failed(text, command, extraction.has_marked_errors):
        if not command.is_read_only or tool_failures.has_message(text):
            extraction.errors.add(command.name, command.parts, text, index)
        if len(command.parts) == 1:
            extraction.failed_runs[command.parts[0]] += 1
            _add_run(extraction, command.parts[0], index, FactState.FAILED)
        else:
            for part in command.parts:  # one of them failed, it is unknown which
                extraction.commands.setdefault(part, Fact(FactCategory.COMMAND, part, part, index, index, 0))
        return
    for words in tool_failures.answer_errors(text):
        extraction.errors.add(command.name, command.parts, words, index)
    touched = (
        (FileVerb.WRITTEN, command.written),
        (FileVerb.DELETED, command.deleted),
        (FileVerb.READ, command.read),
    )
    for verb, paths in touched:
        for path in paths:
            extraction.files.add(path, verb, index)
    for path in command.read:
        extraction.rules += _at(index, rules.file_rules(path, text))
    names = prose_facts.commit_names(text[:_RESULT_TAIL])
    commits = (stated_facts.stated_fact(FactCategory.IDENTIFIER, name) for name in names)
    _add_mentions(extraction, commits, index)
    extraction.errors.resolve(command.name, index)
    state = FactState.OK if is_proven and len(command.parts) == 1 and not command.piped else FactState.RAN
    for part in command.parts:
        extraction.errors.resolve(part, index)
        _add_run(extraction, part, index, state)


def _add_run(extraction: _ExtractionState, part: str, index: int, state: FactState) -> None:
    previous_run = extraction.commands.get(part)
    count = (previous_run.count if previous_run else 0) + (state is not FactState.FAILED)
    first = previous_run.first if previous_run else index
    extraction.commands[part] = Fact(FactCategory.COMMAND, part, part, first, index, count, state)


def _final_commands(extraction: _ExtractionState) -> Iterable[Fact]:
    for part, fact in extraction.commands.items():
        failed = extraction.failed_runs[part]
        yield replace(fact, detail=str(failed)) if failed else fact
