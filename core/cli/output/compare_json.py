"""The keys of ``foldline compare --json``: one shape for a file and for a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from core.analysis.compare.flat_rows import FolderCompareRow, flat_row, means_by_name, to_json
from core.analysis.compare.model import LostFact, PairwiseLosses, RecordedComparison
from core.cli.output.notes import CompareOutput, FolderCompareOutput
from core.common.json_value import Json
from core.presentation.opened_file import warning_texts


def file_values(output: CompareOutput) -> dict[str, Json]:
    conversation, source = output.opened.conversation, output.source
    name, mark = conversation.document.name, source.count_method.mark
    rows = [flat_row(name, row, mark) for row in output.rows]
    return {
        "file": name,
        "folder": None,
        "engine": None,
        "format": output.opened.reader.name,
        "conversation": conversation.number,
        "scope": source.history.scope,
        "model": source.window.model or None,
        "limit": {"tokens": source.window.limit, "source": source.window.source},
        "provider": output.provider,
        "method": {"mark": mark, "label": source.count_method.label},
        "summaries": output.summaries,
        "price_as": output.pricing.model if output.pricing.is_known else None,
        "before": {"messages": len(source.messages), "tokens": source.before_tokens},
        "files": {"compared": 1, "resumed": 0, "unread": []},
        "rows": map(row_value, rows),
        "means": mean_values(rows),
        "against_recorded": [_recorded(comparison) for comparison in output.recorded],
        "against": against_value(output.against),
        "warnings": list(warning_texts(conversation)),
    }


def folder_values(output: FolderCompareOutput) -> dict[str, Json]:
    """Return the keys for a folder; those of a single file are null."""
    rows = [line for file in output.files for line in file.rows]
    failed_files = [{"file": file.name, "reason": file.problem} for file in output.files if file.problem]
    compared = len(output.files) - len(failed_files)
    return {
        "file": None,
        "folder": output.options.file,
        "engine": output.engine,
        "format": None,
        "conversation": 1,
        "scope": output.options.scope,
        "model": None,
        "limit": {"tokens": None, "source": None},
        "provider": None,
        "method": {"mark": None, "label": None},
        "summaries": output.summaries,
        "price_as": output.options.price_as or None,
        "before": {"messages": None, "tokens": None},
        "files": {"compared": compared, "resumed": output.resumed, "unread": failed_files},
        "rows": map(row_value, rows),
        "means": mean_values(rows),
        "against_recorded": [],
        "against": None,
        "warnings": list(output.problems),
    }


def row_value(line: FolderCompareRow) -> dict[str, Json]:
    value = to_json(line)
    facts, recall = value.pop("facts"), value.pop("recall")
    kinds = {kind: {"facts": count, "recall": recall[kind]} for kind, count in facts.items()}
    return {**value, "by_category": kinds}


def mean_values(lines: Iterable[FolderCompareRow]) -> list[Json]:
    return [asdict(means) for means in means_by_name(lines)]


def against_value(losses: PairwiseLosses | None) -> Json:
    """Return the facts that each of two rows lost; null where no two were chosen."""
    if losses is None:
        return None
    return {
        "a": losses.a,
        "b": losses.b,
        "lost_in_a": list(_facts(losses.lost_in_a)),
        "lost_in_b": list(_facts(losses.lost_in_b)),
    }


def _facts(lost: Sequence[LostFact]) -> Iterator[Json]:
    for lost_fact in lost:
        fact = lost_fact.fact
        yield {
            "category": fact.kind.value,
            "text": fact.text,
            "messages": list(fact.messages),
            "in_the_other": lost_fact.status.value,
        }


def _recorded(comparison: RecordedComparison) -> Json:
    both, agent, preset = comparison.messages
    return {
        "number": comparison.number,
        "preset": comparison.preset,
        "tokens": {"agent": comparison.tokens[0], "preset": comparison.tokens[1]},
        "summary_tokens": {"agent": comparison.summary_tokens[0], "preset": comparison.summary_tokens[1]},
        "fidelity": {"agent": comparison.fidelity[0], "preset": comparison.fidelity[1]},
        "kept": {"both": list(both), "agent_alone": list(agent), "preset_alone": list(preset)},
        "sentences": list(comparison.sentences),
    }
