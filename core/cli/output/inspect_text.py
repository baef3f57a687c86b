"""The report of ``foldline inspect`` as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.paid import Paid, paid
from core.app.open_file import OpenFile
from core.cli import late
from core.cli.opened_transcript import OpenedConversation
from core.cli.output.tables import (
    aligned_table,
    marks_text,
    more_line,
    paragraph,
    titled_section,
)
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import (
    UNKNOWN_SHARE,
    context_share,
    count,
    message_number,
)
from core.facts.sentences import writer_name
from core.lint.common_rules import ERROR, WARNING, LintFinding
from core.lint.lint import (
    PROVIDERS,
    default_provider,
    find_copies,
    lint_count,
    lint_history,
)
from core.presentation.paid_words import paid_rows
from core.presentation.preview_wording import (
    again_text,
    branch_hint,
    calibration_text,
    clearing_sentences,
    conversation_hint,
    cut_moved_text,
    cut_text,
    limit_text,
    marked_tokens,
    note_texts,
    scope_label,
)
from core.preview.options import Preview
from core.tokens.recorded_compactions import TURNS, MeasuredCompaction, reported_sizes
from core.transcript.compaction import Cut
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Media,
    Message,
    RecordedCompaction,
    ServerTool,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import BEFORE, incomplete_reason

if TYPE_CHECKING:
    from core.trials.side_by_side import ExplainedCompaction

_KINDS: tuple[tuple[type, str], ...] = (
    (Text, "text"),
    (ToolCall, "tool_call"),
    (ToolResponse, "tool_response"),
    (Thinking, "thinking"),
    (Media, "media"),
    (Code, "code"),
)
OPAQUE = "opaque"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStatistics:
    """Statistics of one history. ``context`` are the tokens of the next request."""

    messages_by_speaker: Mapping[str, int]
    tokens_by_speaker: Mapping[str, int]
    blocks_by_kind: Mapping[str, int]
    tokens_by_block: Mapping[str, int]
    calls: int
    responses: int
    context: int
    lint: tuple[tuple[str, tuple[LintFinding, ...]], ...]
    paid: Paid
    recorded: tuple[MeasuredCompaction, ...] = ()
    server_pairs: int = 0
    images: str = ""


def block_kind(block: Block) -> str:
    """Return the name of a block's kind: text, tool_call, tool_response, thinking, media, code,
    opaque."""
    return next((name for kind, name in _KINDS if isinstance(block, kind)), OPAQUE)


def history_statistics(file: OpenFile, preview: Preview) -> HistoryStatistics:
    counter = preview.source.counter
    hidden = preview.sizes.sizing.reported_hidden
    speakers = Counter[str]()
    speaker_tokens = Counter[str]()
    blocks = Counter[str]()
    block_tokens = Counter[str]()
    for message, tokens in zip(preview.messages, preview.source.counts, strict=True):
        writer = writer_name(message)
        speakers[writer] += 1
        speaker_tokens[writer] += tokens
        inner_blocks = [
            inner_block
            for block in message.blocks
            for inner_block in (
                block.description if isinstance(block, ServerTool) else (block,)
            )
        ]
        if len(inner_blocks) > 1:
            sizes = [counter.block(block) for block in inner_blocks]
        else:
            sizes = [1]
        for block, part in zip(
            inner_blocks, proportional_shares(tokens, sizes), strict=False
        ):
            blocks[block_kind(block)] += 1
            block_tokens[block_kind(block)] += part
    return HistoryStatistics(
        messages_by_speaker=speakers,
        tokens_by_speaker=speaker_tokens,
        blocks_by_kind=blocks,
        tokens_by_block=block_tokens,
        calls=blocks["tool_call"],
        responses=blocks["tool_response"],
        context=file.context_tokens(preview),
        lint=tuple(
            (
                provider.name,
                lint_history(
                    preview.source.conversation,
                    preview.source.history,
                    provider.name,
                    hidden,
                ),
            )
            for provider in PROVIDERS
        ),
        paid=paid(preview.source.conversation),
        recorded=file.recorded(preview),
        server_pairs=_server_pairs(preview.messages),
        images=file.images(
            default_provider(
                preview.source.conversation.format, preview.source.conversation.model
            )
        ),
    )


def proportional_shares(target_sum: int, parts: Sequence[int]) -> list[int]:
    """Return whole numbers in proportion to ``parts`` whose sum is ``target_sum``, by largest
    remainders."""
    total = sum(parts)
    if not total:
        return list(parts)
    shares = [target_sum * part // total for part in parts]
    indices = sorted(
        range(len(parts)),
        key=lambda index: (-(target_sum * parts[index] % total), index),
    )
    for index in indices[: target_sum - sum(shares)]:
        shares[index] += 1
    return shares


def _server_pairs(messages: Sequence[Message]) -> int:
    """Return how many calls of the provider's tools have an answer; both are in one message."""
    server = (
        block
        for message in messages
        for block in message.blocks
        if isinstance(block, ServerTool)
    )
    inner_blocks = [
        inner_block for block in server for inner_block in block.description
    ]
    calls = Counter(block.id for block in inner_blocks if isinstance(block, ToolCall))
    answers = Counter(
        block.call_id for block in inner_blocks if isinstance(block, ToolResponse)
    )
    return (calls & answers).total()


def scope_warnings(preview: Preview) -> tuple[str, ...]:
    part = incomplete_reason(preview.source.conversation, preview.source.history.scope)
    if part:
        return (part,)
    return ()


_MAX_ID, _MAX_KIND, _MAX_RECORDED_KIND, _MAX_TITLE = 40, 120, 40, 60
_MAX_UNPAIRED, _MAX_ROWS = 6, 12
_MAX_FINDINGS, _MAX_FINDING = 3, 300


def _explained(transcript: OpenedConversation) -> Iterator[str]:
    if recorded := transcript.conversation.recorded:
        yield from explained_lines(explained_compactions(transcript), len(recorded))


_EXPLAINED = 3  # the newest ones: each costs as much as the Losses of a result


def explained_compactions(
    transcript: OpenedConversation,
) -> tuple[ExplainedCompaction, ...]:
    """Return the explanations of the newest recorded compactions, and of the one that ends the
    scope."""
    count = len(transcript.conversation.recorded)
    scope = transcript.scope
    numbers = set(range(max(1, count - _EXPLAINED + 1), count + 1))
    if scope.startswith(BEFORE):
        numbers.add(int(scope.removeprefix(BEFORE)))
    source = transcript.analysis_input()
    return tuple(late.explain_compaction(source, number) for number in sorted(numbers))


def explained_lines(
    explained: Sequence[ExplainedCompaction], count: int
) -> Iterator[str]:
    """Yield what is not in each result, the worst first, and what the turns that followed used of
    it."""
    for one in explained:
        yield ""
        yield f"  What recorded compaction {one.number} left"
        for sentence in late.explained_sentences(one):
            yield from paragraph(sentence, "    ", "  ")
        yield from aligned_table(late.explained_rows(one), indent="    ")
    if len(explained) < count:
        yield ""
        yield f"  The others are explained with --scope {BEFORE}N."


def inspect_report(
    transcript: OpenedConversation, preview: Preview, statistics: HistoryStatistics
) -> list[str]:
    conversation = transcript.conversation
    report = conversation.report
    verdicts = [(name, lint_count(findings)) for name, findings in statistics.lint]
    skipped = [
        (one_line_text(kind, _MAX_KIND), count(times), report.first_line_note(kind))
        for kind, times in report.skipped
    ]
    branches = [
        (str(one.number), one_line_text(one.title, _MAX_TITLE), branch_hint(one))
        for one in conversation.branches
    ]
    listed = [
        (str(one.number), one_line_text(one.title, _MAX_TITLE), conversation_hint(one))
        for one in conversation.listed
    ]
    repaired = [f"  {text}" for text in note_texts(report.repaired)]
    body = [
        *titled_section("Tokens", _tokens(preview, statistics)),
        *titled_section("Calls", aligned_table(_pairs(preview, statistics))),
        *titled_section("Copies", aligned_table(_copies(preview))),
        *titled_section(
            "Recorded compactions", _recorded(preview, statistics.recorded)
        ),
        *_explained(transcript),
        *titled_section("Paid", aligned_table(paid_rows(statistics.paid))),
        *titled_section(f"Split under {preview.strategy.name}", _split(preview)),
        *titled_section("Lint", [*aligned_table(verdicts), *_found(statistics.lint)]),
        *titled_section(
            "Branches", _first(aligned_table(branches[:_MAX_ROWS], (0,)), len(branches))
        ),
        *titled_section(
            "Conversations",
            _first(aligned_table(listed[:_MAX_ROWS], (0,)), len(listed)),
        ),
        *titled_section("Skipped records", aligned_table(skipped, (1,))),
        *titled_section("Repaired", _first(repaired[:_MAX_ROWS], len(repaired))),
    ]
    facts = _facts(transcript, preview, statistics)
    marks = marks_text([*(value for _, value in facts), *body])
    if marks:
        facts.append(("marks", marks))
    name = one_line_text(conversation.document.name, 90)
    return [name, *aligned_table(facts), *body]


def _found(lint: Sequence[tuple[str, tuple[LintFinding, ...]]]) -> list[str]:
    """Return the first errors and warnings, each once, and what lists and mends them."""
    texts = dict.fromkeys(
        f"{one.severity}: {one.text}"
        for _, findings in lint
        for one in findings
        if one.severity in (ERROR, WARNING)
    )
    if not texts:
        return []
    lines = [
        line
        for text in list(texts)[:_MAX_FINDINGS]
        for line in paragraph(one_line_text(text, _MAX_FINDING), "  ", "  ")
    ]
    return [*lines, "  foldline lint lists all, lint --fix mends what it can."]


def _copies(preview: Preview) -> list[tuple[str, str]]:
    """Return what is said of texts that stand several times in the scope."""
    history = preview.source.history
    found = find_copies(history.messages, history.indices)
    return [("", one.words(preview.source.counter.text)) for one in found]


def _first(lines: list[str], total: int) -> list[str]:
    return [*lines, *more_line(total - _MAX_ROWS)]


def _facts(
    transcript: OpenedConversation, preview: Preview, statistics: HistoryStatistics
) -> list[tuple[str, str]]:
    conversation = transcript.conversation
    speakers = ", ".join(
        f"{count(times)} {name}"
        for name, times in statistics.messages_by_speaker.items()
    )
    messages = count(len(preview.messages))
    if speakers:
        messages += f": {speakers}"
    system = ""
    if preview.sizes.system_tokens:
        system = f", system prompt and tools {count(preview.sizes.system_tokens)}"
    facts = [
        (
            "format",
            f"{transcript.reader.label} ({transcript.reader.name}): {transcript.format_reason}",
        )
    ]
    if conversation.branches:
        branch_text = f"{conversation.branch} of {len(conversation.branches)}; --branch N reads another"
        facts.append(("branch", branch_text))
    if conversation.siblings > 1:
        position_text = f"{conversation.number} of {count(conversation.siblings)}"
        facts.append(
            ("conversation", f"{position_text}; --conversation N opens another")
        )
    facts += [
        ("scope", scope_label(preview.source.history.scope)),
        ("messages", messages),
        (
            "tokens",
            f"{marked_tokens(preview, preview.sizes.message_tokens_before)} "
            f"in messages ({preview.sizes.count_method.label}){system}",
        ),
        (
            "model",
            one_line_text(preview.sizes.model_limit.model, 60) or number_format.UNKNOWN,
        ),
        ("limit", _limit(preview)),
        ("context", _context(conversation, preview, statistics)),
    ]
    if statistics.images:
        facts.append(("images", f"{statistics.images} in the next request"))
    for sentence in clearing_sentences(preview.sizes.sizing):
        facts.append(("dropped", sentence))
    return facts


def _limit(preview: Preview) -> str:
    text = limit_text(preview.sizes.model_limit)
    if preview.sizes.model_limit.tokens is not None and preview.sizes.trigger_tokens:
        text += f", trigger {count(preview.sizes.trigger_tokens)}"
    return text


def _context(
    conversation: Conversation, preview: Preview, statistics: HistoryStatistics
) -> str:
    limit, tokens = preview.sizes.model_limit.tokens, statistics.context
    if limit is None:
        share = UNKNOWN_SHARE
    else:
        share = context_share(tokens, limit)
    text = f"{share} {marked_tokens(preview, tokens)} in the next request"
    if calibration := calibration_text(preview.sizes.sizing):
        text = f"{text} ({calibration})"
    reported = conversation.reported_context
    if reported is None:
        return text
    return f"{text}; ={count(reported)} reported for the last one"


def _tokens(preview: Preview, statistics: HistoryStatistics) -> list[str]:
    if not statistics.messages_by_speaker:
        return []
    total = max(preview.sizes.message_tokens_before, 1)
    speakers = _shares(
        statistics.messages_by_speaker, statistics.tokens_by_speaker, total
    )
    blocks = _shares(statistics.blocks_by_kind, statistics.tokens_by_block, total)
    columns = (f"{preview.sizes.count_method.mark} tokens", "share")
    return [
        *aligned_table(speakers, (1, 2, 3), head=("by speaker", "messages", *columns)),
        "",
        *aligned_table(blocks, (1, 2, 3), head=("by block", "blocks", *columns)),
    ]


def _shares(
    counts: Mapping[str, int], tokens: Mapping[str, int], total: int
) -> list[tuple[str, ...]]:
    return [
        (
            name.replace("_", " "),
            count(counts[name]),
            count(tokens[name]),
            number_format.percent(tokens[name] / total),
        )
        for name in sorted(counts, key=lambda name: -tokens[name])
    ]


def _pairs(preview: Preview, statistics: HistoryStatistics) -> list[tuple[str, str]]:
    if not statistics.calls and not statistics.responses:
        return []
    pairs = preview.source.pairs
    rows = [
        ("calls", count(statistics.calls)),
        ("responses", count(statistics.responses)),
        ("pairs", count(len(pairs.pairs) + statistics.server_pairs)),
    ]
    unpaired = (
        ("unanswered calls", pairs.unanswered),
        ("orphan responses", pairs.orphans),
    )
    return rows + [
        (label, _message_numbers(indices)) for label, indices in unpaired if indices
    ]


def _message_numbers(unpaired: Sequence[tuple[int, str]]) -> str:
    names = [
        f"{message_number(index)} {one_line_text(id_, _MAX_ID) or '(no id)'}"
        for index, id_ in unpaired[:_MAX_UNPAIRED]
    ]
    names += ["…"] if len(unpaired) > _MAX_UNPAIRED else []
    return f"{count(len(unpaired))}: {', '.join(names)}"


def _recorded(preview: Preview, measured: Sequence[MeasuredCompaction]) -> list[str]:
    """Return the recorded compactions: the requests that were reported in one row, the messages
    that were counted in the next, and files read again."""
    conversation = preview.source.conversation
    if not conversation.recorded:
        return []
    rows = [
        row
        for compaction, counted, reported in zip(
            conversation.recorded, measured, reported_sizes(conversation), strict=True
        )
        for row in _compaction_rows(preview, compaction, counted, reported)
    ]
    again = [
        f"  In the {TURNS} turns after compaction {one.number}, {again_text(one)}"
        for one in measured
        if again_text(one)
    ]
    return [*aligned_table(rows, (0, 4, 5, 6, 7, 8), head=_RECORDED_HEAD), *again]


_RECORDED_HEAD = (
    "",
    "where",
    "kind",
    "size of",
    "before",
    "after",
    "change",
    "messages",
    "reads repeated later",
)


def _compaction_rows(
    preview: Preview,
    compaction: RecordedCompaction,
    counted: MeasuredCompaction,
    reported: tuple[int | None, int | None],
) -> Iterator[tuple[str, ...]]:
    """Yield the row of what was reported, if anything was, and that of our own count."""
    kind = one_line_text(
        f"{compaction.kind} {compaction.trigger}".strip(), _MAX_RECORDED_KIND
    )
    front = (
        str(counted.number),
        f"before {message_number(compaction.boundary)}",
        kind,
    )
    if compaction.tokens_before is not None or None not in reported:
        yield *front, "request", *_change("=", *reported)
        front = ("", "", "")
    reads = f"{counted.repeated_reads} of {counted.reads}"
    yield (
        *front,
        "messages",
        *_change(
            preview.sizes.count_method.mark, counted.tokens_before, counted.tokens_after
        ),
        f"{number_format.tokens('', counted.messages_before)} → "
        f"{count(counted.messages_after)}",
        number_format.UNKNOWN if counted.reread_share is None else reads,
    )


def _change(mark: str, before: int | None, after: int | None) -> tuple[str, str, str]:
    """Return two sizes and their difference."""
    sizes = number_format.tokens(mark, before), number_format.tokens(mark, after)
    if before is None or after is None:
        return *sizes, number_format.UNKNOWN
    growth = after - before
    larger = " not smaller" if growth >= 0 else ""
    return *sizes, f"{number_format.signed(growth)}{larger}"


def _split(preview: Preview) -> list[str]:
    split, no_op = preview.result.compaction.split, preview.result.compaction.no_op
    if no_op is not None:
        return aligned_table([("nothing to compact", no_op.reason)])
    if split is None:
        return []
    bounds = [0, *(cut.index for cut in split.cuts), len(preview.messages)]
    names = (
        ("top", "middle", "bottom")
        if len(split.cuts) == 2
        else ("before the cut", "after the cut")
    )
    rows = [
        (
            name,
            number_format.span(start, end),
            count(end - start),
            count(sum(preview.source.counts[start:end])),
        )
        for name, start, end in zip(names, bounds, bounds[1:], strict=False)
    ]
    head = ("part", "messages", "count", f"{preview.sizes.count_method.mark} tokens")
    moved = [
        cut_row(cut, len(preview.messages))
        for cut in split.cuts
        if cut.index != cut.requested
    ]
    return [*aligned_table(rows, (2, 3), head=head), *aligned_table(moved)]


def cut_row(cut: Cut, length: int) -> tuple[str, str]:
    """Return the boundary of a cut, and why it was moved."""
    if cut.index == cut.requested:
        return cut_text(cut.name, cut.index, length), "as asked"
    return cut_moved_text(cut, length), "; ".join(
        step.detail for step in cut.trace[1:-1] if step.detail
    )
