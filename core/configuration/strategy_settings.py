"""The settings of the strategies tiered, hybrid and pinned-hybrid."""

from __future__ import annotations

from functools import partial

from core.settings import keys
from core.settings.schema import AffectedStage, Setting, SettingKind

_tiers = partial(Setting, section="Tiers", affects=AffectedStage.COMPRESS)
_hybrid = partial(Setting, section="Hybrid", affects=AffectedStage.COMPRESS)
_summary = partial(Setting, section="Summary", affects=AffectedStage.COMPRESS)

TIERED: tuple[Setting, ...] = (
    _tiers(
        keys.COMPACTION_MODEL,
        SettingKind.TEXT,
        "",
        "Summary model",
        "The model that tiered asks for its summary; empty: the cheap one that the provider is known for.",
        hint="model name",
    ),
    _tiers(
        keys.TARGET,
        SettingKind.FRACTION,
        0.6,
        "Target",
        "Share of the room at which tiered stops: of the limit without the output reserve.",
        low=0.0,
        high=1.0,
        low_open=True,
    ),
    _tiers(
        keys.PROTECTED,
        SettingKind.WHOLE,
        12,
        "Newest messages untouched",
        "How many of the newest messages tiers 2 and 3 leave alone; a run of tool messages counts as one.",
        unit="messages",
        low=0,
        high=10000,
        step=1,
    ),
    _tiers(
        keys.MAX_OUTPUT,
        SettingKind.WHOLE,
        2000,
        "Trim tool output above",
        "Tool results with more tokens than this are cut by tier 1.",
        unit="tokens",
        low=1,
        high=1_000_000,
        step=100,
    ),
    _tiers(
        keys.KEEP_OUTPUT,
        SettingKind.WHOLE,
        250,
        "Keep from each end",
        "What tier 1 keeps at each end of a long tool result; a line counts as ten tokens.",
        unit="tokens",
        low=1,
        high=1_000_000,
        step=10,
    ),
    _tiers(
        keys.OUTPUT_RESERVE,
        SettingKind.WHOLE,
        16000,
        "Room for the answer",
        "Tokens of the limit left for the answer; trigger and target of tiered are shares of the rest.",
        affects=AffectedStage.LIMIT,
        unit="tokens",
        low=0,
        high=1_000_000_000,
        step=1000,
    ),
    _tiers(
        keys.SUMMARY_ROLE,
        SettingKind.CHOICE,
        "system",
        "Summary is sent as",
        "Who speaks the summary of tiered; an API without that role gets another one at export.",
        choices=("system", "user"),
    ),
)

HYBRID: tuple[Setting, ...] = (
    _hybrid(
        keys.HYBRID_MODE,
        SettingKind.CHOICE,
        "direct",
        "Hybrid mode",
        "Direct works message by message; agent lets a model do it with four tools.",
        choices=("direct", "agent"),
    ),
    _hybrid(
        keys.HYBRID_TARGET,
        SettingKind.FRACTION,
        0.4,
        "Aim for",
        "Share of the context limit at which hybrid stops.",
        low=0.0,
        high=1.0,
        low_open=True,
    ),
    _hybrid(
        keys.HYBRID_PROTECTED,
        SettingKind.WHOLE,
        5,
        "Newest messages untouched",
        "How many of the newest human and ai messages with text hybrid leaves alone.",
        unit="messages",
        low=0,
        high=10000,
        step=1,
    ),
    _hybrid(
        keys.HYBRID_MIN,
        SettingKind.WHOLE,
        0,
        "Skip below",
        "Hybrid leaves histories with fewer messages alone.",
        unit="messages",
        low=0,
        high=1_000_000,
        step=1,
    ),
    _hybrid(
        keys.HYBRID_USER,
        SettingKind.WHOLE,
        50,
        "Shorten human messages to",
        "Most tokens that a compressed human message may have.",
        unit="tokens",
        low=1,
        high=100_000,
        step=10,
    ),
    _hybrid(
        keys.HYBRID_ASSISTANT,
        SettingKind.WHOLE,
        200,
        "Shorten AI messages to",
        "Most tokens that a compressed ai message may have.",
        unit="tokens",
        low=1,
        high=100_000,
        step=10,
    ),
    _hybrid(
        keys.HYBRID_OTHER,
        SettingKind.CHOICE,
        "line",
        "Other results",
        "What stays of results of tools that neither read nor write files: one line, half of it, or all.",
        choices=("line", "half", "keep"),
    ),
    _hybrid(
        keys.HYBRID_FAILURE,
        SettingKind.CHOICE,
        "keep",
        "If a summary fails",
        "What becomes of a message whose summary failed: it stays whole, or its start stays.",
        choices=("keep", "truncate"),
    ),
    _hybrid(
        keys.HYBRID_BATCH,
        SettingKind.FLAG,
        False,
        "Batch",
        "Asks for several messages in one call of the model instead of one call for each.",
    ),
)

PINNED: tuple[Setting, ...] = (
    _summary(
        keys.PINNED_PROSE,
        SettingKind.FLAG,
        False,
        "Prose",
        "Lets a model add why things were decided and what comes next to the snapshot of pinned-hybrid.",
    ),
)
