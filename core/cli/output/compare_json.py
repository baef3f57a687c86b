"""The keys of ``foldline compare --json``: one shape for a file and for a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from core.analysis.compare.flat_rows import FolderCompareRow, line_of, means_by_name, to_json
from core.analysis.compare.model import LostFact, PairwiseLosses, RecordedComparison
from core.cli.output.notes import CompareOutput, FolderCompareOutput
from core.common.json_value import Json
from core.presentation.opened_file import warning_texts


def file_values(made: CompareOutput) -> dict[str, Json]:
    """The keys for one file."""
    conversation, source = made.opened.conversation, made.source
    name, mark = conversation.document.name, source.method.mark
    rows = [line_of(name, row, mark) for row in made.rows]
    return {
        "file": name,
        "folder": None,
        "engine": None,
        "format": made.opened.reader.name,
        "conversation": conversation.number,
        "scope": source.history.scope,
        "model": source.window.model or None,
        "limit": {"tokens": source.window.limit, "source": source.window.source},
        "provider": made.provider,
        "method": {"mark": mark, "label": source.method.label},
        "summaries": made.summaries,
        "price_as": made.price.model if made.price.is_known else None,
        "before": {"messages": len(source.messages), "tokens": source.before_tokens},
        "files": {"compared": 1, "resumed": 0, "unread": []},
        "rows": map(row_value, rows),
        "means": mean_values(rows),
        "against_recorded": [_recorded(one) for one in made.recorded],
        "against": against_value(made.against),
        "warnings": list(warning_texts(conversation)),
    }


def folder_values(made: FolderCompareOutput) -> dict[str, Json]:
    """The keys for a folder; what speaks of one file alone is null."""
    rows = [line for one in made.files for line in one.lines]
    unread = [{"file": one.name, "reason": one.problem} for one in made.files if one.problem]
    compared = len(made.files) - len(unread)
    return {
        "file": None,
        "folder": made.options.file,
        "engine": made.engine,
        "format": None,
        "conversation": 1,
        "scope": made.options.scope,
        "model": None,
        "limit": {"tokens": None, "source": None},
        "provider": None,
        "method": {"mark": None, "label": None},
        "summaries": made.summaries,
        "price_as": made.options.price_as or None,
        "before": {"messages": None, "tokens": None},
        "files": {"compared": compared, "resumed": made.resumed, "unread": unread},
        "rows": map(row_value, rows),
        "means": mean_values(rows),
        "against_recorded": [],
        "against": None,
        "warnings": list(made.problems),
    }


def row_value(line: FolderCompareRow) -> dict[str, Json]:
    """One row: facts and recall by category as one object."""
    value = to_json(line)
    facts, recall = value.pop("facts"), value.pop("recall")
    kinds = {kind: {"facts": count, "recall": recall[kind]} for kind, count in facts.items()}
    return {**value, "by_category": kinds}


def mean_values(lines: Iterable[FolderCompareRow]) -> list[Json]:
    """The means by name."""
    return [asdict(one) for one in means_by_name(lines)]


def against_value(found: PairwiseLosses | None) -> Json:
    """Two rows by their facts; null where no two were chosen."""
    if found is None:
        return None
    return {
        "a": found.a,
        "b": found.b,
        "lost_in_a": list(_facts(found.lost_in_a)),
        "lost_in_b": list(_facts(found.lost_in_b)),
    }


def _facts(lost: Sequence[LostFact]) -> Iterator[Json]:
    for one in lost:
        fact = one.fact
        yield {
            "category": fact.kind.value,
            "text": fact.text,
            "messages": list(fact.messages),
            "in_the_other": one.status.value,
        }


def _recorded(found: RecordedComparison) -> Json:
    both, agent, preset = found.messages
    return {
        "number": found.number,
        "preset": found.preset,
        "tokens": {"agent": found.tokens[0], "preset": found.tokens[1]},
        "summary_tokens": {"agent": found.summary_tokens[0], "preset": found.summary_tokens[1]},
        "fidelity": {"agent": found.fidelity[0], "preset": found.fidelity[1]},
        "kept": {"both": list(both), "agent_alone": list(agent), "preset_alone": list(preset)},
        "sentences": list(found.sentences),
    }
