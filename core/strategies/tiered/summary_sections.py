"""The seven sections of tiered's summary: found in a text, completed from the calls, and missed."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.facts import FactCategory, Facts
from core.strategies.tiered.ion_texts import CLOSING, OPENING
from core.transcript.model import Message, tool_calls, tool_responses
from core.transcript.tool_outcomes import is_failed_result

FILES, TOOLS = "FILES", "TOOL HISTORY"
SECTIONS = ("TASK STATE", FILES, TOOLS, "ERRORS", "DECISIONS", "USER GUIDANCE", "NEXT STEPS")
"""The names of the seven sections, in their order (ion section 1.6)."""

_NAMES = "|".join(name.replace(" ", "[ _]") for name in SECTIONS)
_HEADING = re.compile(
    rf"^[ \t]*(?P<mark>(?:#{{1,6}}[ \t]*|\d{{1,2}}[.)][ \t]*|\*\*|__)*)(?P<name>{_NAMES})"
    r"(?:\*\*|__)*[ \t]*(?P<end>$|:|[–—-](?=[ \t]))(?:\*\*|__)*[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
_EMPTY = frozenset({"", "none", "none.", "none noted.", "n/a", "-", "- none", "- none."})
_NOTHING = "None."


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a text: its lines [start, end), the heading first, and what it says."""

    name: str
    start: int
    end: int
    body: str

    @property
    def is_empty(self) -> bool:
        """True where it says nothing."""
        return self.body.strip().lower() in _EMPTY


def summary_sections(text: str) -> tuple[TextSection, ...]:
    """The sections of a text, each name once, in the order in which they stand."""
    lines = text.split("\n")
    heads = [(place, head) for place, line in enumerate(lines) if (head := _heading(line)) is not None]
    ends = [*(place for place, _ in heads[1:]), len(lines)][: len(heads)]
    found: dict[str, TextSection] = {}
    for (start, head), end in zip(heads, ends, strict=True):
        body = "\n".join((head["rest"], *lines[start + 1 : end]))
        name = head["name"].upper().replace("_", " ")
        found.setdefault(name, TextSection(name, start, end, body))
    return tuple(found.values())


def _heading(line: str) -> re.Match[str] | None:
    """A line that heads a section: marked as a heading in any letters, or bare in capitals."""
    found = _HEADING.match(line)
    return found if found is not None and (found["mark"].strip() or found["name"].isupper()) else None


def without_wrapper(text: str) -> str:
    """A summary without the tags that it will stand between, which it must not end by itself."""
    return text.replace(OPENING, "").replace(CLOSING, "").strip()


def missing_sections(text: str, wanted: Sequence[str]) -> str:
    """What a summary lacks, as the end of a sentence; "" where it lacks nothing."""
    found = {section.name: section for section in summary_sections(text)}
    lacks = [name for name in wanted if name not in found]
    if lacks:
        listed = " and ".join(filter(None, (", ".join(lacks[:-1]), lacks[-1])))
        return f"lacks the section{'' if len(lacks) == 1 else 's'} {listed}"
    if wanted and all(found[name].is_empty for name in wanted):
        return "says nothing in any of its sections"
    return ""


def complete_summary(
    text: str, facts: Facts, messages: Sequence[Message], room: int, count: Callable[[str], int]
) -> str:
    """The summary with the files and tools of the calls that it leaves out (ION-03, ION-04).

    ``room``: tokens that the additions may take; what does not fit is counted in a last line.
    """
    tools = [line for name, line in _tool_lines(messages) if not _names(_body(text, TOOLS), name)]
    text = _with(text, TOOLS, _fitting(tools, room // 3, count, "more tools"))
    listed = _body(text, FILES)
    paths = tuple(_file_lines(facts))
    tails = Counter(_tail(path) for path, _ in paths)
    files = [line for path, line in paths if not _tells(listed, path, alone=tails[_tail(path)] == 1)]
    return _with(text, FILES, _fitting(files, room - room // 3, count, "more files"))


def _body(text: str, name: str) -> str:
    return next((section.body for section in summary_sections(text) if section.name == name), "")


def _names(body: str, tool: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(tool)}(?![\w-])", body) is not None


def _tail(path: str) -> str:
    """The last two parts of a path, by which people know it."""
    folder, name = posixpath.split(path)
    return posixpath.join(posixpath.basename(folder), name)


def _tells(body: str, path: str, *, alone: bool) -> bool:
    """True where a path stands there, whole, or by its tail where no other file has the same."""
    return re.search(rf"(?<![\w.-]){re.escape(_tail(path) if alone else path)}(?![\w-])", body) is not None


def _file_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    """Path and line of every file, those that were changed first."""
    for category in (FactCategory.FILE_MODIFIED, FactCategory.FILE_READ):
        for fact in sorted(facts.of(category), key=lambda one: one.first):
            yield fact.key, f"- `{fact.key}`: {fact.detail}"


def _tool_lines(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Name and line of every tool that was called, in the order of their first calls."""
    called: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    by_id: dict[str, str] = {}
    for message in messages:
        for call in tool_calls(message):
            called[call.name] += 1
            by_id[call.id] = call.name
        wrong.update(by_id.get(one.call_id, "") for one in tool_responses(message) if is_failed_result(one))
    for name, count in called.items():
        if name:
            times = f"{count:,} call{'' if count == 1 else 's'}"
            ending = f", {wrong[name]:,} failed" if wrong[name] else ", none failed"
            yield name, f"- `{name}`: {times}{ending}"


def _fitting(lines: Sequence[str], room: int, count: Callable[[str], int], rest: str) -> list[str]:
    """As many lines as there is room for, at least one, and how many more there are."""
    taken: list[str] = []
    for line in lines:
        room -= count(line + "\n")
        if room < 0 and taken:
            break
        taken.append(line)
    more = len(lines) - len(taken)
    return [*taken, f"- … and {more:,} {rest}"] if more else taken


def _with(text: str, name: str, lines: Sequence[str]) -> str:
    """The text with lines at the end of a section, which is added where it is missing."""
    found = {section.name: section for section in summary_sections(text)}
    parts = text.split("\n")
    own = found.get(name)
    if own is None:
        number = SECTIONS.index(name) + 1
        later = [found[one].start for one in SECTIONS[number:] if one in found]
        place = min(later, default=len(parts))
        new = [f"{number}. {name}:", *(lines or [_NOTHING]), ""]
        before = [] if not place or not parts[place - 1].strip() else [""]
        return "\n".join((*parts[:place], *before, *new, *parts[place:])).rstrip("\n")
    if not lines:
        return text
    if own.is_empty:
        head = parts[own.start]
        found_head = _heading(head)
        assert found_head is not None
        kept = head[: found_head.start("rest")].rstrip() if found_head["rest"] else head
        return "\n".join((*parts[: own.start], kept, *lines, "", *parts[own.end :])).rstrip("\n")
    end = own.end
    while not parts[end - 1].strip():
        end -= 1
    return "\n".join((*parts[:end], *lines, *parts[end:]))
