"""The desk's part of asking a model what it still knows: price first, then question by question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.analysis.compare.paid_compare import TotalCallCost, total_cost
from core.analysis.probes.client import context_of
from core.analysis.probes.cost import probe_costs, usual_cost
from core.analysis.probes.model import ProbeAnswer
from core.analysis.probes.runner import ProbePlan, ProbeRound, plan_of, probe_answers
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
    """The answers of one run, kept in memory until there are others: they hold text of the transcript."""

    compaction: Compaction
    profile: Profile
    baseline: bool
    given: tuple[ProbeAnswer, ...]
    was_cancelled: bool


class ProbeCommandHandler:
    """Asks the active profile's model about the result that is seen."""

    def __init__(self, emit: Callable[[Event], None], is_cancelled: Callable[[], bool]) -> None:
        self._emit = emit
        self._is_cancelled = is_cancelled
        self._known: _KnownAnswers | None = None

    def offer(self, made: Preview, profile: Profile) -> None:
        """Say what asking would cost at most."""
        price = None if probe_obstacle(made, profile) else _rough(made, profile)
        self._emit(probe_offer(made, profile, price))

    def handle(
        self,
        command: LoadProbesCommand | RunProbesCommand,
        file: OpenFile,
        made: Preview,
        profile: Profile,
        progress: Progress,
    ) -> None:
        """Show the questions, or ask them. Raises InputError where they cannot be asked."""
        found = self._planned(file, made, profile, command.baseline, progress)
        if isinstance(command, LoadProbesCommand):
            self._emit(probe_page(self._with_known(found)))
            return
        if reason := probe_obstacle(made, profile):
            raise InputError(reason)
        self._run(found)

    def _planned(
        self, file: OpenFile, made: Preview, profile: Profile, baseline: bool, progress: Progress
    ) -> ProbeProgress:
        facts = file.facts(made, progress)
        plan = plan_of(made, facts, ProbePlan(baseline=baseline), profile, profile)
        can_go = not probe_obstacle(made, profile)
        price = total_cost(probe_costs(plan, profile, profile)) if can_go else TotalCallCost()
        return ProbeProgress(made, plan, profile, price, _secrets(plan) if can_go else 0, baseline=baseline)

    def _with_known(self, found: ProbeProgress) -> ProbeProgress:
        known = self._known
        if known is None or (known.profile, known.baseline) != (found.profile, found.baseline):
            return found
        if known.compaction is not found.made.compaction:
            return found
        return replace(found, given=known.given, was_cancelled=known.was_cancelled)

    def _run(self, found: ProbeProgress) -> None:
        profile = found.profile
        caller = LLMClient(
            profile,
            find_key(profile),
            retries=configured_retries(found.made),
            watch=_unwatched,
            cancelled=self._is_cancelled,
        )
        given: list[ProbeAnswer] = []
        was_cancelled = False
        self._emit(probe_page(replace(found, is_over=False)))
        try:
            for one in probe_answers(found.plan, caller, caller):
                given.append(one)
                self._emit(probe_page(replace(found, given=tuple(given), is_over=False)))
        except Cancelled:
            was_cancelled = True
        self._known = _KnownAnswers(
            found.made.compaction, profile, found.baseline, tuple(given), was_cancelled
        )
        self._emit(probe_page(self._with_known(found)))


def _rough(made: Preview, profile: Profile) -> TotalCallCost:
    """The most that all questions can come to; they themselves are not made for it."""
    context = context_of(made.compaction.messages, made.conversation.system.texts, counter_for(profile.model))
    return total_cost([usual_cost(context, profile)])


def _secrets(plan: ProbeRound) -> int:
    chat = (plan.whole or plan.compacted).chat
    return sum(len(find_secrets(one["content"])) for one in chat)


def _unwatched(event: ModelEvent) -> None:
    """Nothing is told of single calls: the answer says how each ended."""
