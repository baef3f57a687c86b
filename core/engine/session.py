"""The session loop of an agent: density, then the trigger, then compression (llxprt.md section 11)."""

from __future__ import annotations

from threading import RLock

from core.common.errors import UnknownStrategyError
from core.engine.context_limits import (
    emergency_budget,
    is_above_warning,
    is_due,
    is_of_the_reference,
    is_too_early,
    reference_reaches,
)
from core.engine.context_size import ContextGauge
from core.engine.events import (
    CompressionCause,
    ContextWarning,
    EventListener,
    MessageAdded,
    StoreChange,
    no_listener,
)
from core.engine.history_store import HistoryStore
from core.engine.incremental_strategy import IncrementalRunResult
from core.engine.last_run import LastRun
from core.engine.passes import PassContext, run_compression, run_density
from core.engine.setup import SessionEnvironment
from core.engine.strategy_memory import StrategyCaches
from core.settings.keys import AUTO, LIMIT, MODE, STRATEGY
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.transcript.compaction import Compaction, NoOp
from core.transcript.model import Message


class AgentSession:
    """Keeps an agent's history inside its window. Synchronous; one pass at a time.

    Other threads may add while a pass runs. Errors of strategies, summarisers, counters and prompts
    reach the caller, no other strategy steps in, and the history is as it was (REQ-CS-006.3,
    REQ-HD-013). ``values`` may be replaced at any time and count from the next pass on.

    >>> from core.transcript.model import Message, Speaker, Text
    >>> from core.engine.setup import surroundings_for
    >>> from core.configuration.layers import Layers
    >>> settings = Layers().with_session("context-limit", 1000).resolve()
    >>> session = Session(settings, surroundings_for("gpt-4o"), print)
    >>> session.add(Message(Speaker.HUMAN, (Text("Which port does the server use?"),)))
    >>> session.before_send()  # compresses where needed
    >>> messages = session.messages  # what goes to the model
    >>> session.report(prompt_tokens=20)  # as the reply says
    >>> session.add(Message(Speaker.AI, (Text("Port 8080."),)))
    """

    def __init__(
        self, values: Values, around: SessionEnvironment, listen: EventListener = no_listener
    ) -> None:
        """``listen`` gets every event, in the thread that runs the pass."""
        self.around = around
        self.dirty = True  # something was added since the density step last ran
        self.store = HistoryStore(around.count, Mode(values.text(MODE)), around.base)
        self._values = values
        self._listen = listen
        self._adds_count = True  # an addition makes dirty
        self._gauge = ContextGauge(self.store)
        self._last: LastRun | None = None
        self._warned = False
        self._remembered = StrategyCaches(self.store)
        self._turn = RLock()
        self.store.watch(self._changed)

    @property
    def values(self) -> Values:
        """The effective settings."""
        return self._values

    @values.setter
    def values(self, values: Values) -> None:
        with self._turn:
            self._values = values
            self.store.mode = self.mode

    @property
    def mode(self) -> Mode:
        """What the setting says."""
        return Mode(self._values.text(MODE))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The curated history, to be sent."""
        return self.store.curated

    @property
    def used(self) -> int:
        """Tokens that the next request takes, pending message and answer apart.

        The last reported count where there is one, moved with what changed since; in safe mode a
        compression forgets it (fix EN-02).
        """
        return self._gauge.used(self.around)

    @property
    def limit(self) -> int | None:
        """Tokens of the window: the setting, else what the surroundings say."""
        value = self._values.get(LIMIT)
        return self.around.limit if value is None else int(value)

    def add(self, message: Message) -> None:
        """Add to the history; also from another thread while a pass runs."""
        self.store.add(message)

    def report(self, prompt_tokens: int | None) -> None:
        """Take over what the provider counted for the last request; call it before adding the reply."""
        self._gauge.report(prompt_tokens)

    def before_send(self, pending: int = 0) -> Compaction | None:
        """To be called before each request; ``pending``: tokens that will be sent and are not yet added.

        The density step, if something was added; then compression, if the trigger is reached. Returns
        the run of ``compress`` over ``store.raw``, None where it was not due (REQ-HD-002.1).
        """
        return self.check(CheckPoint.BEFORE_SEND, pending)

    def after_tools(self, pending: int = 0) -> Compaction | None:
        """As ``before_send``, to be called after the results of tools were added (seed 003)."""
        return self.check(CheckPoint.AFTER_TOOLS, pending)

    def after_user(self, pending: int = 0) -> Compaction | None:
        """As ``before_send``, to be called after a message of the person was added (seed 004)."""
        return self.check(CheckPoint.AFTER_USER, pending)

    def check(self, point: CheckPoint, pending: int = 0) -> Compaction | None:
        """What the three above do; strategies that look at another point let it pass."""
        with self._turn:
            return self._compress(CompressionCause.THRESHOLD) if self._comes_due(point, pending) else None

    def advance(self, point: CheckPoint, pending: int = 0) -> IncrementalRunResult | None:
        """As ``check``, for those who only follow the history: nobody is told what became of each message,
        so that a turn of a strategy that can be followed costs what is new."""
        with self._turn:
            if not self._comes_due(point, pending):
                return None
            additions = self.store.additions
            ran = self._followed(CompressionCause.THRESHOLD)
            if ran is None:
                made = self._compress(CompressionCause.THRESHOLD)
                return IncrementalRunResult(made.no_op, made.calls)
            self._note(ran.no_op, additions)
            return ran

    def compress(self, focus: str = "") -> Compaction:
        """Compress now, whatever the trigger says; in safe mode the density step comes first."""
        with self._turn:
            if self.mode is Mode.SAFE:
                self._optimise(always=True)
            return self._compress(CompressionCause.MANUAL, focus)

    def enforce(self, pending: int = 0, output_budget: int | None = None) -> Compaction | None:
        """Make room for the next request and its answer, or raise StrategyError CONTEXT_OVERFLOW.

        Density, then compression, each only while there is no room (REQ-HD-002.8). ``output_budget``
        None or below 1: not set. Does nothing where no limit is known.
        """
        with self._turn:
            if self.limit is None:
                return None
            pending, window = max(0, pending), emergency_budget(self.limit, output_budget, self.mode)
            if window.fits(self._needed, pending):
                return None
            if self.mode is Mode.SAFE and window.budget >= window.usable:
                raise window.overflow(self._needed, pending)  # nothing that is compressed could help
            self._optimise()
            if window.fits(self._needed, pending):
                return None
            settled = self._last is not None and self._last.found_nothing and self._is_settled()
            run = None if settled else self._compress(CompressionCause.EMERGENCY)
            if window.fits(self._needed, pending):
                return run
            raise window.overflow(self._needed, pending)

    @property
    def _needed(self) -> int:
        return self._gauge.needed(self.around)

    def _comes_due(self, point: CheckPoint, pending: int) -> bool:
        """The density step and the warning of a point of the loop; True where compression follows."""
        strategy = self._with_own_rules()
        if strategy is not None and strategy.trigger.check is not point:
            return False
        pending = max(0, pending)
        if not is_too_early(self._values, self.used + pending, self.limit):
            self._optimise()
        self._warn(strategy, pending)
        return self._is_due(strategy, pending)

    def _followed(self, cause: CompressionCause) -> IncrementalRunResult | None:
        """A run by what is remembered of the history; None where the strategy itself has to be asked."""
        following = self._remembered.following(self._strategy()) if self.mode is Mode.SAFE else None
        if following is None:
            return None
        return following.run(self._values.text(STRATEGY), cause, self.limit, self._listen)

    def _changed(self, change: StoreChange) -> None:
        if isinstance(change, MessageAdded) and self._adds_count:
            self.dirty = True

    def _strategy(self) -> Strategy:
        return self.around.find(self._values.text(STRATEGY))

    def _optimise(self, *, always: bool = False) -> None:
        """The density step, where something was added since it last ran (REQ-HD-002.2, .3, .7)."""
        if not self.dirty and not always:
            return
        try:
            strategy = self._strategy()
            if strategy.optimize is not None and strategy.trigger.mode is TriggerMode.CONTINUOUS:
                run_density(
                    self._bench(strategy), self._remembered.optimize(strategy.optimize), self._mark_clean
                )
        finally:
            if self.mode is Mode.REFERENCE:
                self.dirty = False

    def _mark_clean(self) -> None:
        self.dirty = False

    def _bench(self, strategy: Strategy | None = None) -> PassContext:
        return PassContext(
            self.store, self._values, self.around, self._listen, self.mode, self.limit, strategy
        )

    def _with_own_rules(self) -> Strategy | None:
        """The strategy, where it decides itself when and where it acts.

        None in reference mode for those of the reference: its loop has one rule for all of them, and
        notices an unknown one on the first send only.
        """
        if self.mode is Mode.SAFE:
            return self._strategy()
        try:
            found = self._strategy()
        except UnknownStrategyError:
            return None
        return None if is_of_the_reference(found) else found

    def _warn(self, strategy: Strategy | None, pending: int) -> None:
        limit, tokens = self.limit, self.used + pending
        if limit is None:
            return
        above = is_above_warning(strategy, self._values, tokens, limit)
        if above and not self._warned:
            self._listen(ContextWarning(tokens, limit))
        self._warned = above

    def _is_due(self, strategy: Strategy | None, pending: int) -> bool:
        if not self._values.flag(AUTO) or self._is_settled():
            return False
        tokens, limit = self.used + pending, self.limit
        if strategy is None:
            return reference_reaches(self._values, self.around.variant, tokens, limit)
        looks = strategy.trigger.messages or strategy.trigger.idle_minutes
        return is_due(strategy, self._values, tokens, self.store.kept() if looks else (), limit)

    def _is_settled(self) -> bool:
        """True where another run would find what the last one did."""
        last = self._last if self.mode is Mode.SAFE else None
        return last is not None and last.settles(self.store.additions, self._values)

    def _compress(self, cause: CompressionCause, focus: str = "") -> Compaction:
        is_safe, additions = self.mode is Mode.SAFE, self.store.additions
        self._adds_count = is_safe  # the reference overlooks what comes while it compresses
        try:
            run = run_compression(self._bench(), self._strategy, self._remembered.compress, cause, focus)
        finally:
            self._adds_count = True
        self._note(run.no_op, additions)
        return run

    def _note(self, no_op: NoOp | None, additions: int) -> None:
        """What later checks ask of the last run, which began after so many additions."""
        if self.mode is Mode.SAFE and no_op is None:
            self._gauge.report(None)
        self._last = LastRun(additions, self._values, no_op)
