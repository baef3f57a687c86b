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
from core.trials.session_work import Results
from core.trials.sessions import SessionAnswer, SessionFile
from core.trials.trial import TrialResult

_VERSION = 5


class FolderProgressFile(ProgressFile):
    """One line per finished transcript; one that changed since is compared again. Keys in names and
    problems are redacted."""

    def __init__(self, folder: Path, file: SessionFile, names: tuple[str, ...]) -> None:
        """``file`` may be any file of the folder: all have the same settings."""
        profile, mode = file.profile, Mode(file.values.text(MODE))
        prompts = [sorted(strategy_prompts(one, profile, mode).items()) for one in STRATEGIES]
        summary_profile = (
            profile.name,
            profile.provider,
            profile.model,
            profile.base_url,
            repr(profile.parameters),
        )
        settings = (summary_profile, names, prompts, file.price_as, _VERSION)
        super().__init__("compare", folder, file, *settings)

    def finished_results(self, files: Sequence[SessionFile]) -> dict[int, SessionAnswer[Results]]:
        """Return the known results by the index of their file. Incomplete lines are skipped."""
        finished: dict[FileState, SessionAnswer[Results]] = {}
        for state, record in self.records():
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                rows = tuple(typed_value(TrialResult, row) for row in record["lines"])
                finished[state] = SessionAnswer(
                    name=state[0],
                    found=rows or None,
                    problem=record["problem"],
                    about=record["about"],
                )
        states = {index: file_state(file) for index, file in enumerate(files)}
        return {
            index: _with_file_name(finished[state], files[index].name)
            for index, state in states.items()
            if state is not None and state in finished
        }

    def add_result(self, file: SessionFile, result: SessionAnswer[Results]) -> None:
        """Append a finished transcript. A write error only costs the resuming."""
        content = {
            "problem": redact_except_mail(result.problem),
            "about": dict(result.about),
            "lines": [_row_json(row) for row in result.found or ()],
        }
        self.add(file, content)


def _row_json(row: TrialResult) -> Json:
    """Return a row of a folder, which has no ``statuses``, without its file."""
    content = asdict(replace(row, file=""))
    del content["kept"]["statuses"]
    return content


def _with_file_name(result: SessionAnswer[Results], name: str) -> SessionAnswer[Results]:
    rows = None if result.found is None else tuple(replace(row, file=name) for row in result.found)
    return replace(result, name=name, found=rows)
