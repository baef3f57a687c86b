"""What a tool result proves about its call: that it succeeded, that it failed, or neither. Success
needs an exit code of 0, a status field that says so, of a change of files a diff or a line by which
the tool is known to say so; failure is what ``tool_failures`` finds as
well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import orjson

from core.common.json_value import Json
from core.facts.file_calls import FileVerb, file_operations, shell_command, tool_verb
from core.facts.outcome_lines import first_line, reports_change, reports_no_change
from core.facts.sentences import response_text, shorten
from core.facts.shell_actions import ShellCommand, parse_command_line
from core.facts.tool_failures import (
    answer_errors,
    error_message,
    has_message,
    shell_failed,
)
from core.transcript.model import ToolCall, ToolResponse
from core.transcript.tool_pairs import is_failed_result, json_text, response_content, result_text

_MAX_JSON_CHARACTERS = 2_000_000
_FRAME_LENGTH = 400  # most characters of the header that some tools put before their output
_SEARCHED_CHARACTERS = 20_000
_ERROR_WIDTH = 160
_FIRST_LINE = 100  # characters
_CODE_NAMES = ("exit_code", "exitCode", "exit", "returncode", "returnCode")
_FAILED_STATUS = frozenset({"error", "failed", "failure"})
_DONE_STATUS = frozenset(
    {"success", "succeeded", "ok"}
)  # not "completed": that says only that it ended
_ERROR_KEYS = ("error_message", "error", "message", "stderr", "output")
_TAG = re.compile(r"</?[\w:-]+>")
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
    line = shell_command(call) if call is not None else ""
    operations = () if call is None or line else tuple(file_operations(call))
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
    if errors := answer_errors(text):
        return ToolOutcome(Outcome.UNKNOWN, shorten(errors[0], _ERROR_WIDTH))
    whole = result_text(response_content(response)) or text
    return ToolOutcome(Outcome.SUCCEEDED if _exited_well(whole) else status)


def _exited_well(text: str) -> bool:
    ends = text if len(text) <= 500 else f"{text[:300]}\n{text[-200:]}"
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
        return outcome.error if is_named else f"error: {outcome.error}".removesuffix(": ")
    if outcome.error:
        return f"reported: {outcome.error}"
    return "success" if outcome.kind is Outcome.SUCCEEDED else left_out(response)


def _status(response: ToolResponse, *, is_shell: bool, shows_file: bool) -> Outcome:
    """Return what the fields of a response say, and those of the object in its text. A success in
    what a file holds is none of the call; what a shell prints is one only where it is an exit
    code."""
    said = [*_stated(response.extra)]
    fields = result_object(response_content(response))
    is_proof = not shows_file and (not is_shell or any(True for _ in _codes(fields)))
    said += [one for one in _stated(fields) if one is Outcome.FAILED or is_proof]
    if Outcome.FAILED in said:
        return Outcome.FAILED
    return Outcome.SUCCEEDED if said or response.error is False else Outcome.UNKNOWN


def _codes(fields: Mapping[str, Json]) -> Iterator[int]:
    inner = fields.get("metadata")
    for place in (fields, inner if isinstance(inner, dict) else {}):
        yield from (code for name in _CODE_NAMES if type(code := place.get(name)) is int)


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
    word = status.lower() if isinstance(status, str) else ""
    if word in _FAILED_STATUS:
        yield Outcome.FAILED
    elif word in _DONE_STATUS:
        yield Outcome.SUCCEEDED


def result_object(value: Json) -> Mapping[str, Json]:
    """Return the fields of a result that is a JSON object or its text; empty for any other."""
    if isinstance(value, list):
        value = result_text(value)
    if isinstance(value, str) and value.lstrip()[:1] == "{" and len(value) <= _MAX_JSON_CHARACTERS:
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
    return output if separator and len(header) < _FRAME_LENGTH else text


def error_line(response: ToolResponse) -> str:
    """Return the most informative line of an error, without tags; else its first line."""
    excerpt = _searched_part(response)
    message = error_message(excerpt) if has_message(excerpt) else ""
    return shorten(message or _first_telling_line(excerpt), _ERROR_WIDTH)


def _searched_part(response: ToolResponse) -> str:
    text = ""
    if isinstance(response.error, str) and is_failed_result(response):
        text = response.error
    text = text or _error_text(response_content(response))
    output = strip_output_frame(text)
    if output.strip():
        text = output
    half = _SEARCHED_CHARACTERS // 2  # an error stands at the beginning of an output or at its end
    return text if len(text) <= 2 * half else f"{text[:half]}\n{text[-half:]}"


def _first_telling_line(text: str) -> str:
    """Return the first line that says something, else the first with any text."""
    first = ""
    for line in text.splitlines():
        words = " ".join(_TAG.sub("", line).split())
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
    return f"{kind}: {text}" if isinstance(kind, str) and kind not in ("", "none") else text
