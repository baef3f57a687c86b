"""The seven sections of tiered's summary: finds, completes and checks them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.facts.model import FILE_KINDS, Facts
from core.facts.tool_outcome import Outcome, tool_outcome
from core.strategies.tiered.tool_outputs import CLOSING, OPENING
from core.transcript.model import Message, ToolCall, tool_calls, tool_responses

FILES, TOOLS = "FILES", "TOOL HISTORY"
SECTIONS = ("TASK STATE", FILES, TOOLS, "ERRORS", "DECISIONS", "USER GUIDANCE", "NEXT STEPS")
"""The names of the seven sections, in their order (ION-16)."""

_SECTION_NAMES = "|".join(name.replace(" ", "[ _]") for name in SECTIONS)
_HEADING = re.compile(
    rf"^[ \t]*(?P<mark>(?:#{{1,6}}[ \t]*|\d{{1,2}}[.)][ \t]*|\*\*|__)*)(?P<name>{_SECTION_NAMES})"
    r"(?:\*\*|__)*[ \t]*(?P<end>$|:|[–—-](?=[ \t]))(?:\*\*|__)*[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_EMPTY_BODIES = frozenset({"", "none", "none.", "none noted.", "n/a", "-", "- none", "- none."})
_NO_ENTRIES = "None."


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a text: its lines [start, end), the heading first, and its content."""

    name: str
    start: int
    end: int
    body: str

    @property
    def is_empty(self) -> bool:
        return self.body.strip().lower() in _EMPTY_BODIES


def summary_sections(text: str) -> tuple[TextSection, ...]:
    """Return the sections of a text in order; of a repeated name only the first."""
    lines = text.split("\n")
    headings = [
        (index, head) for index, line in enumerate(lines) if (head := _heading(line)) is not None
    ]
    ends = [*(index for index, _ in headings[1:]), len(lines)][: len(headings)]
    sections: dict[str, TextSection] = {}
    for (start, head), end in zip(headings, ends, strict=True):
        body = "\n".join((head["rest"], *lines[start + 1 : end]))
        name = head["name"].upper().replace("_", " ")
        sections.setdefault(name, TextSection(name, start, end, body))
    return tuple(sections.values())


def _heading(line: str) -> re.Match[str] | None:
    """Match a section heading: marked as a heading in any case, or bare in capitals."""
    match = _HEADING.match(line)
    return (
        match if match is not None and (match["mark"].strip() or match["name"].isupper()) else None
    )


def without_wrapper(text: str) -> str:
    """Remove the wrapper's tags from a summary, so that it cannot close them itself."""
    return text.replace(OPENING, "").replace(CLOSING, "").strip()


def missing_sections(text: str, required: Sequence[str]) -> str:
    """Return what a summary lacks, as the end of a sentence; "" where it lacks nothing."""
    sections = {section.name: section for section in summary_sections(text)}
    missing = [name for name in required if name not in sections]
    if missing:
        name_list = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        return f"lacks the section{'' if len(missing) == 1 else 's'} {name_list}"
    if required and all(sections[name].is_empty for name in required):
        return "says nothing in any of its sections"
    return ""


def complete_summary(
    text: str,
    facts: Facts,
    messages: Sequence[Message],
    max_tokens: int,
    count: Callable[[str], int],
) -> str:
    """Add the files and tools of the calls that the summary leaves out (ION-03, ION-04)."""
    tools = [
        line for name, line in _tool_lines(messages) if not _mentions_tool(_body(text, TOOLS), name)
    ]
    text = _with_lines(text, TOOLS, _lines_that_fit(tools, max_tokens // 3, count, "more tools"))
    files_body = _body(text, FILES)
    paths = tuple(_file_lines(facts))
    tails = Counter(_tail(path) for path, _ in paths)
    files = [
        line
        for path, line in paths
        if not _mentions(files_body, path, is_unique=tails[_tail(path)] == 1)
    ]
    return _with_lines(
        text, FILES, _lines_that_fit(files, max_tokens - max_tokens // 3, count, "more files")
    )


def _body(text: str, name: str) -> str:
    return next((section.body for section in summary_sections(text) if section.name == name), "")


def _mentions_tool(body: str, tool: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(tool)}(?![\w-])", body) is not None


def _tail(path: str) -> str:
    """Return the last two parts of a path."""
    folder, name = posixpath.split(path)
    return posixpath.join(posixpath.basename(folder), name)


def _mentions(body: str, path: str, *, is_unique: bool) -> bool:
    """Return whether the body names the path, whole, or by its tail where that is unique."""
    return (
        re.search(rf"(?<![\w.-]){re.escape(_tail(path) if is_unique else path)}(?![\w-])", body)
        is not None
    )


def _file_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield path and line of every file, changed files first."""
    for kind in FILE_KINDS:
        for fact in sorted(facts.of_kind(kind), key=lambda item: item.first):
            yield fact.key, f"- `{fact.key}`: {fact.detail}"


def _tool_lines(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Yield name and line of every called tool, in the order of their first calls."""
    call_counts: Counter[str] = Counter()
    failure_counts: Counter[str] = Counter()
    by_id: dict[str, ToolCall] = {}
    for message in messages:
        for tool_call in tool_calls(message):
            call_counts[tool_call.name] += 1
            by_id[tool_call.id] = tool_call
        failure_counts.update(
            call.name
            for response in tool_responses(message)
            if (call := by_id.get(response.call_id)) is not None
            and tool_outcome(call, response).kind is Outcome.FAILED
        )
    for name, count in call_counts.items():
        if name:
            times = f"{count:,} call{'' if count == 1 else 's'}"
            ending = f", {failure_counts[name]:,} failed" if failure_counts[name] else ""
            yield name, f"- `{name}`: {times}{ending}"


def _lines_that_fit(
    lines: Sequence[str], tokens_left: int, count: Callable[[str], int], label: str
) -> list[str]:
    """Return as many lines as fit, at least one, and a line that counts the others."""
    fitting: list[str] = []
    for line in lines:
        tokens_left -= count(line + "\n")
        if tokens_left < 0 and fitting:
            break
        fitting.append(line)
    more = len(lines) - len(fitting)
    return [*fitting, f"- … and {more:,} {label}"] if more else fitting


def _with_lines(text: str, name: str, lines: Sequence[str]) -> str:
    """Add lines at the end of a section, which is inserted where it is missing."""
    sections = {section.name: section for section in summary_sections(text)}
    parts = text.split("\n")
    section = sections.get(name)
    if section is None:
        number = SECTIONS.index(name) + 1
        later_starts = [
            sections[section_name].start
            for section_name in SECTIONS[number:]
            if section_name in sections
        ]
        index = min(later_starts, default=len(parts))
        new = [f"{number}. {name}:", *(lines or [_NO_ENTRIES]), ""]
        before = [] if not index or not parts[index - 1].strip() else [""]
        return "\n".join((*parts[:index], *before, *new, *parts[index:])).rstrip("\n")
    if not lines:
        return text
    if section.is_empty:
        head = parts[section.start]
        found_head = _heading(head)
        assert found_head is not None
        heading_line = head[: found_head.start("rest")].rstrip() if found_head["rest"] else head
        return "\n".join(
            (*parts[: section.start], heading_line, *lines, "", *parts[section.end :])
        ).rstrip("\n")
    end = section.end
    while not parts[end - 1].strip():
        end -= 1
    return "\n".join((*parts[:end], *lines, *parts[end:]))
