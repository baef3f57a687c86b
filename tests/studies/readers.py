"""What readers make of real transcripts, against a second count that uses none of them:

    python -m tests.studies.readers [FOLDER] [--save FILE] [--against FILE]

The second count walks the plain JSON and knows only paths, a few for each format: where prompts and
answers stand, and where ids of calls and of results. Words of such texts that are in no message are
lost. ``--save`` keeps the figures, ``--against`` shows those of an earlier run in front of today's.
Rows are those of all conversations and branches of a file, each once; a file with more than forty
conversations is counted by its first ones.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from core.common.errors import InputError
from core.common.json_value import Json
from core.facts.sentences import writer_name
from core.transcript.model import Conversation, tool_calls, tool_responses
from tests.conftest import SHARED
from tests.core.formats.census import (
    conversations,
    raw_records,
    said_texts,
    shingles,
    shortened,
    uncovered,
)

CORPUS = SHARED / "corpus"
BROKEN = "broken"
"""A folder of files that are damaged on purpose: what they say is not known."""
_NAMES = ("type", "kind", "role", "from", "source")
_MAX_NAME = 40  # characters of a longer value, which names no kind
_COLUMNS = ("files", "words", "lost", "human", "harness", "summary", "ai", "tool")
_PAIR_COLUMNS = ("calls", "results", "open", "orphans")


@dataclass(frozen=True, slots=True)
class Paths:
    """Patterns of paths at which a format has what people and models said, and the ids of calls and
    results."""

    said: str
    calls: str = "(?!)"
    results: str = "(?!)"


_CONTENT = r"\.content(\[(input_|output_)?text\]\.text)?$"
_LIST = r"^(\S*\.(messages|input|data|traj|history))?"
_ITEM = r"\[(function|custom_tool|local_shell|shell|apply_patch)_call"
_MESSAGES = Paths(
    rf"{_LIST}(\[message\])?\[(user|assistant|developer)\]{_CONTENT}",
    rf"{_LIST}(\[assistant\]\.(tool_calls(\[function\])?|content\[tool_use\])\.id"
    rf"|{_ITEM}\]\.call_id)$",
    rf"{_LIST}(\[tool\]\.tool_call_id|\[\w+\]\.content\[tool_result\]\.tool_use_id"
    rf"|{_ITEM}_output\]\.call_id)$",
)
"""Of the APIs, and of formats whose messages are like theirs."""

PATHS: Mapping[str, Paths] = {
    "anthropic_messages": _MESSAGES,
    "agent_sdk": Paths(
        rf"^\[(user|assistant)\]\.message\S*?{_CONTENT}",
        r"^\[assistant\]\.message\S*\.content\[tool_use\]\.id$",
        r"^\[user\]\.message\S*\.content\[tool_result\]\.tool_use_id$",
    ),
    "cline_session": _MESSAGES,
    "hermes": _MESSAGES,
    "kimi": _MESSAGES,
    "mini_swe_agent": Paths(_MESSAGES.said),
    "openai_chat": _MESSAGES,
    "openai_responses": _MESSAGES,
    "swe_agent": Paths(_MESSAGES.said),
    "tau_bench": _MESSAGES,
    "inspect_ai": Paths(
        rf"^(\.samples)?\.messages\[\w+\]{_CONTENT}",
        r"^(\.samples)?\.messages\[assistant\]\S*\.tool_calls(\[function\])?\.id$",
        r"^(\.samples)?\.messages\[tool\]\S*\.tool_call_id$",
    ),
    "atif": Paths(
        r"^\.steps\[(user|agent)\]\.message$",
        r"^\.steps\[agent\]\.tool_calls\.tool_call_id$",
        r"^\.steps\S*\.observation\.results\.source_call_id$",
    ),
    "claude_code": Paths(
        rf"^\[(user|assistant)\]\.message\S*?{_CONTENT}",
        r"^\[assistant\]\.message\S*\.content\[tool_use\]\.id$",
        r"^\[user\]\.message\S*\.content\[tool_result\]\.tool_use_id$",
    ),
    "codex_rollout": Paths(
        rf"^\[response_item\]\.payload\[message\]\[\w+\]{_CONTENT}",
        r"^\[response_item\]\.payload\[(function|custom_tool|local_shell|tool_search)_call\]\.call_id$",
        r"^\[response_item\]\.payload\[(function_call|custom_tool_call|tool_search)_output\]\.call_id$",
    ),
    "continue_dev": Paths(
        rf"^\.history(\.message\[(user|assistant)\]{_CONTENT}|\.contextItems\.content$)",
        r"^\.history\.message\[assistant\]\.toolCalls(\[function\])?\.id$",
        r"^\.history\.toolCallStates\.toolCallId$",
    ),
    "copilot_cli": Paths(
        r"^\[(user|assistant)\.message\]\.data\.(content|transformedContent)$",
        r"^\[assistant\.message\]\.data\.toolRequests(\[function\])?\.toolCallId$",
        r"^\[tool\.execution_complete\]\.data\.toolCallId$",
    ),
    "goose": Paths(
        rf"^\[(user|assistant)\]{_CONTENT}",
        r"\.content\[toolRequest\]\.id$",
        r"\.content\[toolResponse\]\.id$",
    ),
    "langchain": Paths(
        r"\.kwargs\[(human|ai)\]\.content(\[text\]\.text)?$",
        r"\.tool_calls(\[tool_call\])?\.id$",
        r"\.kwargs\[tool\]\.tool_call_id$",
    ),
    "openhands": Paths(
        r"\.llm_message\[(user|assistant)\]\.content\[text\]\.text$|\.thought\[text\]\.text$"
        r"|^\[(user|agent)\]\.args\.(content|thought)$",
        r"^\[ActionEvent\]\S*\.tool_call_id$",
        r"^\[ObservationEvent\]\S*\.tool_call_id$",
    ),
    "pi_agent": Paths(
        rf"^\[message\]\.message\[(user|assistant)\]{_CONTENT}",
        r"^\[message\]\.message\[assistant\]\.content\[toolCall\]\.id$",
        r"^\[message\]\.message\[toolResult\]\.toolCallId$",
    ),
    "sharegpt": Paths(r"\.conversations\[(human|gpt)\]\.value$"),
}


@dataclass(slots=True, kw_only=True)
class Figures:
    """Figures of the files of one format; ``rows`` by who wrote them. ``calls``, ``results``,
    ``open`` (calls without a result) and ``orphans`` (results without a call) are those that the
    reader gives; ``plain`` has the same four by paths."""

    files: int = 0
    words: int = 0
    lost: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    plain: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Figures) -> Figures:
        self.files += other.files
        self.words += other.words
        self.lost += other.lost
        self.rows += other.rows
        self.pairs += other.pairs
        self.plain += other.plain
        return self


def leaves(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts and numbers in a value with their paths, in which objects are told by their
    kind."""
    if isinstance(value, dict):
        kinds = (value.get(name) for name in _NAMES)
        named = [
            f"[{kind}]"
            for kind in kinds
            if isinstance(kind, str) and len(kind) < _MAX_NAME
        ]
        own = path + "".join(named)
        for name, item in value.items():
            yield from leaves(item, f"{own}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path)
    elif isinstance(value, str | int | float):
        yield path, str(value)


def _pairs(calls: Counter[str], results: Counter[str]) -> Counter[str]:
    """Return how many there are and how many have no partner; an id may recur in a later
    conversation of the file."""
    counted = (calls, results, calls - results, results - calls)
    figures = (one.total() for one in counted)
    return Counter(dict(zip(_PAIR_COLUMNS, figures, strict=True)))


def plain_count(path: Path, paths: Paths) -> tuple[list[str], Counter[str]]:
    """Return the texts that stand at the paths, and the pairs of calls and results."""
    said, calls, results = map(re.compile, (paths.said, paths.calls, paths.results))
    texts: list[str] = []
    call_ids, result_ids = Counter[str](), Counter[str]()
    for _, record in raw_records(path):
        for place, value in leaves(record):
            if said.search(place):
                texts.append(value)
            elif calls.search(place):
                call_ids[value] += 1
            elif results.search(place):
                result_ids[value] += 1
    return texts, _pairs(call_ids, result_ids)


def figures_of(path: Path) -> tuple[str, Figures] | None:
    """Return format and figures of a file, None for one that is refused."""
    with TemporaryDirectory() as folder:
        own = shortened(path, Path(folder))
        try:
            found = list(conversations(own))
        except InputError:
            return None
        return found[0].format, _figures(own, found)


def _figures(path: Path, found: Sequence[Conversation]) -> Figures:
    figures, seen = Figures(files=1), set[object]()
    call_ids, result_ids, read = Counter[str](), Counter[str](), set[int]()
    for one in found:
        for message in one.messages:
            place = (one.number, message.sources[:1])
            if place not in seen:
                figures.rows[writer_name(message)] += 1
                call_ids.update(call.id for call in tool_calls(message))
                result_ids.update(
                    response.call_id for response in tool_responses(message)
                )
            seen.add(place)
        for text in said_texts((one.messages, one.system, one.recorded)):
            read.update(shingles(text)[1])
    figures.pairs = _pairs(call_ids, result_ids)
    paths = PATHS.get(found[0].format)
    texts, figures.plain = plain_count(path, paths) if paths else ([], Counter())
    for text in texts:
        words, threes = shingles(text)
        figures.words += len(words)
        figures.lost += (
            uncovered(words, [three in read for three in threes]) if threes else 0
        )
    return figures


def study(folder: Path) -> dict[str, Figures]:
    """Return the figures of all transcripts in a folder, by format."""
    total: dict[str, Figures] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or BROKEN in path.parts or path.parent == folder:
            continue
        name, figures = figures_of(path) or ("refused", Figures(files=1))
        total.setdefault(name, Figures())
        total[name] += figures
        print(f"{path.name}: {name}", file=sys.stderr)
    return dict(sorted(total.items()))


def cells(one: Figures) -> dict[str, int]:
    """Return the cells of a row; those behind a slash in the table are by paths."""
    rows = {name: one.rows[name] for name in _COLUMNS[3:]}
    pairs = {name: one.pairs[name] for name in _PAIR_COLUMNS}
    plain = {f"plain {name}": one.plain[name] for name in _PAIR_COLUMNS}
    return {
        "files": one.files,
        "words": one.words,
        "lost": one.lost,
        **rows,
        **pairs,
        **plain,
    }


def table(
    total: Mapping[str, Mapping[str, int]], before: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Return the rows of a table in Markdown; a cell that changed has both figures."""
    heads = (*_COLUMNS, *_PAIR_COLUMNS)
    lines = [f"| format | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    nothing = Counter[str]()
    for name in sorted({*total, *before}):
        row = total.get(name, nothing)
        old = before.get(name, nothing if before else row)
        shown = [_cell(head, row, old) for head in heads]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return lines


def _cell(head: str, row: Mapping[str, int], old: Mapping[str, int]) -> str:
    plain = f" / {row[f'plain {head}']:,}" if head in _PAIR_COLUMNS else ""
    change = f"{old[head]:,} → " if old[head] != row[head] else ""
    return f"{change}{row[head]:,}{plain}"


def _option(arguments: Sequence[str], name: str) -> Path | None:
    return Path(arguments[arguments.index(name) + 1]) if name in arguments else None


def main(arguments: Sequence[str]) -> None:
    saved, against = _option(arguments, "--save"), _option(arguments, "--against")
    taken = {str(saved), str(against)}
    names = [one for one in arguments if not one.startswith("-") and one not in taken]
    found = study(Path(names[0]) if names else CORPUS)
    total = {name: cells(one) for name, one in found.items()}
    before = json.loads(against.read_text()) if against else {}
    print("\n".join(table(total, before)))
    if saved:
        saved.write_text(json.dumps(total, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
