"""Every strategy on six real transcripts: ``python -m tests.corpus_strategies`` writes the table.

The transcripts are not part of the project; where they are missing, the table stays as it is.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from core.common.errors import FoldlineError
from core.configuration.layers import SettingLayers
from core.export.export import find_exporter
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportOptions
from core.lint.lint import lint_messages
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.settings.keys import LIMIT, STRATEGY
from core.strategies.base import TriggerMode
from core.strategies.registry import COMPRESSION_STRATEGIES, STRATEGIES
from core.transcript.compaction import NoOpCode
from core.transcript.model import Conversation
from tests.corpus_census import CORPUS
from tests.docs_tables import markdown
from tests.source_tree import ROOT

PAGE = ROOT / "resources" / "help" / "six-transcripts.md"
MARKS = re.compile(r"(<!-- six -->\n).*?(\n?<!-- /six -->)", re.DOTALL)
SIX = (
    "claude_code/36_entire-cli.jsonl",
    "codex_rollout/05_agentv.jsonl",
    "openai_chat/12_nilenso-completions.json",
    "pi_agent/02_pi-large-session.jsonl",
    "swe_agent/08_swesmith-pr_8316.traj",
    "anthropic_messages/08_roo-natural-mini-uncondensed.json",
)
WORDS = {
    NoOpCode.TOO_FEW: "too few messages",
    NoOpCode.UNDER_TARGET: "under its target",
    NoOpCode.TAIL_COVERS_ALL: "all of it is kept",
    NoOpCode.NOTHING_TO_PRUNE: "nothing to clear",
    NoOpCode.NO_VALID_BOUNDARY: "no place to cut",
    NoOpCode.NOT_SMALLER: "not smaller",
    NoOpCode.SUMMARY_FAILED: "no summary",
}
"""Why nothing was done, in short."""

BASELINE = next(one.name for one in STRATEGIES if one.trigger.mode is TriggerMode.NEVER)
APIS = (("anthropic_messages", "anthropic"), ("openai_chat", "openai"))
"""Formats that a result is written in to see whether their APIs would take it, and how lint calls those."""

_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The preview of a strategy, or why there is none; and the errors by which APIs would refuse the
    result, but not its source."""

    preview: Preview | None
    failure: str = ""
    faults: tuple[str, ...] = ()

    @property
    def cell(self) -> str:
        """What the table says of it."""
        if self.preview is None:
            return "summary request too large"
        no_op = self.preview.compaction.no_op
        if self.preview.strategy.name == BASELINE:
            return "unchanged"
        if no_op is not None:
            return f"– {WORDS[no_op.code]}"
        size = f"{self.preview.after_tokens:,} / {len(self.preview.compaction.messages):,}"
        return f"{size}, not valid" if self.faults else size


def paths() -> list[Path]:
    """Return the six transcripts; none where one is missing."""
    found = [CORPUS / name for name in SIX]
    return found if all(path.is_file() for path in found) else []


def _nameless(path: Path) -> Conversation:
    """Return a transcript without its path, which summaries would name."""
    read = load_conversation(path)
    return replace(read, document=replace(read.document, path=None, data=path.read_bytes()))


def run_all(path: Path) -> Iterator[tuple[str, RunOutcome]]:
    """Run every strategy and preset as if the transcript just filled the window of its model. The first is
    the baseline, which changes nothing."""
    conversation, stages = _nameless(path), StageCache()
    whole = compute_preview(
        conversation, SettingLayers().with_session(STRATEGY, BASELINE).resolve(), PreviewOptions(), stages
    )
    limit = -(-max(whole.before_tokens, whole.request_tokens) // _THOUSAND) * _THOUSAND
    known = _errors(whole)
    for name in (BASELINE, *(one for one in COMPRESSION_STRATEGIES if one != BASELINE)):
        layers = SettingLayers().with_session(LIMIT, limit).with_session(STRATEGY, name)
        try:
            made = compute_preview(conversation, layers.resolve(), PreviewOptions(), stages)
        except FoldlineError as error:
            yield name, RunOutcome(None, error.message)
        else:
            new = _errors(made) - known if made.compaction.no_op is None else Counter[str]()
            yield name, RunOutcome(made, faults=tuple(sorted(new)))


def _errors(made: Preview) -> Counter[str]:
    """Return the errors of a result by rule, as each API would find them."""
    found: Counter[str] = Counter()
    given = export_input(made, result=True)
    with tempfile.TemporaryDirectory() as folder:
        for format, provider in APIS:
            path = Path(folder, f"{format}.json")
            path.write_bytes(find_exporter(format).write(given, ExportOptions()).data)
            findings = lint_messages(load_conversation(path, format=format).messages, provider)
            found.update(one.rule for one in findings if one.severity == "error")
    return found


@cache
def columns() -> dict[Path, dict[str, RunOutcome]]:
    """Return the results of every strategy for each transcript."""
    return {path: dict(run_all(path)) for path in paths()}


def table() -> str:
    head = ("strategy", *(f"`{path.parent.name}` {path.name.split('_')[0]}" for path in columns()))
    found = columns().values()
    before = ("before", *map(_before, found))
    rows = [(f"`{name}`", *(one[name].cell for one in found)) for name in COMPRESSION_STRATEGIES]
    return markdown(head, [before, *rows])


def _before(found: dict[str, RunOutcome]) -> str:
    made = found[BASELINE].preview
    assert made is not None
    return f"{made.before_tokens:,} / {len(made.messages):,}"


def page_with_table(text: str) -> str:
    """Return the page with the present table; unchanged where the transcripts are missing."""
    if not paths():
        return text
    made = table()
    return MARKS.sub(lambda match: f"{match[1]}{made}\n{match[2].lstrip()}", text)


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), "utf-8")
