"""What a tool result proves about its call: that it succeeded, that it failed, or neither. Success
needs an exit code of 0, a status field that says so, of a change of files a diff or a line by which
the tool is known to say so; failure is a status, an exit code or a line that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import orjson

from core.common.json_value import Json
from core.facts.sentences import CACHED_TEXTS, clean_text, response_text, shorten
from core.facts.shell_actions import (
    FileVerb,
    ShellCommand,
    file_operations,
    parse_command_line,
    shell_command,
    tool_verb,
)
from core.transcript.model import ToolCall, ToolResponse
from core.transcript.tool_pairs import (
    is_failed_result,
    json_text,
    response_content,
    result_text,
)

# An error stands at the beginning of an output or at its end.
_HEAD, _TAIL = 4000, 1500
_EXIT = re.compile(
    r"""(?:exit(?:ed with)? (?:code|status)|"?exit_code"?|returncode)["']?\s*[:=]?\s*(\d+)""",
    re.IGNORECASE,
)
_FAILURE_LINE = re.compile(
    r"^(?:Traceback \(most recent|fatal: |panic: |npm ERR!|[Ee]rror(?:\[\w+\])?: (?!\(none\))|ERROR[: ]|"
    r"FAILED\b|FAIL[:\s]|[\w.]+(?:Error|Exception): |curl: \(\d+\) |Failures:$|=+ .*\b[1-9]\d* error|"
    r".*\b[1-9]\d* (?:failed|failures?)\b|.*\berror TS\d{4}|"
    r".*: (?:command not found|No such file or directory|Permission denied|Connection refused)$|"
    r"BUILD FAIL|Hunk #\d+ FAILED|\S*make(?:\[\d+\])?: \*\*\* |.*\(core dumped\)|Segmentation fault|"
    r"Bus error|HTTP/[\d.]+ [45]\d\d\b)",
    re.MULTILINE,
)
_ERROR_START = re.compile(
    r"^(?:error\b|fatal|panic|-* ?FAIL|\(fail\)|E  |npm ERR|[×✗✖]|HTTP/|Hunk #|BUILD FAIL)|"
    r"^\S*make(?:\[\d+\])?: \*|"
    r"\w+(?:Error|Exception)\b|error TS\d|^TS\d{4}\b|error\[",
    re.IGNORECASE,
)
_FILE_POSITION = re.compile(r"^[\w./@+-]+\.\w+:\d+(?::\d+)?:? \S")
_SUMMARY_LINE = re.compile(
    r"^(?:FAIL(?:ED)?|Found \d+ errors?\W?.*|make: \*\*\*.*|Failures:|.*\b\d+ failures?)$"
)
_ERROR_WORD = re.compile(
    r"error|exception|fail|fatal|panic|not found|cannot|can't|denied|unable|unexpected|undefined|invalid|"
    r"missing|does not|no such|would have|npm ERR!|core dumped|exceeded|^HTTP/[\d.]+ [45]\d\d\b",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bwarn", re.IGNORECASE)
_EMPTY_LINE = re.compile(
    r"^(?:exit code \d+|\$ .*|[\W_]*|\d+ ?[|│].*|at .*|string: .*|usage:.*|\"\w+\": [{\[\d].*|"
    r"(?:error: )?found \d+ errors?|traceback \(most.*|"
    r"\[\d+.*|file \".*|"
    r"chunk id: .*|wall time: .*|original token count: .*|process exited with .*|"
    r"command exited with code \d+|output:|[\w ]+: \((?:none|empty)\))$",
    re.IGNORECASE,
)
_RAISED = re.compile(r"raise \w+|throw new \w+")
"""A line of a source file that a trace quotes."""
_EXCEPTION = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)(?::|$)")
_TRACED = re.compile(r"Traceback \(most|^\s*File \"[^\"\n]+\", line \d+", re.MULTILINE)
"""A trace of Python ends with the exception."""
_WRAPPED = re.compile(r"</?(?:tool_use_error|error|stderr|output)>")
_DECLINED = re.compile(
    r"doesn't want to proceed with this tool use|tool use was rejected|user (?:rejected|declined)"
)
_ANSWERED = ("User has answered", "Your questions have been answered")
_ANSWER = re.compile(r'"([^"]+)"="([^"]*)"')
_STEERING = re.compile(
    r"(?:any )?more questions|ready to|shall (?:we|i) continue", re.IGNORECASE
)
_USER_SAID = re.compile(r"the user said:\s*\n?(.+)", re.DOTALL)


def shell_failed(text: str, command: ShellCommand, marks_errors: bool) -> bool:
    """Return True if the output of a shell command indicates failure though its response is no
    error. ``marks_errors``: the format marks failed calls, so that output counts only if a pipe hid
    the exit code."""
    # Tools put the exit code in front or behind; in between it would be the words of a program.
    exit_code = _EXIT.search(text[:300]) or _EXIT.search(text[-200:])
    if exit_code:
        # grep and test end with 1 where they find nothing.
        return exit_code[1] != "0" and not command.is_read_only
    # A format that marks failures has said already that this is none, unless a pipe hid it.
    if marks_errors and not command.piped:
        return False
    # A test's output may hold names such as test_error.
    if command.is_read_only or _ALL_PASSED.search(text[-_TAIL:]):
        return False
    return bool(_FAILURE_LINE.search(_head_and_tail(text)))


_ALL_PASSED = re.compile(
    r"^\W*0 fail(?:ed|ures?)?\b|^=* ?\d+ passed(?!.*[1-9]\d* (?:failed|error))",
    re.MULTILINE,
)
_FAILED_ANSWER = re.compile(
    r"^\W*(?:error\b(?! ?(?:handling|message|code))|fatal\b|failed\b|exception\b|(?:patch|edit|"
    r"change)s? rejected|"
    r"(?:could|can) ?not\b|cannot\b|no such\b|not logged in|unauthori[sz]ed|access denied|permission denied|"
    r"invalid \w+|unknown \w+|traceback \(most|your proposed edit has introduced|tool \S+ is not allowed|"
    r"(?:the )?tool execution failed)|: (?:command not found|no such file or directory|permission denied|"
    r"connection refused)$|\bno matches found: |\berror opening\b|\b(?:syntax|indentation|type|value|"
    r"key)error: "
)
"""Of a line in lower case."""
_SHORT_ANSWER = 1200  # characters; longer answers are contents
_QUOTED_LINES = re.compile(r"\d+[:|→\t]|[+-]|\w+:\s*\d+:|\S+:\d+:")


def answer_errors(text: str) -> tuple[str, ...]:
    """Return the lines of a short answer that say it failed, though nothing marks it so, at most
    two."""
    return _failed_lines(
        text if len(text) <= _SHORT_ANSWER else text[: _SHORT_ANSWER // 2]
    )


@lru_cache(maxsize=CACHED_TEXTS)
def _failed_lines(text: str) -> tuple[str, ...]:
    shown = _WRAPPED.sub("", clean_text(text)).splitlines()
    # Lines with a number or a sign quote a file.
    lines = [" ".join(line.split()) for line in shown if not _QUOTED_LINES.match(line)]
    found = [line for line in lines if _FAILED_ANSWER.search(line.lower())]
    return tuple(
        dict.fromkeys(
            shorten(line, 200) for line in found if not _EMPTY_LINE.match(line)
        )
    )[:2]


def has_message(text: str) -> bool:
    """Return True if a failure has more text than its exit code."""
    return any(
        not _EMPTY_LINE.match(line.strip())
        for line in text[:_HEAD].splitlines()
        if line.strip()
    )


def is_declined(text: str, *, is_marked: bool) -> bool:
    """Return True if the user declined the call, which is not an error of the tool. Where the
    result is not marked as failed, its first words have to say so."""
    if is_marked:
        start = text[:400]
    else:
        # In a result that is not marked the words may be quoted further down.
        start = text.lstrip()[:80].partition("\n")[0]
    return bool(_DECLINED.search(start))


def decline_comment(text: str) -> str:
    """Return what the user wrote when declining a call, or ""."""
    match = _USER_SAID.search(text)
    if match:
        words = match[1].strip()
    else:
        words = ""
    # The comment is the harness's where the person only wants to talk.
    if words.startswith("The user wants to clarify"):
        return ""
    return clean_text(words)


def error_message(text: str) -> str:
    """Return the one or two most informative lines of an error as one of at most 200 characters."""
    return shorten(" · ".join(error_lines(text, 2)), 200)


def error_lines(text: str, limit: int) -> list[str]:
    """Return the most informative lines of an error, at most ``limit``; at least one."""
    excerpt = _WRAPPED.sub("", _head_and_tail(clean_text(_head_and_tail(text))))
    lines = [" ".join(line.split()) for line in excerpt.splitlines()]
    informative = list(filter(_is_informative, lines))

    # A traceback ends with what was raised; the lines above it only say where.
    raised = [line for line in informative if _EXCEPTION.match(line)]
    if raised and _TRACED.search(excerpt):
        return [raised[-1]]

    chosen = list(dict.fromkeys(_best_lines(informative)))[:limit]
    return chosen or [next(filter(None, lines), "no message")]


def _is_informative(line: str) -> bool:
    if not line or _EMPTY_LINE.match(line):
        return False
    return not _RAISED.match(line)


def _best_lines(informative: list[str]) -> list[str]:
    """Return the lines that pytest marks, else clear errors, else any with such a word, else
    all."""
    pytest_lines = [
        line.removeprefix("E ") for line in informative if line.startswith("E ")
    ]
    if pytest_lines:
        return pytest_lines
    # A warning beside an error is not the reason.
    faults = [line for line in informative if not _WARNING.search(line)]
    clear_errors = list(filter(_is_clear_error, faults))
    if clear_errors:
        # "3 errors found" says less than each of them, so it comes last.
        return sorted(
            clear_errors, key=lambda line: _SUMMARY_LINE.match(line) is not None
        )
    error_lines = [line for line in faults if _ERROR_WORD.search(line)]
    return error_lines or informative


def _is_clear_error(line: str) -> bool:
    if _FILE_POSITION.match(line):
        return True
    return bool(_ERROR_WORD.search(line) and _ERROR_START.search(line))


def _head_and_tail(text: str) -> str:
    if len(text) <= _HEAD + _TAIL:
        return text
    return f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def user_answers(text: str) -> list[str]:
    """Return the answers in the result of a tool that asked the user."""
    # A question that only asks to go on has no answer worth keeping.
    found = _ANSWER.findall(text) if text.startswith(_ANSWERED) else ()
    return [answer for question, answer in found if not _STEERING.match(question)]


_DONE = {
    "Claude Code": (
        r"the file .+ has been (?:updated|created|overwritten)\b",
        r"file (?:created|updated) successfully at: ",
        r"applied \d+ edits? to ",
        r"(?:updated|inserted|deleted) cell\b",
    ),
    "Codex": (r"success\. updated the following files:", r"done!$"),
    "Gemini CLI, Qwen Code, llxprt": (
        r"successfully (?:modified|overwrote|edited) file: ",
        r"successfully created and wrote to new file: ",
        r"created new file: .+ with provided content",
    ),
    "opencode": (r"edit applied successfully\.", r"wrote file successfully\."),
    "pi": (
        r"successfully (?:replaced (?:text|\d+ block\(s\))|wrote \d+ bytes) (?:in|to) ",
    ),
    "str_replace_editor (SWE-agent, OpenHands)": (
        r"the file .+ has been edited\b",
        r"last edit to .+ undone successfully",
        r"(?:text replaced|file updated)\. please review the changes",
        r"\[file written successfully|i wrote to the file ",
    ),
    "Cline, Roo Code": (
        r"the content was successfully saved to ",
        r"changes successfully applied to ",
        r"<file_write_result>",
        r"the (?:updated content|user made the following updates to your content)\b",
    ),
    "Copilot": (
        r"file .+ updated with changes",
        r"created file .+ with \d+ characters",
        r"the following files were successfully edited:",
    ),
    "Cursor": (
        r"the following diff was applied to the file",
        r"(?:wrote contents to|file successfully deleted: ) ?",
        r"the apply model made the following changes to the file",
    ),
    "Goose": (r"successfully (?:wrote to|replaced text|inserted text)\b",),
    "Kimi": (r"file successfully (?:edited|overwritten|appended to|written)",),
    "Crush": (
        r"(?:<result>)?(?:file successfully written: |content replaced in file: )",
    ),
    "Pencil": (r"#* ?successfully executed all operations",),
    "Aider": (r"applied edit to ",),
    "tools that answer in a word": (
        r"(?:wrote|updated|edited|created|deleted|saved|modified) \S*[./]\w\S*$",
        r"(?:ok|okay|done|success|successful|true|updated|saved|written|edited|created|deleted|"
        r"(?:the )?file (?:updated|saved|written|edited|created|deleted))(?: successfully)?[.!]?$",
    ),
}
"""Of the first line of an answer, in lower case; the agent or tool is the key."""
_NOT_DONE = {
    "Claude Code": (
        r"<tool_use_error>",
        r"the user doesn't want to (?:proceed|take this action)",
        r"(?:the )?tool use was rejected",
        r"file has (?:not been read yet|been (?:unexpectedly )?modified)",
        r"(?:pretooluse|posttooluse)(?::\S+)? (?:hook|\[).*",
        r"claude requested permissions to ",
    ),
    "Codex": (
        r"(?:patch|exec) (?:was )?rejected",
        r"rejected by user",
        r"apply_patch verification failed",
        r"failed to (?:find expected lines|apply patch)",
    ),
    "Gemini CLI, Qwen Code, llxprt": (
        r"failed to edit",
        r"\[operation cancelled\]",
        r"tool \S+ not found",
    ),
    "str_replace_editor (SWE-agent, OpenHands)": (
        r"no replacement was performed",
        r"your proposed edit has introduced",
        r"invalid `\w+` parameter",
    ),
    "Cline, Roo Code": (
        r"the user denied this operation",
        r"the tool execution failed",
        r"user rejected the changes",
    ),
    "Cursor": (r"the user rejected (?:this|the) (?:edit|change)", r"edit rejected"),
    "any": (
        r"error\b[^\n]{0,20}:",
        r"failed to (?:edit|write|apply|replace|create|delete|save)",
        r"(?:file|path) (?:not found|does not exist)",
        r"(?:old_string|old_str|string to replace)\b.{0,80}\bnot found",
        r"could not find\b",
        r"no changes (?:were )?made",
        r"permission denied",
        r"access (?:is )?denied",
        r"operation (?:was )?(?:cancelled|canceled|aborted|not permitted)",
        r"(?:user|permission|request) (?:rejected|declined|denied|cancelled)",
        r"\[?dry[- ]run\b",
        r"read-only file system",
        r"no space left on device",
    ),
}
_DIFF = re.compile(
    r"(?:```diff\n)?(?:diff --git |Index: \S+\n|--- \S[^\n]*\n\+\+\+ \S|@@ -\d)"
)
_LABELS = ("OBSERVATION:",)
"""Lines that agents put before each answer."""
_READ = 4_000  # characters of an answer that are looked at


def _one_of(table: dict[str, tuple[str, ...]]) -> re.Pattern[str]:
    return re.compile("|".join(line for lines in table.values() for line in lines))


_DONE_LINE = _one_of(_DONE)
_NOT_DONE_LINE = _one_of(_NOT_DONE)


def reports_change(text: str) -> bool:
    """Return whether an answer begins with a line by which a tool says that it changed a file, or
    with a diff."""
    answer = clean_text(text[:_READ])
    # Probably versions of an agent differ in capitals.
    return _DONE_LINE.match(first_line(answer).lower()) is not None or bool(
        _DIFF.match(answer)
    )


def reports_no_change(text: str) -> bool:
    """Return whether a tool that changes files says that it did not."""
    return _NOT_DONE_LINE.match(first_line(text[:_READ]).lower()) is not None


def first_line(text: str) -> str:
    """Return the first line of an answer that says something, white space folded and without the
    rule of "=" that test runners draw around a title. A label of the agent is passed over."""
    lines = (" ".join(line.split()).strip("= ") for line in text[:_READ].splitlines())
    told = (line for line in lines if line and line not in _LABELS)
    return next(told, "")


_MAX_JSON_CHARACTERS = 2_000_000
_FRAME_LENGTH = (
    400  # most characters of the header that some tools put before their output
)
_SEARCHED_CHARACTERS = 20_000
_ERROR_WIDTH = 160
_FIRST_LINE = 100  # characters
_CODE_NAMES = ("exit_code", "exitCode", "exit", "returncode", "returnCode")
_FAILED_STATUS = frozenset({"error", "failed", "failure"})
# Not "completed": that says only that it ended.
_DONE_STATUS = frozenset({"success", "succeeded", "ok"})
_ERROR_KEYS = ("error_message", "error", "message", "stderr", "output")
TAG = re.compile(r"</?[\w:-]+>")
_TAGGED = re.compile(
    r"\s*<returncode>-?\d+</returncode>\s*<output>\n?(.*?)\n?</output>\s*\Z", re.DOTALL
)
_EXIT_ZERO = re.compile(
    r"^\W*(?:process |command )?exit(?:ed with)?[ _]?(?:code|status)\W{0,4}0\b|^\s*<returncode>0</"
    r"|^\{.*\"exit_code\"\s*:\s*0\b",
    re.IGNORECASE | re.MULTILINE,
)
_NO_INFORMATION = re.compile(
    r"exit code:? \d+|chunk id:.*|wall time:.*|traceback \(most recent call last\):|[\W_]*",
    re.IGNORECASE,
)


class Outcome(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """``error`` is the line of the output that names an error, "" without one; with an unknown
    outcome it is what the output reports, which proves no failure of the call."""

    kind: Outcome
    error: str = ""

    @property
    def has_error(self) -> bool:
        return self.kind is Outcome.FAILED or bool(self.error)


def tool_outcome(call: ToolCall | None, response: ToolResponse) -> ToolOutcome:
    """Return what a result proves about its call; ``call`` None where it is unknown."""
    line = ""
    operations: Sequence[tuple[FileVerb, str]] = ()
    if call is not None:
        line = shell_command(call)
        # A shell command names files that it may not have touched.
        operations = () if line else tuple(file_operations(call))
    shows_file = any(verb is FileVerb.READ for verb, _ in operations)
    status = _status(response, is_shell=bool(line), shows_file=shows_file)
    if status is Outcome.FAILED or is_failed_result(response):
        return ToolOutcome(Outcome.FAILED, error_line(response))

    text = response_text(response) or result_text(response_content(response))
    if line:
        return _shell_outcome(parse_command_line(line), response, text, status)
    if operations:
        return _file_outcome(response, text, status, shows_file=shows_file)

    name = call.name if call is not None else response.name
    # A tool of files has words of its own, which the tables know.
    errors = () if tool_verb(name) is not None else answer_errors(text)
    if errors:
        return ToolOutcome(Outcome.FAILED, shorten(errors[0], _ERROR_WIDTH))
    return ToolOutcome(status)


def _file_outcome(
    response: ToolResponse, text: str, status: Outcome, *, shows_file: bool
) -> ToolOutcome:
    if reports_no_change(text):
        return ToolOutcome(Outcome.FAILED, error_line(response))
    # Where a file is shown, such words may be those of the file.
    if not shows_file and (reports_change(text) or _exited_well(text)):
        return ToolOutcome(Outcome.SUCCEEDED)
    return ToolOutcome(status)


def _shell_outcome(
    command: ShellCommand, response: ToolResponse, text: str, status: Outcome
) -> ToolOutcome:
    if shell_failed(text, command, status is Outcome.SUCCEEDED):
        return ToolOutcome(Outcome.FAILED, error_line(response))
    # What a command prints may hold the words of an error and still be what was asked for.
    if errors := answer_errors(text):
        return ToolOutcome(Outcome.UNKNOWN, shorten(errors[0], _ERROR_WIDTH))
    whole = result_text(response_content(response)) or text
    return ToolOutcome(Outcome.SUCCEEDED if _exited_well(whole) else status)


def _exited_well(text: str) -> bool:
    if len(text) <= 500:
        ends = text
    else:
        ends = f"{text[:300]}\n{text[-200:]}"
    return _EXIT_ZERO.search(ends) is not None


def said_first(response: ToolResponse) -> str:
    """Return the first line of a result, which is told where its outcome is not recorded."""
    text = response_text(response) or result_text(response_content(response))
    return shorten(first_line(strip_output_frame(text)), _FIRST_LINE)


def not_recorded(response: ToolResponse) -> str:
    """Return what a line may say of a result that proves neither success nor failure."""
    said = said_first(response)
    return f"its outcome is not recorded{f': «{said}»' if said else ', its result is empty'}"


def left_out(response: ToolResponse) -> str:
    """Return what stands for an output of which nothing is said: "output left out, 12 lines"."""
    content = response_content(response)
    lines = len((result_text(content) or json_text(content)).splitlines())
    if not lines:
        return "no output"
    plural = "" if lines == 1 else "s"
    return f"output left out, {lines:,} line{plural}"


def outcome_text(outcome: ToolOutcome, response: ToolResponse) -> str:
    """Return what a line that stands for a result may say of it without claiming more than it
    proves."""
    if outcome.kind is Outcome.FAILED:
        is_named = outcome.error.lower().startswith("error")
        if is_named:
            return outcome.error
        return f"error: {outcome.error}".removesuffix(": ")
    if outcome.error:
        return f"reported: {outcome.error}"
    if outcome.kind is Outcome.SUCCEEDED:
        return "success"
    return left_out(response)


def _status(response: ToolResponse, *, is_shell: bool, shows_file: bool) -> Outcome:
    """Return what the fields of a response say, and those of the object in its text. A success in
    what a file holds is none of the call; what a shell prints is one only where it is an exit
    code."""
    fields = result_object(response_content(response))
    by_agent, by_output = [*_stated(response.extra)], [*_stated(fields)]
    # One failure outweighs every sign of success.
    if Outcome.FAILED in by_agent or Outcome.FAILED in by_output:
        return Outcome.FAILED
    # A shell prints what a program prints, which may be any JSON; an exit code is the tool's own.
    is_own = not is_shell or any(True for _ in _codes(fields))
    is_proof = is_own and not shows_file
    said = by_agent or (is_proof and by_output)
    return Outcome.SUCCEEDED if said or response.error is False else Outcome.UNKNOWN


def _codes(fields: Mapping[str, Json]) -> Iterator[int]:
    inner = fields.get("metadata")
    for place in (fields, inner if isinstance(inner, dict) else {}):
        yield from (
            # A bool is an int in Python, but no exit code.
            code
            for name in _CODE_NAMES
            if type(code := place.get(name)) is int
        )


_STATED = (("success", True), ("ok", True), ("is_error", False), ("isError", False))
"""Fields that state an outcome, and which of their values says that all went well."""


def _stated(fields: Mapping[str, Json]) -> Iterator[Outcome]:
    if not fields:
        return
    for code in _codes(fields):
        yield Outcome.FAILED if code else Outcome.SUCCEEDED
    for name, says_good in _STATED:
        value = fields.get(name)
        if isinstance(value, bool):  # anything else is no statement: null, "unknown"
            yield Outcome.SUCCEEDED if value is says_good else Outcome.FAILED
    status = fields.get("status")
    if isinstance(status, str):
        word = status.lower()
    else:
        word = ""
    if word in _FAILED_STATUS:
        yield Outcome.FAILED
    elif word in _DONE_STATUS:
        yield Outcome.SUCCEEDED


def result_object(value: Json) -> Mapping[str, Json]:
    """Return the fields of a result that is a JSON object or its text; empty for any other."""
    if isinstance(value, list):
        value = result_text(value)
    if (
        # Longer outputs are data; parsing them takes too long for a field.
        isinstance(value, str)
        and value.lstrip()[:1] == "{"
        and len(value) <= _MAX_JSON_CHARACTERS
    ):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return value if isinstance(value, dict) else {}


def strip_output_frame(text: str) -> str:
    """Return the output without the exit code, time and size that some tools put around it."""
    match = _TAGGED.match(text)
    if match:
        return match[1]
    header, separator, output = text.partition("\nOutput:\n")
    # Codex puts a header with time and size in front.
    return output if separator and len(header) < _FRAME_LENGTH else text


def error_line(response: ToolResponse) -> str:
    """Return the most informative line of an error, without tags; else its first line."""
    excerpt = _searched_part(response)
    if has_message(excerpt):
        message = error_message(excerpt)
    else:
        message = ""
    return shorten(message or _first_telling_line(excerpt), _ERROR_WIDTH)


def _searched_part(response: ToolResponse) -> str:
    text = ""
    if isinstance(response.error, str) and is_failed_result(response):
        text = response.error
    text = text or _error_text(response_content(response))
    output = strip_output_frame(text)
    # A frame without anything in it is all there is to tell.
    if output.strip():
        text = output
    # An error stands at the beginning of an output or at its end.
    half = _SEARCHED_CHARACTERS // 2
    if len(text) <= 2 * half:
        return text
    return f"{text[:half]}\n{text[-half:]}"


def _first_telling_line(text: str) -> str:
    """Return the first line that says something, else the first with any text."""
    first = ""
    for line in text.splitlines():
        words = " ".join(TAG.sub("", line).split())
        if words and not _NO_INFORMATION.fullmatch(words):
            return words
        first = first or words
    return first


def _error_text(value: Json) -> str:
    """Return the error inside an answer, after its type where it has one."""
    fields = result_object(value)
    texts = (fields.get(key) for key in _ERROR_KEYS)
    errors = [error for error in texts if isinstance(error, str) and error]
    text = errors[0] if errors else result_text(value)
    kind = fields.get("error_type")
    # The type says more than the message where an exception is empty.
    if isinstance(kind, str) and kind not in ("", "none"):
        return f"{kind}: {text}"
    return text
