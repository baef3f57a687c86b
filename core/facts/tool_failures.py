"""Detects failed tools in their output and extracts their error messages."""

from __future__ import annotations

import re
from functools import lru_cache

from core.facts.sentences import CACHED_TEXTS, clean_text, shorten
from core.facts.shell_actions import ShellCommand

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
_STEERING = re.compile(r"(?:any )?more questions|ready to|shall (?:we|i) continue", re.IGNORECASE)
_USER_SAID = re.compile(r"the user said:\s*\n?(.+)", re.DOTALL)


def shell_failed(text: str, command: ShellCommand, marks_errors: bool) -> bool:
    """Return True if the output of a shell command indicates failure though its response is no
    error. ``marks_errors``: the format marks failed calls, so that output counts only if a pipe hid
    the exit code."""
    exit_code = _EXIT.search(text[:300]) or _EXIT.search(text[-200:])
    if exit_code:
        return exit_code[1] != "0" and not command.is_read_only
    if marks_errors and not command.piped:
        return False
    if command.is_read_only or _ALL_PASSED.search(text[-_TAIL:]):
        return False
    return bool(_FAILURE_LINE.search(_head_and_tail(text)))


_ALL_PASSED = re.compile(
    r"^\W*0 fail(?:ed|ures?)?\b|^=* ?\d+ passed(?!.*[1-9]\d* (?:failed|error))", re.MULTILINE
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
    return _failed_lines(text if len(text) <= _SHORT_ANSWER else text[: _SHORT_ANSWER // 2])


@lru_cache(maxsize=CACHED_TEXTS)
def _failed_lines(text: str) -> tuple[str, ...]:
    shown = _WRAPPED.sub("", clean_text(text)).splitlines()
    lines = [" ".join(line.split()) for line in shown if not _QUOTED_LINES.match(line)]
    found = [line for line in lines if _FAILED_ANSWER.search(line.lower())]
    return tuple(
        dict.fromkeys(shorten(line, 200) for line in found if not _EMPTY_LINE.match(line))
    )[:2]


def has_message(text: str) -> bool:
    """Return True if a failure has more text than its exit code."""
    return any(
        not _EMPTY_LINE.match(line.strip()) for line in text[:_HEAD].splitlines() if line.strip()
    )


def is_declined(text: str, *, is_marked: bool) -> bool:
    """Return True if the user declined the call, which is not an error of the tool. Where the
    result is not marked as failed, its first words have to say so."""
    start = text[:400] if is_marked else text.lstrip()[:80].partition("\n")[0]
    return bool(_DECLINED.search(start))


def decline_comment(text: str) -> str:
    """Return what the user wrote when declining a call, or ""."""
    match = _USER_SAID.search(text)
    words = match[1].strip() if match else ""
    return "" if words.startswith("The user wants to clarify") else clean_text(words)


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
    pytest_lines = [line.removeprefix("E ") for line in informative if line.startswith("E ")]
    if pytest_lines:
        return pytest_lines
    faults = [line for line in informative if not _WARNING.search(line)]
    clear_errors = list(filter(_is_clear_error, faults))
    if clear_errors:
        # "3 errors found" says less than each of them, so it comes last.
        return sorted(clear_errors, key=lambda line: _SUMMARY_LINE.match(line) is not None)
    error_lines = [line for line in faults if _ERROR_WORD.search(line)]
    return error_lines or informative


def _is_clear_error(line: str) -> bool:
    if _FILE_POSITION.match(line):
        return True
    return bool(_ERROR_WORD.search(line) and _ERROR_START.search(line))


def _head_and_tail(text: str) -> str:
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def user_answers(text: str) -> list[str]:
    """Return the answers in the result of a tool that asked the user."""
    found = _ANSWER.findall(text) if text.startswith(_ANSWERED) else ()
    return [answer for question, answer in found if not _STEERING.match(question)]
