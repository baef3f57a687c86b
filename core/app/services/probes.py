"""Asks a model what it still knows after a compaction: price first, then question by question."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.analysis.probes.model import ProbeAnswer
from core.app.rpc import Service, remote
from core.common.errors import InputError
from core.presentation.inspector_model import ProbeOffer, ProbePage
from core.settings.profile import Profile
from core.transcript.compaction import Compaction

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate
    from core.app.session import Session
    from core.presentation.probe_page import ProbeProgress
    from core.preview.options import Preview


@dataclass(frozen=True, slots=True)
class _KnownAnswers:
    """The answers of the last run, in memory only: they hold text of the transcript."""

    compaction: Compaction
    profile: Profile
    baseline: bool
    answers: tuple[ProbeAnswer, ...]
    was_cancelled: bool


class ProbeService(Service):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._known: _KnownAnswers | None = None

    @remote(latest=True, of_file=True)
    def offer(self) -> ProbeOffer:
        """Return the price of asking, at most."""
        from core.presentation.probe_page import probe_obstacle, probe_offer

        preview, profile = self._session.shown_preview(), self._session.active_profile
        price = None if probe_obstacle(preview, profile) else _highest_cost(preview, profile)
        return probe_offer(preview, profile, price)

    @remote(latest=True, of_file=True)
    def questions(self, baseline: bool) -> ProbePage:
        """Return the questions about what the shown result lost, without calling a model.

        ``baseline``: they are asked over the uncompacted history, too.
        """
        from core.presentation.probe_page import probe_page

        return probe_page(self._with_known(self._planned(baseline)))

    @remote(latest=True, of_file=True)
    def run(self, baseline: bool) -> Generator[ProbePage, None, None]:
        """Ask the active profile's model those questions; yield a page after each answer."""
        from core.analysis.probes.runner import probe_answers
        from core.app.model_progress import configured_retries
        from core.llm.client import LLMClient
        from core.llm.credentials import find_key
        from core.presentation.probe_page import probe_obstacle, probe_page

        found = self._planned(baseline)
        if reason := probe_obstacle(found.preview, found.profile):
            raise InputError(reason)
        client = LLMClient(
            found.profile,
            find_key(found.profile),
            retries=configured_retries(found.preview),
            observer=lambda _: None,
            cancelled=self._session.is_cancelled,
        )
        answers: tuple[ProbeAnswer, ...] = ()
        is_over = False
        yield probe_page(replace(found, is_over=False))
        try:
            for answer in probe_answers(found.plan, client, client):
                answers = (*answers, answer)
                yield probe_page(replace(found, answers=answers, is_over=False))
            is_over = True
        finally:  # what was paid for is shown after a cancel
            compaction = found.preview.compaction
            self._known = _KnownAnswers(compaction, found.profile, baseline, answers, not is_over)
        yield probe_page(self._with_known(found))

    def _planned(self, baseline: bool) -> ProbeProgress:
        from core.analysis.cost.run_cost import RunCostEstimate, total_cost
        from core.analysis.probes.runner import ProbePlan, plan_round, probe_costs
        from core.common.redaction.redact import find_secrets
        from core.presentation.probe_page import ProbeProgress, probe_obstacle

        preview, profile = self._session.shown_preview(), self._session.active_profile
        progress = self._session.yielding_progress()
        facts = self._session.opened_file().facts(preview, progress)
        plan = plan_round(preview, facts, ProbePlan(baseline=baseline), profile, profile)
        if probe_obstacle(preview, profile):
            return ProbeProgress(preview, plan, profile, RunCostEstimate(), 0, baseline=baseline)
        price = total_cost(probe_costs(plan, profile, profile))
        chat = (plan.uncompacted or plan.compacted).chat
        secrets = sum(len(find_secrets(answer["content"])) for answer in chat)
        return ProbeProgress(preview, plan, profile, price, secrets, baseline=baseline)

    def _with_known(self, found: ProbeProgress) -> ProbeProgress:
        known = self._known
        if known is None or (known.profile, known.baseline) != (found.profile, found.baseline):
            return found
        if known.compaction is not found.preview.compaction:
            return found
        return replace(found, answers=known.answers, was_cancelled=known.was_cancelled)


def _highest_cost(preview: Preview, profile: Profile) -> RunCostEstimate:
    """Return the most that all questions can cost, without making them."""
    from core.analysis.cost.run_cost import total_cost
    from core.analysis.probes.runner import default_cost, history_context
    from core.tokens.counter import counter_for

    messages, system = preview.compaction.messages, preview.conversation.system.texts
    return total_cost([default_cost(history_context(messages, system, counter_for(profile.model)), profile)])
