"""A preview, its options, and the cache of its stages."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from core.common import number_format
from core.lint.common_rules import LintFinding
from core.llm.catalog import ModelLimit
from core.llm.request_size import UNCALIBRATED, RequestSizing, result_overhead
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import Mode, Values
from core.strategies.base import Strategy, StrategyContext
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Message, Progress, Speaker, no_progress
from core.transcript.pins import MessagePin
from core.transcript.scopes import History
from core.transcript.tool_pairs import Pairs

if TYPE_CHECKING:
    from core.llm.protocol import ToolModel
    from core.summarize.summariser_choice import SummariserFactory


# What is said of the size of a request, before a run and with its result: one value for all.


OVERHEAD_RULE = ""
"""Name of what belongs to no message, beside the rules of what stays."""
INSERTED_RULE = "summary"
"""Name of what a run inserted, beside the rules of what stays."""
_OVERHEAD = "system prompt and tools"
"""What is in every request and in no message."""
_OVERHEAD_WITH_IMAGES = "system prompt, tools and the rest of images of unknown size"
_ALONE = "System prompt and tools alone"
_INSERTED = "summary and what was inserted"
_MAX_KEPT = 3  # rules by name in the sentence on a missed target


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSizes:
    """Sizes in tokens and how they were counted.

    ``message_tokens_before`` and ``message_tokens_after`` are of messages alone. All other sizes
    are of whole requests, with system prompt, tools and the hidden tokens of ``sizing``.
    ``target`` is what the run aimed for, ``trigger_tokens`` where the strategy runs by itself; None
    where there is none. ``is_changed``: the result is other than the source. ``unwritten_tokens``
    are budgets that count in place of summaries that nobody has written yet. ``guessed_images``
    are those of the source whose size the file does not say. ``aim`` is what the person aims for,
    whatever the strategy.
    """

    count_method: CountMethod
    model_limit: ModelLimit
    message_tokens_before: int
    message_tokens_after: int
    system_tokens: int
    trigger_tokens: int | None
    target: int | None = None
    is_changed: bool = True
    unwritten_tokens: int = 0
    sizing: RequestSizing = UNCALIBRATED
    guessed_images: int = 0
    aim: int | None = None

    @property
    def overhead_name(self) -> str:
        """What is in every request and in no message. A reported size holds images as they were
        sent: what a guess lacks of them is in no message either."""
        has_images = self.guessed_images and self.sizing.hidden
        return _OVERHEAD_WITH_IMAGES if has_images else _OVERHEAD

    @property
    def before_tokens(self) -> int:
        return self.message_tokens_before + self.system_tokens + self.sizing.hidden

    @property
    def after_tokens(self) -> int:
        """A result is never smaller than its messages: what the agent dropped from the source may
        have gone with the messages that it belonged to."""
        if not self.is_changed:
            return self.before_tokens
        return self.message_tokens_after + result_overhead(
            self.system_tokens, self.sizing
        )

    @property
    def overhead_tokens(self) -> int:
        """Tokens of the request that are in no message, 0 where fewer are reported than counted."""
        return max(0, self.before_tokens - self.message_tokens_before)

    @property
    def result_overhead_tokens(self) -> int:
        """Tokens of the request with the result that are in no message."""
        return max(0, self.after_tokens - self.message_tokens_after)

    @property
    def bar(self) -> int | None:
        """The size that a result should not exceed: the target, else the trigger, else the
        limit."""
        return next((size for _, size in self._bars() if size is not None), None)

    @property
    def bar_name(self) -> str:
        return next((name for name, size in self._bars() if size is not None), "")

    def _bars(self) -> tuple[tuple[str, int | None], ...]:
        return (
            ("target", self.target),
            ("trigger", self.trigger_tokens),
            ("limit", self.model_limit.tokens),
        )

    @property
    def missed_tokens(self) -> int:
        """By how much the result is above its target, 0 where it is met or there is none."""
        if self.target is None:
            return 0
        return max(0, self.after_tokens - self.target)


def with_guesses(method: CountMethod, images: int) -> CountMethod:
    """Return a method that says how many images are counted by a guess at their size."""
    if not images:
        return method
    whose = number_format.plural(images, "image")
    label = f"{method.label}; the size of {whose} is a guess"
    return CountMethod("≈", label, method.encoding)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedSize:
    """A result that is above its bar, in tokens of whole requests.

    ``size`` does not count summaries that nobody has written. ``kept`` says what stays: tokens by
    the rule that keeps them, most first. ``bar_name`` is "target", "trigger" or "limit".
    """

    size: int
    bar: int
    bar_name: str
    limit: int | None
    kept: tuple[tuple[str, int], ...]
    overhead_name: str
    is_changed: bool
    is_least: bool


def missed_size(
    sizes: PreviewSizes, compaction: Compaction, after_counts: Sequence[int]
) -> MissedSize | None:
    """Return by how much a result misses what it should not exceed, None where it does not."""
    bar = sizes.bar
    size = sizes.after_tokens - sizes.unwritten_tokens
    if bar is None or size <= bar:
        return None
    return MissedSize(
        size=size,
        bar=bar,
        bar_name=sizes.bar_name,
        limit=sizes.model_limit.tokens,
        kept=_kept(sizes, compaction, after_counts),
        overhead_name=sizes.overhead_name,
        is_changed=sizes.is_changed,
        is_least=bool(sizes.unwritten_tokens),
    )


def _kept(
    sizes: PreviewSizes, compaction: Compaction, after_counts: Sequence[int]
) -> tuple[tuple[str, int], ...]:
    tokens = Counter({OVERHEAD_RULE: sizes.result_overhead_tokens})
    for index, (origins, count) in enumerate(
        zip(compaction.origins, after_counts, strict=True)
    ):
        if index in compaction.budgets and sizes.unwritten_tokens:
            continue
        is_own = origins and index not in compaction.inserted
        if is_own:
            rule = compaction.fates[origins[0]].last.rule
        else:
            rule = INSERTED_RULE
        tokens[rule] += count
    return tuple((rule, count) for rule, count in tokens.most_common() if count > 0)


def missed_text(missed: MissedSize) -> str:
    """Return "The result has 11,259 tokens, 7,179 above the target of 4,080: last request 9,800,
    …"."""
    count = number_format.count
    has = "has at least" if missed.is_least else "has"
    subject = "The result" if missed.is_changed else "The request"
    above = f"{count(missed.size - missed.bar)} above the {missed.bar_name} of {count(missed.bar)}"
    if missed.limit is not None and missed.bar != missed.limit < missed.size:
        over = count(missed.size - missed.limit)
        above += f", and {over} above the limit of {count(missed.limit)}"
    names = {
        OVERHEAD_RULE: missed.overhead_name,
        INSERTED_RULE: _INSERTED,
        "tail": "Bottom",
    }
    kept = [f"{names.get(rule, rule)} {count(tokens)}" for rule, tokens in missed.kept]
    stays = ", ".join(kept[:_MAX_KEPT])
    if len(kept) > _MAX_KEPT:
        stays += " and more"
    text = f"{subject} {has} {count(missed.size)} tokens, {above}. It holds: {stays}."
    overhead = dict(missed.kept).get(OVERHEAD_RULE, 0)
    if missed.limit is not None and overhead > missed.limit:
        return f"{text} {_ALONE} are {count(overhead - missed.limit)} above the limit."
    if overhead >= missed.bar:
        return f"{text} {_ALONE} take all of the {missed.bar_name}."
    return text


_T = TypeVar("_T")
_MAX_RESULTS = 60
"""Cached results: enough for every switch and some undo steps, small beside the conversation."""


@dataclass(frozen=True, slots=True)
class MarginalEffect:
    """Tokens that one density switch saves, measured with only that switch flipped; below 0 where
    its pointers are longer than what they replace.

    ``active``: the switch is on and the strategy runs density; otherwise it would save that much.
    """

    key: str
    tokens: int
    active: bool


def every_turn_name(strategy: str) -> str:
    return f"{strategy}, every turn"


@dataclass(frozen=True, slots=True)
class LintResult:
    provider: str
    before: tuple[LintFinding, ...]
    after: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSource:
    """What was compacted, and by which settings. ``counts`` are the tokens of its messages;
    ``pins`` by index in the history; ``focus`` is what the summary should keep above all."""

    conversation: Conversation
    history: History
    values: Values
    counts: array[int]
    pairs: Pairs
    pins: Mapping[int, MessagePin] = field(default_factory=dict)
    focus: str = ""
    counter: TokenCounter = field(
        compare=False, repr=False
    )  # the one that made all sizes, calibrated


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewResult:
    """What came of it.

    ``compaction`` refers to the source's history (raw: density, curation and compress composed).
    ``inputs[i]`` is the index in the history of message i of the input of ``compress``.
    ``after_density`` is the total after the density pass, None if none ran. ``result_source`` is
    that of another result than the strategy's: "recorded 1", a file's name. ``written_messages``
    are the messages of the result as ``target_format`` holds them, "" for the conversation's own.
    """

    compaction: Compaction
    inputs: tuple[int, ...]
    after_density: int | None
    after_counts: array[int]
    result_source: str = ""
    target_format: str = ""
    written_messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSummary:
    """``profile`` writes the summary. ``unwritten``: its budget counts instead; ``provisional``: it
    was not to be written. ``prompt_level`` is the level of the chain that gave the prompt, empty if
    none is used; ``model_reason`` how its model was chosen, if the strategy chooses one."""

    profile: Profile = BUILT_IN
    unwritten: bool = False
    provisional: bool = False
    prompt_level: str = ""
    model_reason: str = ""


@dataclass(frozen=True, slots=True)
class PreviewChecks:
    marginals: tuple[MarginalEffect, ...] = ()
    lint: tuple[LintResult, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One preview of one conversation under one set of settings. ``every_turn``: the density pass
    alone, as it runs before every request; nothing compacts. ``context`` is the input of
    ``compress``, to run it again.
    """

    strategy: Strategy
    mode: Mode
    every_turn: bool = False
    source: PreviewSource
    sizes: PreviewSizes
    result: PreviewResult
    summary: PreviewSummary = PreviewSummary()
    checks: PreviewChecks = PreviewChecks()
    context: StrategyContext = field(compare=False, repr=False)

    @property
    def run_name(self) -> str:
        """The strategy, and that only what it does on every turn was run: "high-density, every
        turn"."""
        if self.every_turn:
            return every_turn_name(self.strategy.name)
        return self.strategy.name

    @property
    def written_compaction(self) -> Compaction:
        compaction = self.result.compaction
        return replace(
            compaction, messages=self.result.written_messages or compaction.messages
        )

    @property
    def after_speakers(self) -> tuple[Speaker, ...]:
        """The speakers of the result's messages, as the format holds them."""
        return tuple(message.speaker for message in self.written_compaction.messages)

    @property
    def missed(self) -> MissedSize | None:
        """By how much the result is too large, and what stays; None where it is not, or where
        nothing was aimed for: after the density pass alone, and for results of others."""
        if self.every_turn or self.result.result_source:
            return None
        return missed_size(self.sizes, self.result.compaction, self.result.after_counts)

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.source.history.messages


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
    """How a preview comes to its summary. ``text`` is used as the summary, and judged unless
    ``takes_any``. ``profile`` would write it, ``model_reason`` says how its model was chosen;
    ``is_written`` False leaves it unwritten. ``factory`` gives the summariser of a real call, whose
    result is never cached, and ``agent`` its model with tools."""

    text: str | None = None
    profile: Profile = BUILT_IN
    is_written: bool = True
    factory: SummariserFactory | None = None
    agent: Callable[[str | None], ToolModel] | None = None
    model_reason: str = ""
    takes_any: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewOptions:
    """Options of a preview beside conversation and settings.

    ``model`` overrides tokenizer, limit and prices. ``provisional``: while a handle moves, only
    cuts, fates and sums are computed. ``focus`` goes into the summary request. Without ``checks``
    there are no lint findings and no marginal effects. ``pins`` are the user's, by index in the
    history of the scope. ``prompts`` replaces prompt texts on disk, by name. ``target_format`` is
    the format that the result is to be written in. ``waits_for_limit``: a strategy that needs a
    limit and has none compacts nothing and says so, in place of raising InputError. ``every_turn``:
    run the density pass alone, where the strategy has one. ``musts`` are texts that a strategy
    which obeys pins keeps word for word."""

    scope: str = "all"
    model: str = ""
    summary: SummaryOptions = SummaryOptions()
    focus: str = ""
    provisional: bool = False
    progress: Progress = no_progress
    checks: bool = True
    pins: Mapping[int, MessagePin] = field(default_factory=dict)
    target_format: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    waits_for_limit: bool = False
    every_turn: bool = False
    musts: tuple[str, ...] = ()

    @property
    def unwritten(self) -> bool:
        return self.provisional or not self.summary.is_written


@dataclass
class StageCache:
    """Results of earlier previews of one conversation, by stage and what it depends on.
    ``identity`` tells it from every other cache, also after it is gone."""

    results: dict[tuple[str, Hashable], object] = field(default_factory=dict)
    identity: object = field(default_factory=object)

    def get_or_compute(self, name: str, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Return the result of a stage, computed if it is not cached; the least recently used is
        dropped."""
        result = self.results.pop((name, key), None)
        if result is None:
            result = compute()
        self.results[(name, key)] = result
        if len(self.results) > _MAX_RESULTS:
            del self.results[next(iter(self.results))]
        return result  # type: ignore[return-value]

    def forget_compactions(self) -> None:
        """Drop all results of strategies, also those that others keep by ``identity``: a program
        that was edited has another one."""
        self.results = {
            key: one for key, one in self.results.items() if key[0] != "compaction"
        }
        self.identity = object()

    def get_or_compute_of(
        self, compaction: Compaction, name: str, compute: Callable[[], _T]
    ) -> _T:
        """Return what follows from a result; its identity is the key, unique while the cache holds
        it."""
        key = name, id(compaction)
        return self.get_or_compute("compaction", key, lambda: (compaction, compute()))[
            1
        ]

    def has_of(self, compaction: Compaction, name: str) -> bool:
        return ("compaction", (name, id(compaction))) in self.results
