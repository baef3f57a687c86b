"""Detects failed tools in their output and extracts their error messages."""

from __future__ import annotations

import re

from core.facts.sentences import clean_text, shorten
from core.facts.shell_actions import ShellCommand

_HEAD, _TAIL = 4000, 1500
_EXIT = re.compile(
    r"""(?:exit(?:ed with)? (?:code|status)|"?exit_code"?|returncode)["']?\s*[:=]?\s*(\d+)""", re.IGNORECASE
)
_FAILURE_LINE = re.compile(
    r"^(?:Traceback \(most recent|fatal: |panic: |npm ERR!|[Ee]rror(?:\[\w+\])?: (?!\(none\))|ERROR[: ]|"
    r"FAILED\b|FAIL[:\s]|[\w.]+(?:Error|Exception): |curl: \(\d+\) |Failures:$|=+ .*\b[1-9]\d* error|"
    r".*\b[1-9]\d* (?:failed|failures?)\b|.*\berror TS\d{4}|"
    r".*: (?:command not found|No such file or directory|Permission denied|Connection refused)$)",
    re.MULTILINE,
)
_BLUNT = re.compile(
    r"^(?:error\b|fatal|panic|-* ?FAIL|\(fail\)|E  |npm ERR|[×✗✖])|"
    r"\w+(?:Error|Exception)\b|error TS\d|^TS\d{4}\b|error\[",
    re.IGNORECASE,
)
_PLACED = re.compile(r"^[\w./@+-]+\.\w+:\d+(?::\d+)?:? \S")
_LONE = re.compile(r"^(?:FAIL(?:ED)?|Found \d+ errors?\W?.*|make: \*\*\*.*|Failures:|.*\b\d+ failures?)$")
_TELLING = re.compile(
    r"error|exception|fail|fatal|panic|not found|cannot|can't|denied|unable|unexpected|undefined|invalid|"
    r"missing|does not|no such|would have",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bwarn", re.IGNORECASE)
_EMPTY_LINE = re.compile(
    r"^(?:exit code \d+|\$ .*|[\W_]*|\d+ ?[|│].*|at .*|string: .*|usage:.*|traceback \(most.*|"
    r"\[\d+.*|file \".*|"
    r"chunk id: .*|wall time: .*|original token count: .*|process exited with .*|"
    r"command exited with code \d+|output:|[\w ]+: \((?:none|empty)\))$",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"</?(?:tool_use_error|error|stderr|output)>")
_UNDONE = re.compile(
    r"\s*(?:<tool_use_error>|error\b[^\n]{0,20}:|no replacement was performed|"
    r"failed to (?:edit|write|apply|replace)|(?:file|path) (?:not found|does not exist)|"
    r"(?:old_string|old_str|string to replace)\b.{0,80}\bnot found|could not find\b|no changes were made)",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"doesn't want to proceed with this tool use|tool use was rejected|user (?:rejected|declined)"
)
_ANSWERED = ("User has answered", "Your questions have been answered")
_ANSWER = re.compile(r'"([^"]+)"="([^"]*)"')
_STEERING = re.compile(r"(?:any )?more questions|ready to|shall (?:we|i) continue", re.IGNORECASE)
_USER_SAID = re.compile(r"the user said:\s*\n?(.+)", re.DOTALL)


def shell_failed(text: str, command: ShellCommand, marked: bool) -> bool:
    """Return True if the output of a shell command indicates failure though its response is no error.

    ``marked``: the format marks failed calls, so that output counts only if a pipe hid the exit code.
    """
    exit_code = _EXIT.search(text[:300]) or _EXIT.search(text[-200:])
    if exit_code:
        return exit_code[1] != "0" and not command.quiet
    if marked and not command.piped:
        return False
    return not command.quiet and bool(_FAILURE_LINE.search(_ends(text)))


def is_worded(text: str) -> bool:
    """Return True if a failure has more text than its exit code."""
    return any(not _EMPTY_LINE.match(line.strip()) for line in text[:_HEAD].splitlines() if line.strip())


def is_undone(text: str) -> bool:
    """Return True if a tool that changes files reports that it did not."""
    return _UNDONE.match(text[:400]) is not None


def is_declined(text: str) -> bool:
    """Return True if the user declined the call, which is not an error of the tool."""
    return bool(_DECLINED.search(text[:400]))


def user_said(text: str) -> str:
    """Return what the user wrote when declining a call, or ""."""
    match = _USER_SAID.search(text)
    words = match[1].strip() if match else ""
    return "" if words.startswith("The user wants to clarify") else clean_text(words)


def message_of(text: str) -> str:
    """Return the one or two most informative lines of an error, at most 200 characters."""
    lines = [" ".join(line.split()) for line in _WRAPPED.sub("", _ends(clean_text(_ends(text)))).splitlines()]
    useful = [line for line in lines if line and not _EMPTY_LINE.match(line)]
    telling = [line for line in useful if _TELLING.search(line) and not _WARNING.search(line)]
    placed = [line for line in useful if _PLACED.match(line) and not _WARNING.search(line)]
    blunt = [line for line in useful if line in placed or (line in telling and _BLUNT.search(line))]
    blunt.sort(key=_is_lone)
    tested = [line.removeprefix("E ") for line in useful if line.startswith("E ")]
    best = tested or blunt or telling or useful
    chosen = best[-1:] if "Traceback (most" in text else best[:2]
    words = " · ".join(dict.fromkeys(chosen)) or next((line for line in lines if line), "no message")
    return shorten(words, 200)


def _is_lone(line: str) -> bool:
    return _LONE.match(line) is not None


def _ends(text: str) -> str:
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def user_answers(text: str) -> list[tuple[str, str]]:
    """Return questions and answers in the result of a tool that asked the user."""
    if not text.startswith(_ANSWERED):
        return []
    found = _ANSWER.findall(text)
    return [(question, answer) for question, answer in found if not _STEERING.match(question)]
