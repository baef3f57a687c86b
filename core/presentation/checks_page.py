"""Makes the Checks tab: what each API would refuse, how a copy can be repaired, and how much of its
limits a request uses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common import number_format
from core.common.excerpts import first_line
from core.lint.common_rules import ERROR, LintFinding, LintProvider
from core.lint.lint import find_provider
from core.lint.provider_limits import (
    MediaUse,
    ProviderLimit,
    is_certain_limit,
    media_use,
    megabytes,
    request_limits,
    request_model,
)
from core.presentation.model import (
    FaultGroup,
    FaultPage,
    FaultRow,
    LabelledFigure,
    LintReport,
    LintRow,
)
from core.preview.options import Preview
from core.transcript.model import (
    Message,
    Speaker,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import ALL, CURRENT, history_of_scope, replaces_messages
from core.transcript.tool_pairs import answer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOutlook:
    """What a repair of the source would change: its reasons by the index of the message in the
    source, the rules that still find something there, how many messages stay as they are, what is
    left out of the copy ("" for nothing), and how many changes are of the order."""

    reasons: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    left: frozenset[tuple[str, int]] = frozenset()
    kept: int = 0
    messages: int = 0
    left_out: str = ""
    moves: int = 0

    @property
    def is_valid(self) -> bool:
        return not self.left


NO_REPAIR = RepairOutlook()


@dataclass(frozen=True, slots=True)
class _Words:
    """How faults of a kind and their repair are told, of one and of several."""

    one: str
    many: str
    mends_one: str = ""
    mends_many: str = ""


_ANSWER = "“no result was recorded”"
_WORDS: Mapping[str, _Words] = {
    "unanswered-call": _Words(
        "1 call in {at} has no result",
        "{n} calls in {at} have no result",
        f"adds a result: {_ANSWER}",
        f"adds {{n}} results: {_ANSWER}",
    ),
    "lone-result": _Words(
        "1 result in {at} has no call",
        "{n} results in {at} have no call",
        "keeps its text as a note of yours",
        "keeps their texts as notes of yours",
    ),
    "early-result": _Words(
        "1 result in {at} stands before its call",
        "{n} results in {at} stand before their calls",
        "moves it after {call}",
        "moves them after their calls",
    ),
    "late-result": _Words(
        "1 result in {at} stands apart from its call",
        "{n} results in {at} stand apart from their calls",
        "moves it after {call}",
        "moves them after their calls",
    ),
    "duplicate-id": _Words(
        "1 call in {at} has an id that was used before",
        "{n} calls in {at} have ids that were used before",
        "gives it a new id",
        "gives them new ids",
    ),
    "twin-id": _Words(
        "2 calls in {at} have one id",
        "{n} calls in {at} repeat an id of their message",
        "gives the second a new id",
        "gives them new ids",
    ),
    "unsigned-thinking": _Words(
        "1 thinking block in {at} is not signed",
        "{n} thinking blocks in {at} are not signed",
        "removes that turn's thinking",
        "removes that turn's thinking",
    ),
    "result-order": _Words(
        "1 result in {at} stands after other content",
        "{n} results in {at} stand after other content",
        "puts it first",
        "puts them first",
    ),
}
_PLACES = ("lone-result", "early-result", "late-result")
"""Kinds of results without their call right before them, by where the call is."""
_RULES = {**dict.fromkeys(_PLACES, "orphan-result"), "twin-id": "duplicate-id"}
"""The rule of a kind that has not its name."""
_TOGETHER = 3
"""Rows of one kind that are listed one by one; more are told together."""


class _Side:
    """The messages of a side, with the calls and results that stand in them."""

    def __init__(self, name: str, messages: Sequence[Message]) -> None:
        self.name, self.messages = name, messages
        self.calls: dict[str, int] = {}
        self.answered: set[str] = set()
        for index, message in enumerate(messages):
            for call in tool_calls(message):
                self.calls.setdefault(call.id, index)
            self.answered.update(one.call_id for one in tool_responses(message))

    def kind(self, finding: LintFinding) -> str:
        """Return the rule without its API; a result without its call by where that call is, an id
        that was used before by whether that was in the same message."""
        rule = finding.rule.partition(".")[2] or finding.rule
        # A finding on the whole request names no message to look into.
        if finding.index < 0:
            return rule
        if rule == "duplicate-id" and self._repeats_only_itself(finding.index):
            return "twin-id"
        if rule != "orphan-result":
            return rule
        results = self._results(finding.index)
        places = [self.calls.get(one.call_id, -1) for one in results]
        if -1 in places:
            return "lone-result"
        return "early-result" if min(places) > finding.index else "late-result"

    def _repeats_only_itself(self, index: int) -> bool:
        counts = Counter(call.id for call in tool_calls(self.messages[index]))
        is_first_use = all(self.calls.get(id_) == index for id_ in counts)
        return is_first_use and max(counts.values(), default=0) > 1

    def count(self, kind: str, findings: Sequence[LintFinding]) -> int:
        """Return how many calls, results or blocks of a message have a fault."""
        index = findings[0].index
        if kind == "unanswered-call":
            return len(self.open_calls(index))
        if kind == "unsigned-thinking" and index >= 0:
            thinking = [
                one for one in self.messages[index].blocks if isinstance(one, Thinking)
            ]
            return sum(not one.extra.get("signature") for one in thinking)
        return len(findings)

    def open_calls(self, index: int) -> list[ToolCall]:
        calls = tool_calls(self.messages[index])
        return [call for call in calls if call.id not in self.answered]

    def about(self, kind: str, index: int) -> str:
        """Return "Read ×9, Bash ×5" of calls, or the name of the call and its place of a result."""
        if kind == "unanswered-call":
            return _counted([call.name for call in self.open_calls(index)])
        if not kind.endswith("-result"):
            return ""
        is_lone = kind == "lone-result"
        results = [
            one
            for one in self._results(index)
            if is_lone != (one.call_id in self.calls)
        ]
        return ", ".join(map(self._result_words, results[:2]))

    def call_place(self, index: int) -> str:
        """Return the message whose call a result of a message answers."""
        results = self._results(index)
        if results:
            place = self.calls.get(results[0].call_id)
        else:
            place = None
        if place is None:
            return ""
        return number_format.message_number(place)

    def _result_words(self, result: ToolResponse) -> str:
        text = first_line(answer_text(result), 60)
        place = self.calls.get(result.call_id)
        words = f"{result.name} {text}".strip()
        if place is None:
            return words
        return f"{words}, called in {number_format.message_number(place)}"

    def _results(self, index: int) -> list[ToolResponse]:
        return list(tool_responses(self.messages[index]))


def fault_rows(
    preview: Preview,
    before: Sequence[LintFinding],
    after: Sequence[LintFinding],
    outlook: RepairOutlook = NO_REPAIR,
) -> tuple[FaultRow, ...]:
    """Return the errors of source and result, each once: those of the source first, in the order
    of messages, then those that only the result has."""
    origins = preview.result.compaction.origins
    known = {(one.rule, one.index) for one in before if one.severity == ERROR}
    places = {
        (one.rule, _origin(origins, one.index))
        for one in after
        if one.severity == ERROR
    }
    new = [one for one in after if (one.rule, _origin(origins, one.index)) not in known]
    sides = (
        (_Side("before", preview.messages), before),
        (_Side("after", preview.result.compaction.messages), new),
    )
    rows = [row for side, found in sides for row in _side_rows(side, found, outlook)]
    rules = {f"{rule.partition('.')[2]}:{index}" for rule, index in places}
    return tuple(_placed(row, rules) for row in rows)


def _placed(row: FaultRow, rules: Collection[str]) -> FaultRow:
    """Return a row that says whether the result has its faults; ``rules`` are those of the result,
    by the messages of the source."""
    rule = _RULES.get(row.kind, row.kind)
    return replace(
        row, is_in_result=row.side == "after" or f"{rule}:{row.index}" in rules
    )


def _origin(origins: Sequence[tuple[int, ...]], index: int) -> int:
    if index < 0:
        return index
    # -2: of a message that the source does not have.
    return next(iter(origins[index]), -2)


def _side_rows(
    side: _Side, findings: Sequence[LintFinding], outlook: RepairOutlook
) -> list[FaultRow]:
    groups: dict[tuple[str, int], list[LintFinding]] = defaultdict(list)
    for finding in findings:
        if finding.severity == ERROR:
            groups[side.kind(finding), finding.index].append(finding)
    has_moved = any(kind in _PLACES[1:] for kind, _ in groups)
    rows = []
    for (kind, _), found in groups.items():
        count = side.count(kind, found)
        if kind == "unanswered-call" and not count and has_moved:
            continue  # its result stands elsewhere, which is told there
        rows.append(_row(side, kind, found, count or len(found), outlook))
    return rows


def _row(
    side: _Side,
    kind: str,
    findings: Sequence[LintFinding],
    count: int,
    outlook: RepairOutlook,
) -> FaultRow:
    first = findings[0]
    if first.index >= 0:
        words = _WORDS.get(kind)
    else:
        words = None
    if words is None:
        title = first.text.rstrip(".")
        mend = ""
        if len(findings) > 1:
            title = f"{title}, and {len(findings) - 1:,} more"
    else:
        place = number_format.message_number(first.index)
        title = (words.one if count == 1 else words.many).format(n=count, at=place)
        mend = words.mends_one if count == 1 else words.mends_many
        mend = mend.format(n=count, call=side.call_place(first.index))
    return FaultRow(
        title=title if side.name == "before" else f"{title}, in the result",
        about=side.about(kind, first.index) if first.index >= 0 else "",
        mend=_mend(side, findings, mend, outlook),
        side=side.name,
        index=first.index,
        tip="\n".join(f"{one.text} [{one.rule}]" for one in findings),
        kind=kind,
        count=count,
    )


def _mend(
    side: _Side, findings: Sequence[LintFinding], words: str, outlook: RepairOutlook
) -> str:
    """Return what the repair does about faults that it does not leave; it mends the source."""
    first = findings[0]
    is_left = (first.rule, first.index) in outlook.left
    if side.name != "before" or not outlook.messages or is_left:
        return ""
    reasons = outlook.reasons.get(first.index, ())
    if words or not reasons:
        return words
    # Of several reasons it is not known which one is that of this fault.
    return f"says: {reasons[0].rstrip('.')}" if len(reasons) == 1 else "mends it"


def _counted(names: Sequence[str]) -> str:
    counts = Counter(names).most_common()
    return ", ".join(
        name if count == 1 else f"{name} ×{count}" for name, count in counts
    )


def fault_groups(rows: Sequence[FaultRow]) -> tuple[FaultGroup, ...]:
    """Return rows by kind where more than three messages have one, under a sentence that counts
    them; others alone, under ""."""
    kinds = Counter((row.kind, row.side) for row in rows)
    told = set[tuple[str, str]]()
    result: list[FaultGroup] = []
    for row in rows:
        key = (row.kind, row.side)
        words = _WORDS.get(row.kind)
        if kinds[key] <= _TOGETHER or words is None:
            result.append(FaultGroup("", (row,)))
        elif key not in told:
            told.add(key)
            same = tuple(one for one in rows if (one.kind, one.side) == key)
            place = f"{len(same):,} messages"
            title = words.many.format(n=f"{sum(one.count for one in same):,}", at=place)
            result.append(FaultGroup(title, same))
    return tuple(result)


def fault_page(
    rows: Sequence[FaultRow], outlook: RepairOutlook, label: str
) -> FaultPage:
    """Return the page of the faults for an API: how many, where, and how many a repair mends."""
    if not rows:
        text = f"Order, ids and content are in order for {label}, before and after."
        return FaultPage(head=text)
    sides = {row.side for row in rows}
    where = "only in the result"
    if "before" in sides:
        is_in_result = any(row.is_in_result for row in rows)
        if is_in_result:
            where = "in the session and in the result"
        else:
            where = "in the session, none in the result"
    faults = number_format.plural(len(rows), "fault")
    return FaultPage(
        count=len(rows),
        head="The request would be refused",
        text=f"{faults}, {where}. {_mended_words(rows)}",
        groups=fault_groups(rows),
        outlook=_outlook_words(outlook, label) if "before" in sides else "",
    )


def _mended_words(rows: Sequence[FaultRow]) -> str:
    mended = sum(bool(row.mend) for row in rows)
    if not mended:
        return "Repair mends none of them."
    if mended < len(rows):
        return f"Repair mends {mended} of them."
    if mended == 1:
        return "Repair mends it."
    return "Repair mends all of them."


def _outlook_words(outlook: RepairOutlook, label: str) -> str:
    """Return what a repaired copy would be; "" where that is not known."""
    if not outlook.messages:
        return ""
    if outlook.is_valid:
        valid = f"Then valid for {label}."
    else:
        valid = "Some faults stay."
    kept = f"{outlook.kept:,} of {number_format.plural(outlook.messages, 'message')}"
    stays = f"{valid} {kept} stay as they are; this file is not touched."
    return " ".join(filter(None, (stays, _order_words(outlook), outlook.left_out)))


def _order_words(outlook: RepairOutlook) -> str:
    if not outlook.moves:
        return ""
    verb = "is" if outlook.moves == 1 else "are"
    changes = number_format.plural(outlook.moves, "change")
    return f"{changes} {verb} of the order: Save repaired copy lists what moves."


NO_OUTLOOKS: Mapping[str, RepairOutlook] = {}
_ORDER = ("error", "warning", "info")


def lint_reports(
    preview: Preview, outlooks: Mapping[str, RepairOutlook] = NO_OUTLOOKS
) -> tuple[LintReport, ...]:
    """Return a report per API; its tone is that of the result. ``outlooks`` are what a repair
    would do, by API."""
    reports = []
    for lint in preview.checks.lint:
        sides = (("after", lint.after), ("before", lint.before))
        rows = [
            LintRow(one.severity, one.rule, one.text, side, one.index)
            for side, found in sides
            for one in found
        ]
        rows.sort(key=lambda row: _ORDER.index(row.severity))
        label = find_provider(lint.provider).label
        verdict = f"Result: {_findings_text(lint.after)} · source: {_findings_text(lint.before)}"
        outlook = outlooks.get(lint.provider, NO_REPAIR)
        faults = fault_rows(preview, lint.before, lint.after, outlook)
        reports.append(
            LintReport(
                lint.provider,
                label,
                tuple(rows),
                verdict,
                _tone(lint.after),
                faults=fault_page(faults, outlook, label),
            )
        )
    return tuple(reports)


def _findings_text(findings: Sequence[LintFinding]) -> str:
    """Return "in order", "2 warnings", or only the errors: they decide."""
    for severity in _ORDER[:2]:
        if count := sum(finding.severity == severity for finding in findings):
            return number_format.plural(count, severity)
    return "in order"


def _tone(findings: Sequence[LintFinding]) -> str:
    """Return "error", "warn" or "ok"."""
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return "error"
    return "warn" if "warning" in severities else "ok"


def with_limits(
    preview: Preview, reports: Sequence[LintReport]
) -> tuple[LintReport, ...]:
    """Return the reports with the figures of a request, before → after of the limit of each API.
    Before is what the agent sends: the current context of a session that it compacted."""
    conversation, before = preview.source.conversation, preview.messages
    counts: Sequence[int] = preview.source.counts
    if preview.source.history.scope == ALL and any(
        map(replaces_messages, conversation.recorded)
    ):
        before = history_of_scope(conversation, CURRENT).messages
        counts = ()
    after = preview.result.compaction.messages
    uses = (media_use(before), media_use(after))
    model = request_model(conversation)

    common = []
    tools = len(conversation.system.tools)
    if tools:
        common.append(LabelledFigure("tool definitions", number_format.count(tools)))
    longest_before = _longest_result(before, counts)
    longest_after = _longest_result(after, preview.result.after_counts)
    if longest_before is not None and longest_after is not None:
        sizes = f"{number_format.count(longest_before)} → {number_format.count(longest_after)}"
        common.append(LabelledFigure("longest tool result", f"{sizes} tokens"))

    result = []
    for report in reports:
        api = find_provider(report.provider)
        rows = [
            row
            for row in request_limits(api, model)
            if row.per == "request" and not row.service
        ]
        certain = [row for row in rows if is_certain_limit(row, model)]
        result.append(
            replace(report, limits=(*_media_figures(api, uses, rows, certain), *common))
        )
    return tuple(result)


def _longest_result(messages: Sequence[Message], counts: Sequence[int]) -> int | None:
    """Return the tokens of the longest message of a tool, None without any or where sizes are not
    known."""
    sizes = [
        count
        for message, count in zip(messages, counts, strict=False)
        if message.speaker is Speaker.TOOL and count >= 0
    ]
    return max(sizes, default=None)


def _media_figures(
    api: LintProvider,
    uses: tuple[MediaUse, MediaUse],
    rows: Sequence[ProviderLimit],
    certain: Sequence[ProviderLimit],
) -> list[LabelledFigure]:
    """Return images and bytes: beyond a limit that holds in red, beyond one that may hold as a
    warning."""
    figures = []
    for rule, label in (
        ("media-count", "images"),
        ("media-bytes", "size of images"),
        ("request-bytes", "request"),
    ):
        limits = sorted(row.most for row in rows if row.rule == rule)
        values = [_used(rule, use) for use in uses]
        if not any(values) or (rule == "media-bytes" and not limits):
            continue
        known = min((row.most for row in certain if row.rule == rule), default=None)
        write = number_format.count if rule == "media-count" else megabytes
        now, later = map(write, values)
        text = f"{now.removesuffix(' MB')} → {later}"
        if limits:
            if known == limits[0]:
                told = limits[:1]
            else:
                told = limits
            text = f"{text.removesuffix(' MB')} of {' or '.join(map(write, told))}"
        if rule == "request-bytes":
            text = f"≥ {text}"  # what is not in the file comes on top
        if limits:
            fraction = min(1.0, values[1] / limits[0])
        else:
            fraction = None
        tone = _limit_tone(values[1], limits, known)
        figures.append(LabelledFigure(label, text, tone, fraction))
    return figures


def _limit_tone(used: int, limits: Sequence[int], known: int | None) -> str:
    if known is not None and used > known:
        return "error"
    return "warn" if limits and used > limits[0] else ""


def _used(rule: str, use: MediaUse) -> int:
    return {"media-count": len(use.images), "media-bytes": use.image_bytes}.get(
        rule, use.request_bytes
    )
