"""What is said of the size of a request, before a run and with its result: one value for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.common import number_format
from core.llm.catalog import ModelLimit
from core.llm.request_size import UNCALIBRATED, RequestSizing, result_overhead
from core.tokens.counter import CountMethod
from core.transcript.compaction import Compaction

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
    bar, size = sizes.bar, sizes.after_tokens - sizes.unwritten_tokens
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
    names = {OVERHEAD_RULE: missed.overhead_name, INSERTED_RULE: _INSERTED}
    kept = [f"{names.get(rule, rule)} {count(tokens)}" for rule, tokens in missed.kept]
    if len(kept) > _MAX_KEPT:
        more = ["…"]
    else:
        more = []
    stays = ", ".join((*kept[:_MAX_KEPT], *more))
    text = f"{subject} {has} {count(missed.size)} tokens, {above}. In it: {stays}."
    overhead = dict(missed.kept).get(OVERHEAD_RULE, 0)
    if missed.limit is not None and overhead > missed.limit:
        return f"{text} {_ALONE} are {count(overhead - missed.limit)} above the limit."
    if overhead >= missed.bar:
        return f"{text} {_ALONE} reach the {missed.bar_name}."
    return text
