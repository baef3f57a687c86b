"""The user's own words in a text, without attachments, quotes and pasted code or logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.facts.sentences import without_tags

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
