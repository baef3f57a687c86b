"""The compared transcripts of a folder, in the cache folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from core.common.json_value import Json
from core.common.redaction.redact import redact_except_mail
from core.common.typed_values import typed_value
from core.preview.strategy_input import strategy_prompts
from core.settings.keys import MODE
from core.settings.schema import Mode
from core.strategies.registry import STRATEGIES
from core.trials.kept_answers import FileState, ProgressFile, file_state
from core.trials.sessions import FileComparisonJob, FileComparisonResult
from core.trials.trial import TrialResult

_VERSION = 4


class FolderProgressFile(ProgressFile):
    """One line per finished transcript; one that changed since is compared again. Keys in names and
    problems are redacted."""

    def __init__(self, folder: Path, job: FileComparisonJob) -> None:
        """``job`` may be any job of the folder: all have the same settings."""
        profile, mode = job.profile, Mode(job.values.text(MODE))
        prompts = [sorted(strategy_prompts(one, profile, mode).items()) for one in STRATEGIES]
        summary_profile = (
            profile.name,
            profile.provider,
            profile.model,
            profile.base_url,
            repr(profile.parameters),
        )
        settings = (summary_profile, job.names, prompts, job.price_as, _VERSION)
        super().__init__("compare", folder, job, *settings)

    def finished_results(
        self, jobs: Sequence[FileComparisonJob]
    ) -> dict[int, FileComparisonResult]:
        """Return the known results by the index of their job. Incomplete lines are skipped."""
        finished: dict[FileState, FileComparisonResult] = {}
        for state, record in self.records():
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                rows = tuple(typed_value(TrialResult, row) for row in record["lines"])
                finished[state] = FileComparisonResult(
                    state[0], rows, record["problem"], record["about"]
                )
        states = {index: file_state(job) for index, job in enumerate(jobs)}
        return {
            index: _with_file_name(finished[state], jobs[index].name)
            for index, state in states.items()
            if state is not None and state in finished
        }

    def add_result(self, job: FileComparisonJob, result: FileComparisonResult) -> None:
        """Append a finished transcript. A write error only costs the resuming."""
        content = {
            "problem": redact_except_mail(result.problem),
            "about": dict(result.file_info),
            "lines": [_row_json(row) for row in result.rows],
        }
        self.add(job, content)


def _row_json(row: TrialResult) -> Json:
    """Return a row of a folder, which has no ``statuses``, without its file."""
    content = asdict(replace(row, file=""))
    del content["kept"]["statuses"]
    return content


def _with_file_name(result: FileComparisonResult, name: str) -> FileComparisonResult:
    return replace(result, name=name, rows=tuple(replace(row, file=name) for row in result.rows))
