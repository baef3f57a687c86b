"""What a search has evaluated, in the cache folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from core.trials.kept_answers import ProgressFile, file_state
from core.trials.sessions import TrialSession
from core.trials.trial import Trial
from core.trials.tune.model import Evaluation
from core.trials.tune.tune import Results

_VERSION = 2


class TuneProgressFile(ProgressFile):
    """One line per session and stage; a session that changed since is evaluated again. It holds
    names of files and figures, no text of a session."""

    def __init__(self, folder: Path, file: TrialSession) -> None:
        super().__init__("tune", folder, file, _VERSION)

    def known(self, files: Sequence[TrialSession]) -> Results:
        """Return the evaluations of sessions that are as they were; incomplete lines are
        skipped."""
        names = {
            state: file.name
            for file in files
            if (state := file_state(file)) is not None
        }
        found: Results = {}
        for state, record in self.records():
            with suppress(ValueError, TypeError, KeyError):
                for entry in record["evaluations"] if state in names else ():
                    vector = tuple((key, value) for key, value in entry["vector"])
                    candidate = Trial(entry["strategy"], vector)
                    found[names[state], candidate] = Evaluation(**entry["found"])
        return found

    def add_evaluations(
        self, file: TrialSession, evaluations: Mapping[Trial, Evaluation]
    ) -> None:
        """Append what a session gave; what stands of its musts is looked for again, because their
        files change. A write error only costs the resuming."""
        entries = [
            {
                "strategy": one.strategy,
                "vector": one.settings,
                "found": asdict(_without_musts(evaluation)),
            }
            for one, evaluation in evaluations.items()
        ]
        self.add(file, {"evaluations": entries})


def _without_musts(evaluation: Evaluation) -> Evaluation:
    """A session that has no musts counts as judged."""
    is_judged = evaluation.is_judged and not evaluation.musts
    return replace(evaluation, musts=0, musts_kept=0, is_judged=is_judged)
