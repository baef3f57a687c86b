"""``foldline inspect --json`` over real transcripts: ``python -m tests.corpus_census`` writes the table.

The transcripts are not part of the project; where they are missing, the table stays as it is.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from core.cli.main import run_command_line
from tests.docs_tables import markdown
from tests.source_tree import ROOT

CORPUS = ROOT.parent / "shared" / "corpus"
PAGE = ROOT / "resources" / "help" / "formats.md"
MARKS = re.compile(r"(<!-- census -->\n).*?(\n?<!-- /census -->)", re.DOTALL)
HEAD = (
    "file",
    "conversations",
    "messages",
    "calls",
    "results",
    "unpaired",
    "recorded",
    "tokens",
    "system",
)


def files(corpus: Path = CORPUS) -> list[Path]:
    """Return every whole transcript, by folder and name."""
    if not corpus.is_dir():
        return []
    folders = [folder for folder in sorted(corpus.iterdir()) if folder.is_dir() and folder.name != "broken"]
    return [path for folder in folders for path in sorted(folder.iterdir())]


def inspect_json(path: Path, *more: str) -> dict[str, Any]:
    """Return the JSON of ``foldline inspect`` for a file."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run_command_line(["inspect", str(path), "--json", *more])
    assert code == 0, path
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def rows() -> Iterator[tuple[str, ...]]:
    """Return one line per file; counts are those of its first conversation."""
    for path in files():
        value = inspect_json(path)
        tokens = value["tokens"]
        unpaired = value["unanswered_calls"] + value["orphan_responses"]
        numbers = (
            value["messages"],
            value["tool_calls"],
            value["tool_responses"],
            unpaired,
            len(value["recorded_compactions"]),
        )
        yield (
            f"`{value['format']}` {path.name.split('_', 1)[0]}",
            f"{_count(value['conversations']):,}",
            *(f"{number:,}" for number in numbers),
            f"{tokens['method']['mark']}{tokens['total']:,}",
            f"{tokens['system']:,}",
        )


def _count(conversations: Any) -> int:
    return len(conversations) if isinstance(conversations, list) else int(conversations)


def page_with_table(text: str) -> str:
    """Return the page with the present table."""
    table = markdown(HEAD, list(rows()))
    return MARKS.sub(lambda match: f"{match[1]}{table}\n{match[2].lstrip()}", text)


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), "utf-8")
