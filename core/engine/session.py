"""The session loop of an agent: density step, trigger, compaction."""

from __future__ import annotations

from functools import cache, partial
from threading import RLock

from core.common.errors import UnknownStrategyError
from core.engine.history_store import (
    CompressionCause,
    ContextWarning,
    EngineEvent,
    EventListener,
    HistoryStore,
    MessageAdded,
    StoreChange,
    SummaryRequested,
    no_listener,
)
from core.engine.passes import (
    ContextSize,
    IncrementalRunner,
    IncrementalRunResult,
    LastRun,
    PassInput,
    SessionEnvironment,
    emergency_budget,
    is_above_warning,
    is_below_optimize_threshold,
    is_due,
    is_reference_strategy,
    is_reference_threshold_reached,
    run_compaction,
    run_density,
)
from core.settings.schema import AUTO, MODE, STRATEGY, Mode, Values
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.strategies.density.optimize import incremental_optimize
from core.strategies.helpers import require_trigger, trigger_tokens
from core.strategies.stubs import expand_result, stubbed_results
from core.transcript.compaction import Compaction, FateKind, NoOp
from core.transcript.model import Message

_GROWTH = 10  # a run that asked a model in vain is repeated once the history has grown by this part


class AgentSession:
    """Keeps an agent's history inside its window. Synchronous; one pass at a time.

    Other threads may add while a pass runs. Errors of strategies, summarisers, counters and prompts
    reach the caller, no other strategy is tried, and the history is unchanged (REQ-CS-006.3,
    REQ-HD-013). After a run that asked a model in vain none is due until the history has grown by a
    tenth or settings change; ``compress`` and ``enforce`` do not wait. ``values`` may be replaced
    at any time and apply from the next pass on.

    >>> from core.transcript.model import Message, Speaker, Text
    >>> from core.engine.passes import environment_for
    >>> from core.settings_store.layers import SettingLayers
    >>> settings = SettingLayers().with_session("compression.context-limit", 1000).resolve()
    >>> session = AgentSession(settings, environment_for("gpt-4o"), print)
    >>> session.add(Message(speaker=Speaker.HUMAN, blocks=(Text("Which port?"),)))
    >>> session.before_send()  # compacts where needed
    >>> messages = session.messages  # what goes to the model
    >>> session.report(prompt_tokens=20)  # as the reply says
    >>> session.add(Message(speaker=Speaker.AI, blocks=(Text("Port 8080."),)))
    """

    def __init__(
        self,
        values: Values,
        environment: SessionEnvironment,
        listener: EventListener = no_listener,
    ) -> None:
        """``listener`` receives every event, in the thread that runs the pass. Raises InputError for
        a window in which the strategy cannot work."""
        self.environment = environment
        self.dirty = True  # something was added since the density step last ran
        self.store = HistoryStore(
            environment.count, Mode(values.text(MODE)), environment.base
        )
        self._values = values
        self._listener = listener
        self._additions_make_dirty = True  # an addition makes dirty
        self._context_size = ContextSize(self.store)
        self._last_run: LastRun | None = None
        self._warned = False
        self._asked_model = False  # in the last run
        self._retry_size = (
            0  # tokens; below them no run is due after one that asked in vain
        )
        self._density_step = cache(incremental_optimize)
        self._incremental_runner = cache(partial(IncrementalRunner, self.store))
        self._pass_lock = RLock()
        self.stored: dict[str, str] = {}  # results that stubs stand for, by handle
        self.store.observe(self._mark_dirty)
        self._check_trigger(values)

    @property
    def values(self) -> Values:
        return self._values

    @values.setter
    def values(self, values: Values) -> None:
        """Raises InputError, and changes nothing, for what the making refuses."""
        with self._pass_lock:
            self._check_trigger(values)
            self._values = values
            self._retry_size = 0
            self.store.mode = self.mode

    @property
    def mode(self) -> Mode:
        return Mode(self._values.text(MODE))

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.store.curated

    @property
    def used(self) -> int:
        """Tokens of the next request, without pending message and answer. The last reported count
        if there is one, moved with what changed since; in safe mode a compaction discards it (fix
        EN-02)."""
        return self._context_size.used()

    @property
    def limit(self) -> int | None:
        """Tokens of the window: the setting, else that of the environment."""
        if self._values.limit is None:
            return self.environment.limit
        return self._values.limit

    def add(self, message: Message) -> None:
        """Add to the history, from any thread, also while a pass runs."""
        self.store.add(message)

    def report(self, prompt_tokens: int | None) -> None:
        """Record the provider's count of the last request; call it before adding the reply."""
        self._context_size.report(prompt_tokens)

    def before_send(self, pending: int = 0) -> Compaction | None:
        """Call before each request; ``pending``: tokens that will be sent and are not yet added.
        Runs the density step if something was added, then compaction if the trigger is reached.
        Returns the run over ``store.raw``, None if it was not due (REQ-HD-002.1)."""
        return self.check(CheckPoint.BEFORE_SEND, pending)

    def after_tools(self, pending: int = 0) -> Compaction | None:
        """As ``before_send``; call after adding the results of tools (ION-47)."""
        return self.check(CheckPoint.AFTER_TOOLS, pending)

    def after_user(self, pending: int = 0) -> Compaction | None:
        """As ``before_send``; call after adding a message of the user (LH-59)."""
        return self.check(CheckPoint.AFTER_USER, pending)

    def check(self, point: CheckPoint, pending: int = 0) -> Compaction | None:
        """Run the check of a point; strategies that act at another point ignore it."""
        with self._pass_lock:
            is_due = self._prepare_and_check_due(point, pending)
            if is_due:
                return self._compact(CompressionCause.THRESHOLD)
            return None

    def check_incrementally(self, point: CheckPoint) -> IncrementalRunResult | None:
        """As ``check``, but without the fates of messages, so that a turn of a strategy that can
        run incrementally costs only what is new."""
        with self._pass_lock:
            if not self._prepare_and_check_due(point, 0):
                return None
            additions, cause = self.store.additions, CompressionCause.THRESHOLD
            strategy = self._strategy()
            incremental = None
            self._asked_model = False
            if strategy.incremental is not None and self.mode is Mode.SAFE:
                runner = self._incremental_runner(strategy.incremental)
                incremental = runner.run(self._pass_input(), strategy, cause)
            if incremental is None:
                run = self._compact(cause)
                return IncrementalRunResult(run.no_op, run.calls)
            self._record_run(
                incremental.no_op, additions, is_written=bool(incremental.calls)
            )
            return incremental

    def compress(self, focus: str = "") -> Compaction:
        """Compact now, whatever the trigger says; in safe mode the density step comes first."""
        with self._pass_lock:
            if self.mode is Mode.SAFE:
                self._optimize(always=True)
            return self._compact(CompressionCause.MANUAL, focus)

    def enforce(
        self, pending: int = 0, output_budget: int | None = None
    ) -> Compaction | None:
        """Make room for the next request and its answer, or raise StrategyError CONTEXT_OVERFLOW.
        Runs density, then compaction, each only while room is missing (REQ-HD-002.8).
        ``output_budget`` None or below 1: not set. Does nothing if no limit is known."""
        with self._pass_lock:
            if self.limit is None:
                return None
            pending = max(0, pending)
            emergency = emergency_budget(self.limit, output_budget, self.mode)
            needed = self._context_size.needed
            if emergency.fits(needed(), pending):
                return None
            if self.mode is Mode.SAFE and emergency.budget >= emergency.usable:
                raise emergency.overflow(needed(), pending)  # no compaction could help
            self._optimize()
            if emergency.fits(needed(), pending):
                return None
            last = self._last_run
            is_final = (
                last is not None
                and last.is_final_no_op
                and self._is_unchanged_since_last_run()
            )
            if is_final:
                run = None
            else:
                run = self._compact(CompressionCause.EMERGENCY)
            if emergency.fits(needed(), pending):
                return run
            raise emergency.overflow(needed(), pending)

    def expand(self, handle: str) -> str:
        """Return the result that a stub stands for. Raises InputError for an unknown handle."""
        return expand_result(self.stored, handle)

    def _prepare_and_check_due(self, point: CheckPoint, pending: int) -> bool:
        """Run the density step and the warning; return whether compaction is due."""
        strategy = self._self_triggering_strategy()
        if strategy is not None and strategy.trigger.check is not point:
            return False
        pending = max(0, pending)
        if not is_below_optimize_threshold(
            self._values, self.used + pending, self.limit
        ):
            self._optimize()
        self._warn(strategy, pending)
        return self._is_due(strategy, pending)

    def _mark_dirty(self, change: StoreChange) -> None:
        if isinstance(change, MessageAdded) and self._additions_make_dirty:
            self.dirty = True

    def _strategy(self) -> Strategy:
        return self.environment.strategy_lookup(self._values.text(STRATEGY))

    def _optimize(self, *, always: bool = False) -> None:
        """Run the density step if something was added since it last ran (REQ-HD-002.2, .3, .7)."""
        if not self.dirty and not always:
            return
        try:
            strategy = self._strategy()
            if (
                strategy.optimize is not None
                and strategy.trigger.mode is TriggerMode.CONTINUOUS
            ):
                step = self._density_step(strategy.optimize)
                run_density(self._pass_input(strategy), step, self._mark_clean)
        finally:
            if self.mode is Mode.REFERENCE:
                self.dirty = False

    def _mark_clean(self) -> None:
        self.dirty = False

    def _pass_input(self, strategy: Strategy | None = None) -> PassInput:
        return PassInput(
            store=self.store,
            values=self._values,
            environment=self.environment,
            listener=self._observe,
            mode=self.mode,
            limit=self.limit,
            strategy=strategy,
        )

    def _check_trigger(self, values: Values) -> None:
        """Raise InputError where the strategy cannot work in the window: it would be due for ever.
        An unknown strategy is an error of the first run."""
        if values.limit is None:
            limit = self.environment.limit
        else:
            limit = values.limit
        runs_by_itself = values.flag(AUTO) and Mode(values.text(MODE)) is Mode.SAFE
        if not runs_by_itself:
            return
        try:
            strategy = self.environment.strategy_lookup(values.text(STRATEGY))
        except UnknownStrategyError:
            return
        require_trigger(strategy, values, limit)

    def _self_triggering_strategy(self) -> Strategy | None:
        """Return the strategy if its own trigger decides when it acts. None in reference mode for
        those of the reference: its loop has one rule for all of them, and notices an unknown one on
        the first send only."""
        if self.mode is Mode.SAFE:
            return self._strategy()
        try:
            strategy = self._strategy()
        except UnknownStrategyError:
            return None
        return None if is_reference_strategy(strategy) else strategy

    def _warn(self, strategy: Strategy | None, pending: int) -> None:
        limit = self.limit
        tokens = self.used + pending
        if limit is None:
            return
        is_above = is_above_warning(strategy, self._values, tokens, limit)
        if is_above and not self._warned:
            self._listener(ContextWarning(tokens, limit))
        self._warned = is_above

    def _is_due(self, strategy: Strategy | None, pending: int) -> bool:
        if not self._values.flag(AUTO) or self._is_unchanged_since_last_run():
            return False
        tokens = self.used + pending
        limit = self.limit
        if tokens < self._retry_size:
            return False
        if strategy is None:
            return is_reference_threshold_reached(
                self._values, self.environment.variant, tokens, limit
            )
        needs_messages = strategy.trigger.messages or strategy.trigger.idle_minutes
        if needs_messages:
            messages = self.store.curated_view()
        else:
            messages = ()
        return is_due(strategy, self._values, tokens, messages, limit)

    def _is_unchanged_since_last_run(self) -> bool:
        last = self._last_run if self.mode is Mode.SAFE else None
        return last is not None and last.is_unchanged_since(
            self.store.additions, self._values
        )

    def _compact(self, cause: CompressionCause, focus: str = "") -> Compaction:
        with self.store.locked():
            additions, before = self.store.additions, self.store.raw

        def keep_originals(run: Compaction) -> None:
            self.stored |= stubbed_results(before, run)

        # The reference overlooks additions while it compacts.
        self._additions_make_dirty = self.mode is Mode.SAFE
        self._asked_model = False
        try:
            run = run_compaction(
                self._pass_input(),
                before,
                self._strategy,
                cause,
                focus,
                before_replacing=keep_originals,
            )
        except Exception:
            self._pause_model()
            raise
        finally:
            self._additions_make_dirty = True
        is_written = any(fate.kind is FateKind.SUMMARISED for fate in run.fates)
        self._record_run(run.no_op, additions, is_written=is_written)
        return run

    def _record_run(
        self, no_op: NoOp | None, additions: int, *, is_written: bool
    ) -> None:
        """Record the last run, which began after ``additions``, for later checks."""
        if self.mode is Mode.SAFE and no_op is None:
            self._context_size.report(None)
        self._last_run = LastRun(additions, self._values, no_op)
        if no_op is not None or not is_written or self._is_size_reached():
            self._pause_model()

    def _pause_model(self) -> None:
        """After a run that asked a model in vain, wait until the history has grown by a tenth: a
        model that is down is not asked on every turn, and less and less often."""
        if self._asked_model and self.mode is Mode.SAFE:
            self._retry_size = self.used + self.used // _GROWTH + 1

    def _is_size_reached(self) -> bool:
        trigger = trigger_tokens(self._strategy(), self._values, self.limit)
        return trigger is not None and self.used >= trigger

    def _observe(self, event: EngineEvent) -> None:
        if isinstance(event, SummaryRequested):
            self._asked_model = True
        self._listener(event)
