"""Texts of messages without what harnesses add, split into sentences."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import orjson

from core.common.json_value import MISSING, Json
from core.transcript.model import Message, MessageFlag, Speaker, Text, ToolResponse

_NOISE_TAGS = (
    "system-reminder|command-name|command-message|command-contents|command-args|local-command-caveat|"
    "local-command-stdout|local-command-stderr|bash-input|bash-stdout|bash-stderr|ide_opened_file|"
    "ide_selection|task-notification|environment_context|environment_details|user-prompt-submit-hook|"
    "EnvironmentContext|user_info|open_and_recently_viewed_files"
)
_OPENING = re.compile(rf"<({_NOISE_TAGS})(?: [^>\n]*)?>")
_ARGUMENTS = re.compile(r"<command-args>(.+?)</command-args>", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(\S+?)\s*</command-name>")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]*\]")
_DATA = "[A-Za-z0-9+/_=-]"
_BLOB = re.compile(rf"data:[\w/+.-]+;base64,{_DATA}{{120,}}|(?<!{_DATA}){_DATA}{{120,}}")
_ADDRESS, _LONGEST_ADDRESS = 80, 400  # characters before encoded data in a URL, and of the data
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\[\d{1,2}(?:;\d{1,2})*m")
_BULLET = re.compile(r"^(?:[-*•>]|\d{1,2}[.)]|[A-Z]\)|\[[ xX]\]|#{1,6})\s+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!\bProf\.)(?<!\b[DMS]r\.)(?<!\bMrs\.)(?<!\bMs\.)[\"')]?\s+"
    r"(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))(?=[\"'`(]?[A-Z0-9])"
)
_NO_PROSE = re.compile(r"[-*_=]{3,}$|\||<!--|at |\d+ ?[|│→]|</?[\w:-]+>$|<([\w:-]+)>[^<]*</\1>$")
_TOOL_ROW = re.compile(r"\[(\w+) for '([^'\n]+)'")
_FEEDBACK = re.compile(r"<feedback>(.*?)</feedback>", re.DOTALL)
_HARNESS_COMMAND = re.compile(
    r"/(?:compact|compress|clear|model|resume|rename|export|cost|status|config|context|memory)\b"
)
_FEEDBACK_WITHIN = 5000  # characters; the user's feedback precedes the result
_WRAPPED_WIDTH = range(60, 131)  # characters; lines of this length may have been wrapped by hand
_TOOL_TEXT = re.compile(r"\[\w+(?: for [^\n]*)?\] Result:|\[ERROR\] You did not use a tool")
_SNAPSHOT_SIGNS = ("<state_snapshot>", "<context-summary>", "<conversation-checkpoint>")

_INSTRUCTION = re.compile(
    r"\b(?:AGENTS|CLAUDE|GEMINI|QWEN|copilot-instructions|CONVENTIONS)\.md\b|</?INSTRUCTIONS>|"
    r"</?user_instructions>|"
    r"^Base directory for this skill|^#+ (?:\w+ )?(?:Instructions|Guidelines|Rules)\b",
    re.IGNORECASE | re.MULTILINE,
)

CACHED_TEXTS = 10_000
"""Texts whose facts are kept: a preview reads a history several times, whole and in parts."""
DIGEST_TITLE = "Summary of the conversation so far"
"""First line of a summary without a tag around it, by which it is recognised later."""


def clean_text(text: str) -> str:
    """Remove reminders, command rows, terminal codes and encoded data."""
    text = _INTERRUPTED.sub("", without_tags(text, _OPENING))
    if "\x1b" in text or "m" in text:
        text = _ANSI.sub("", text)
    return _BLOB.sub(_data_placeholder, text).strip()


def _data_placeholder(match: re.Match[str]) -> str:
    """Replace encoded data by a placeholder; a long URL stays."""
    before = match.string[max(0, match.start() - _ADDRESS) : match.start()].split()
    is_address = len(match[0]) < _LONGEST_ADDRESS and bool(before) and "://" in before[-1]
    return match[0] if is_address else "[data]"


def without_tags(text: str, opening: re.Pattern[str]) -> str:
    """Remove elements whose start tag matches ``opening``; its first group is their name."""
    if "<" not in text:
        return text
    parts: list[str] = []
    position = 0
    unclosed: set[str] = set()
    for match in opening.finditer(text):
        name = match[1]
        if match.start() < position or name in unclosed:
            continue
        end = text.find(f"</{name}>", match.end())
        if end < 0:
            unclosed.add(name)
            continue
        parts.append(text[position : match.start()])
        position = end + len(name) + 3
    parts.append(text[position:])
    return "".join(parts)


def plain_text(message: Message) -> str:
    """Return the text blocks of a message, joined by blank lines."""
    return "\n\n".join(block.text for block in message.blocks if isinstance(block, Text))


def is_summary(message: Message) -> bool:
    """Return True for the summary of an earlier compaction: recorded, or recognised by its form."""
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        return True
    if message.speaker in (Speaker.TOOL, Speaker.AI):
        return False
    start = plain_text(message)[:400].lstrip()
    return start.startswith(DIGEST_TITLE) or any(sign in start for sign in _SNAPSHOT_SIGNS)


def begins_as_summary(text: str) -> bool:
    """Return whether a text begins as the summary of an earlier compaction."""
    return text[:400].lstrip().startswith((DIGEST_TITLE, *_SNAPSHOT_SIGNS))


def authored_text(message: Message) -> str:
    """Return what the user (or the model) wrote in a message; "" for text that a harness wrote. Tool results
    that an agent sends as user text do not count. A slash command counts with its name and arguments if it
    has any, unless it is for the harness itself (/compact …)."""
    if message.flags & (MessageFlag.META | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY):
        return ""
    text = plain_text(message)
    arguments = _ARGUMENTS.search(text) if "<command-args>" in text else None
    if arguments and arguments[1].strip():
        name = _COMMAND.search(text)
        text = f"{name[1] if name else ''} {clean_text(arguments[1])}".strip()
        return "" if _HARNESS_COMMAND.match(text) else text
    if message.flags & MessageFlag.COMMAND or _HARNESS_COMMAND.match(text):
        return ""
    if _TOOL_TEXT.match(text):
        return "\n".join(clean_text(words) for words in _FEEDBACK.findall(text[:_FEEDBACK_WITHIN]))
    return clean_text(text)


def is_instruction(text: str) -> bool:
    """Return True for a file of rules or a skill that an agent puts into a user message."""
    return bool(_INSTRUCTION.search(text[:600]))


def tool_row(message: Message) -> tuple[str, str]:
    """Return tool and argument of a result that an agent sent as user text; ("", "") for others."""
    match = _TOOL_ROW.match(plain_text(message)[:500])
    return (match[1], match[2]) if match else ("", "")


def _paragraphs(text: str, *, headings: bool) -> Iterator[str]:
    """Yield lines of prose without fenced code and tables; wrapped lines are joined, bullets removed."""
    is_fenced = False
    paragraph = before = ""
    lines = text.splitlines()
    width = max(map(len, lines), default=0)
    for raw in lines:
        line, last, before = raw.strip(), before, raw.rstrip()
        if line.startswith(("```", "~~~")):
            is_fenced = not is_fenced
            continue
        if is_fenced or _NO_PROSE.match(line) or (line.startswith("#") and not headings):
            continue
        if paragraph and line and paragraph[-1] not in ".!?:;" and _continues(line, paragraph, last, width):
            paragraph = f"{paragraph} {line}"
            continue
        if paragraph:
            yield paragraph
        paragraph = _heading(line) if line.startswith("#") else _BULLET.sub("", line)
    if paragraph:
        yield paragraph


def _continues(line: str, paragraph: str, last: str, width: int) -> bool:
    """Return True if a line continues a sentence that was wrapped by hand. It begins in lower case, or its
    first word did not fit on the previous line."""
    if line[0].islower():
        return len(paragraph) >= 60
    first = line.split(" ", 1)[0]
    return width in _WRAPPED_WIDTH and len(last) + 1 + len(first) > width and not _BULLET.match(line)


def _heading(line: str) -> str:
    """Return a heading as a sentence; "" for one of a single word."""
    title = _BULLET.sub("", _BULLET.sub("", line)).rstrip()
    if " " not in title:
        return ""
    return title if title[-1] in ".:!?" else f"{title}."


def sentences(text: str, *, headings: bool = True) -> Iterator[str]:
    """Yield the sentences of a text, white space collapsed."""
    for paragraph in _paragraphs(text, headings=headings):
        yield from filter(None, (" ".join(part.split()) for part in _SENTENCE_END.split(paragraph)))


def lower_case(text: str) -> str:
    """Return a text in lower case with straight apostrophes, as patterns have it."""
    return text.replace("’", "'").lower()


def shorten(text: str, limit: int) -> str:
    """Return the text on one line of at most ``limit`` characters, cut at a word, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    return f"{cut[:space] if space > limit // 2 else cut} …"[:limit]


def response_text(response: ToolResponse) -> str:
    """Return a tool's answer as text without media: its error if it has one, else its result."""
    result = response.result
    if isinstance(result, str) and result.startswith('{"output":'):  # Codex
        with contextlib.suppress(orjson.JSONDecodeError):
            result = value_text(orjson.loads(result))
    has_error_text = is_marked_error(response) and not isinstance(response.error, bool)
    return value_text(response.error if has_error_text else result)


def is_marked_error(response: ToolResponse) -> bool:
    return response.error is not MISSING and response.error not in (None, "", False)


def value_text(value: Json) -> str:
    """Return the text in a tool's JSON value: a string, blocks, or an object with output."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, (value_text(item) for item in value)))
    if isinstance(value, dict):
        parts = map(value.get, ("text", "output", "stdout", "stderr", "content", "error", "message"))
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return "" if value is None else str(value)


_ATTACHED = (
    "file|files|file_content|file_contents|files_content|folder_content|url_content|document|documents|"
    "document_content|attachment|attachments|attached_file|attached_files|pasted_content|pasted_text|"
    "code_snippet|code_selection|selection|selected_text|git_diff|git_working_state|diff|patch|log|logs|"
    "output|terminal_output|terminal_selection|diagnostics|workspace_diagnostics"
)
_ATTACHMENT = re.compile(
    rf"<({_ATTACHED}|\w+(?= [^<>\n]*\b(?:path|file|filename|src)=))(?: [^<>\n]*)?>", re.IGNORECASE
)
_RULE = "---"
_ENDS = ("end of content", "end of file")
_REFERENCED = "content from "
_MENTION_ONLY = re.compile(r"^(?:@\S+\s*)+$")
_FENCE = ("```", "~~~")
_CODE = re.compile(
    r"^(?:(?:raise|return|yield|throw|assert|await|del)\s+[\w.]+[(\[{=].*|"
    r"(?:async )?(?:def|fn|func|function)\s+\w+.*[({:].*|(?:class|struct|interface|enum)\s+\w+.*[:{(]$|"
    r"(?:from\s+[\w.]+\s+)?import\s+.*|(?:const|let|var|public|private|static|export)\s+\w.*[={(;].*|"
    r"#include\s.*|@\w+(?:\(.*\))?$|[\w.\[\]\"']+\s*(?::\s*[\w\[\], |.]+)?\s*[-+*/|]?=\s*\S.*|"
    r"[\w.]+\(.*\)[;,:{]?$|.*[{};]$|[)\]}]+[,;]?$|//.*|/\*.*|\*/.*|\$ \S.*)$"
)
_LONGEST = 400  # characters; longer lines are not matched, so that the time stays linear
_STRING = re.compile(r"\"[^\"]*\"|(?<=[\s(=,f])'[^']*'")
_PROSE = re.compile(r"(?:^|\s)[A-Za-z']+ [a-z']+ [a-z']+\b(?!\()")
_LOG = re.compile(
    r"^(?:\S+\.[cm]?[jt]sx?:\d{4,}\b.*|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|\[?\d\d:\d\d:\d\d[.,\]\s].*|"
    r"\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL)[:\]].*|Traceback \(most.*|at \S+ ?\(.*|"
    r"File \".*\", line \d+.*|npm ERR!.*|E {2,}\S.*|(?:\+\+\+|@@|diff --git|index [0-9a-f]{6,}).*|"
    r"\[P[0-3]\] .*)$"
)


def without_files(text: str) -> str:
    """Return the text without files and other attachments between tags or header lines."""
    if "<" in text:
        text = without_tags(text, _ATTACHMENT)
    return "\n".join(_outside_headers(text.splitlines())) if "---" in text else text


def authored_prose(text: str) -> str:
    """Return the text without attachments, quoted lines, code and logs."""
    return "\n".join(_authored_lines(without_files(text).splitlines())).strip()


def _outside_headers(lines: list[str]) -> Iterator[str]:
    """Yield lines that are not between a ``--- path ---`` line and its end line or the end of the text."""
    is_inside = False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith(_RULE) and stripped.endswith(_RULE):
            title = stripped.strip("-").strip().lower()
            if title.startswith(_ENDS):
                is_inside = False
                continue
            is_inside = is_inside or _names_a_file(title)
        if not is_inside:
            yield line


def _names_a_file(title: str) -> bool:
    return title.startswith(_REFERENCED) or (" " not in title and ("." in title or "/" in title))


def _authored_lines(lines: list[str]) -> Iterator[str]:
    is_fenced = False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith(_FENCE):
            is_fenced ^= stripped.count(stripped[:3]) % 2 == 1
            continue
        if is_fenced or stripped.startswith(">") or _MENTION_ONLY.match(stripped):
            continue
        if not _is_pasted(stripped):
            yield line


def _is_pasted(line: str) -> bool:
    """Return True for a line of code or a log; three plain words outside strings make it prose."""
    if len(line) > _LONGEST:
        return False
    if _LOG.match(line):
        return True
    return _CODE.match(line) is not None and not _PROSE.search(_STRING.sub("", line))
