"""Asks a model what it still knows after a compaction: price first, then question by question."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from core.app.presenters import Presenter
from core.app.rpc import remote
from core.app.services.analysis import AnalysisWorkspace
from core.common.errors import InputError

if TYPE_CHECKING:
    from core.analysis.quiz.runner import QuizPlan, QuizProgress
    from core.llm.client import CallObserver, LLMClient
    from core.preview.options import Preview
    from core.settings.profile import Profile


class QuizWorkspace(AnalysisWorkspace, Protocol):
    """An open conversation with a preview, and the profile that answers."""

    @property
    def active_profile(self) -> Profile: ...

    def shown_preview(self) -> Preview: ...

    def is_cancelled(self) -> bool: ...


def model_client(
    profile: Profile,
    retries: int,
    cancelled: Callable[[], bool],
    observer: CallObserver | None = None,
) -> LLMClient:
    """Return what calls a profile's model; ``observer`` hears of each call. Raises InputError where
    a key is missing."""
    from core.llm.client import LLMClient
    from core.llm.credentials import find_key

    observer = observer or (lambda _: None)
    return LLMClient(
        profile, find_key(profile), retries=retries, observer=observer, cancelled=cancelled
    )


class QuizService:
    """``_known`` are the answers of the last run, in memory only: they hold text of the
    transcript."""

    def __init__(self, workspace: QuizWorkspace) -> None:
        self._workspace = workspace
        self._known: QuizProgress | None = None

    @remote(latest=True, of_file=True, presenter=Presenter.QUIZ)
    def questions(self, baseline: bool, written: int) -> Generator[QuizProgress, None, None]:
        """Yield the questions about what the shown result lost, without calling a model.

        ``baseline``: they are asked over the uncompacted history, too. ``written``: how many more a
        model is to write.
        """
        from core.analysis.quiz.runner import QuizPlan

        yield self._with_known(self.plan(QuizPlan(written_count=written, baseline=baseline)))

    @remote(latest=True, of_file=True, presenter=Presenter.QUIZ)
    def run(self, baseline: bool, written: int) -> Generator[QuizProgress, None, None]:
        """Ask the active profile's model those questions; yield after each answer."""
        from core.analysis.quiz.runner import QuizPlan
        from core.presentation.quiz_page import quiz_obstacle

        found = self.plan(QuizPlan(written_count=written, baseline=baseline))
        if reason := quiz_obstacle(found.preview, found.profile):
            raise InputError(reason)
        yield from self.ask(found)

    def ask(
        self, found: QuizProgress, observer: CallObserver | None = None
    ) -> Generator[QuizProgress, None, None]:
        """Ask the questions of a plan, which the user has agreed to; yield before them and after
        each answer.

        ``observer`` hears of each call. Raises InputError where a key is missing.
        """
        from core.analysis.quiz.runner import quiz_answers
        from core.app.open_file import configured_retries

        retries, cancelled = configured_retries(found.preview), self._workspace.is_cancelled
        clients = [
            model_client(profile, retries, cancelled, observer)
            for profile in (found.profile, found.judge)
        ]
        is_over, found = False, replace(found, is_over=False)
        yield found
        try:
            for answer in quiz_answers(found.plan, *clients):
                found = replace(found, answers=(*found.answers, answer))
                yield found
            is_over = True
        finally:  # what was paid for is shown after a cancel
            self._known = found = replace(found, is_over=True, was_cancelled=not is_over)
        yield found

    def plan(self, request: QuizPlan, judge: Profile | None = None) -> QuizProgress:
        """Return the questions and their price; ``judge`` grades; by default the profile that
        answers."""
        from core.analysis.judge.calibration import known_calibration
        from core.analysis.losses.losses_of import source_facts
        from core.analysis.quiz.runner import QuizProgress, plan_round, quiz_costs, quiz_secrets
        from core.analysis.run_price import RunCostEstimate, total_cost
        from core.presentation.quiz_page import quiz_obstacle

        preview, profile = self._workspace.shown_preview(), self._workspace.active_profile
        source, judge = self._workspace.analysis_input(), judge or profile
        facts = source_facts(preview, source.stages, source.options.progress)
        plan = plan_round(preview, facts, request, profile)
        found = QuizProgress(
            preview=preview,
            request=request,
            plan=plan,
            profile=profile,
            judge=judge,
            price=RunCostEstimate(),
            secrets=0,
            calibration=known_calibration(judge),
        )
        if quiz_obstacle(preview, profile):
            return found
        price = total_cost(quiz_costs(plan, profile, judge))
        return replace(found, price=price, secrets=quiz_secrets(plan))

    def _with_known(self, found: QuizProgress) -> QuizProgress:
        known = self._known
        if known is None or (known.profile, known.request) != (found.profile, found.request):
            return found
        if known.preview.result.compaction is not found.preview.result.compaction:
            return found
        return replace(found, answers=known.answers, was_cancelled=known.was_cancelled)
