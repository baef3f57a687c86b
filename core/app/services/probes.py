"""Asks a model what it still knows after a compaction: price first, then question by question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.analysis.compare.paid_compare import TotalCallCost, total_cost
from core.analysis.probes.client import history_context
from core.analysis.probes.cost import default_cost, probe_costs
from core.analysis.probes.model import ProbeAnswer
from core.analysis.probes.runner import ProbePlan, ProbeRound, plan_round, probe_answers
from core.app.document import OpenFile
from core.app.messages import Event, LoadProbesCommand, RunProbesCommand
from core.app.model_run import configured_retries
from core.common.errors import Cancelled, InputError
from core.common.redaction.redact import find_secrets
from core.llm.call_events import ModelEvent
from core.llm.client import LLMClient
from core.llm.credentials import find_key
from core.presentation.probes.page import ProbeProgress, probe_obstacle, probe_offer, probe_page
from core.preview.options import Preview
from core.settings.profile import Profile
from core.tokens.counter import counter_for
from core.transcript.compaction import Compaction
from core.transcript.model import Progress


@dataclass(frozen=True, slots=True)
class _KnownAnswers:
    """The answers of the last run, in memory only: they hold text of the transcript."""

    compaction: Compaction
    profile: Profile
    baseline: bool
    answers: tuple[ProbeAnswer, ...]
    was_cancelled: bool


class ProbeCommandHandler:
    def __init__(self, emit: Callable[[Event], None], is_cancelled: Callable[[], bool]) -> None:
        self._emit = emit
        self._is_cancelled = is_cancelled
        self._known: _KnownAnswers | None = None

    def offer(self, preview: Preview, profile: Profile) -> None:
        """Send the price of asking, at most."""
        price = None if probe_obstacle(preview, profile) else _highest_cost(preview, profile)
        self._emit(probe_offer(preview, profile, price))

    def handle(
        self,
        command: LoadProbesCommand | RunProbesCommand,
        file: OpenFile,
        preview: Preview,
        profile: Profile,
        progress: Progress,
    ) -> None:
        """Show the questions, or ask them. Raises InputError where they cannot be asked."""
        found = self._planned(file, preview, profile, command.baseline, progress)
        if isinstance(command, LoadProbesCommand):
            self._emit(probe_page(self._with_known(found)))
            return
        if reason := probe_obstacle(preview, profile):
            raise InputError(reason)
        self._run(found)

    def _planned(
        self, file: OpenFile, preview: Preview, profile: Profile, baseline: bool, progress: Progress
    ) -> ProbeProgress:
        facts = file.facts(preview, progress)
        plan = plan_round(preview, facts, ProbePlan(baseline=baseline), profile, profile)
        can_go = not probe_obstacle(preview, profile)
        price = total_cost(probe_costs(plan, profile, profile)) if can_go else TotalCallCost()
        return ProbeProgress(
            preview, plan, profile, price, _secrets(plan) if can_go else 0, baseline=baseline
        )

    def _with_known(self, found: ProbeProgress) -> ProbeProgress:
        known = self._known
        if known is None or (known.profile, known.baseline) != (found.profile, found.baseline):
            return found
        if known.compaction is not found.preview.compaction:
            return found
        return replace(found, answers=known.answers, was_cancelled=known.was_cancelled)

    def _run(self, found: ProbeProgress) -> None:
        profile = found.profile
        caller = LLMClient(
            profile,
            find_key(profile),
            retries=configured_retries(found.preview),
            observer=_unwatched,
            cancelled=self._is_cancelled,
        )
        answers: list[ProbeAnswer] = []
        was_cancelled = False
        self._emit(probe_page(replace(found, is_over=False)))
        try:
            for answer in probe_answers(found.plan, caller, caller):
                answers.append(answer)
                self._emit(probe_page(replace(found, answers=tuple(answers), is_over=False)))
        except Cancelled:
            was_cancelled = True
        self._known = _KnownAnswers(
            found.preview.compaction, profile, found.baseline, tuple(answers), was_cancelled
        )
        self._emit(probe_page(self._with_known(found)))


def _highest_cost(preview: Preview, profile: Profile) -> TotalCallCost:
    """Return the most that all questions can cost, without making them."""
    context = history_context(
        preview.compaction.messages, preview.conversation.system.texts, counter_for(profile.model)
    )
    return total_cost([default_cost(context, profile)])


def _secrets(plan: ProbeRound) -> int:
    chat = (plan.uncompacted or plan.compacted).chat
    return sum(len(find_secrets(answer["content"])) for answer in chat)


def _unwatched(event: ModelEvent) -> None:
    """Report no single calls: the answer says how each ended."""
