"""One verdict for what an export writes: in previews, beside "Wrote", and of the file opened
again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.lint.common_rules import ERROR
from core.lint.lint import lint_messages, lint_verdict
from core.lint.written import written_verdict
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.strategies.registry import STRATEGIES
from core.transcript.model import Conversation
from tests.core.cli.running_cli import Cli
from tests.core.strategies.strategy_running import values

SAMPLES = sorted(Path("resources/samples").glob("*.json*"))
TARGETS = {
    "anthropic": "anthropic_messages",
    "openai": "openai_chat",
    "responses": "openai_responses",
    "gemini": "gemini",
}
OWN = [one.name for one in STRATEGIES if one.emulates is None]


@cache
def _sample(path: Path) -> Conversation:
    return load_conversation(path)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("strategy", OWN)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_verdict_is_that_of_the_file_and_own_strategies_break_nothing(
    path: Path, strategy: str, target: str, tmp_path: Path
) -> None:
    source = _sample(path)
    effective = values(compression__strategy=strategy, context_limit=60_000)
    made = compute_preview(source, effective, PreviewOptions(target_format=TARGETS[target]))
    written = export_history(export_input(made, result=True), target)
    out = tmp_path / "out.json"
    out.write_bytes(written.data)
    found = lint_messages(load_conversation(out).messages, target)
    assert written_verdict(written.source, written.exporter.name) == lint_verdict(found, target)
    (lint,) = [one for one in made.checks.lint if one.provider == target]
    assert not [one for one in lint.after if one.severity == ERROR and one not in lint.before]
    assert not any("answer as the first message" in warning for warning in written.warnings)


def test_an_invalid_file_is_not_written_without_a_word(cli: Cli, tmp_path: Path) -> None:
    orphan = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
    source = tmp_path / "orphan.json"
    source.write_text(f'[{{"role": "user", "content": [{str(orphan).replace(chr(39), chr(34))}]}}]')
    for command in (("convert", "--to", "anthropic"), ("compact", "-s", "none")):
        cli.run(command[0], str(source), *command[1:], "-o", str(tmp_path / f"{command[0]}.json"))
        assert "1 error for Anthropic." in cli.err
