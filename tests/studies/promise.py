"""Whether every result fits or says by how much it does not, and all who say its size agree.

``python -m tests.studies.promise FOLDER [--inputs N] [--files N] [--seed N] [--seconds N]``
prints counts and every contradiction.

Each strategy compacts each transcript of a folder for each window, with the sizes that the file
reports and without them. Five say the size of a result: the window, ``compact --json``, the
library, the MCP tool, and ``inspect`` of the written file; the first four also whether there was
something to do, what is to be warned of, and what the check of the summary found. What
``compact``, ``convert`` and ``repair`` say of the file that they wrote is compared with ``lint`` of
that file. ``--inputs`` takes that many results by a fixed draw, spread over the transcripts,
``--files`` that many transcripts of up to 2 MB, smallest first.

All of it runs in this process. A transcript is read once, and all who are asked share its stages,
as the window does from one setting to the next: what depends on other options is computed again.
"""

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from core.api import compact, size
from core.cli import opened_transcript
from core.common.errors import FoldlineError
from core.common.json_value import Json
from core.export.export import EXPORTERS
from core.formats import registry
from core.formats.common.format import ReadRequest
from core.formats.registry import Loaded, load_with_reason
from core.losses.summary_check import summary_findings
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import compact_messages
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_status import preview_notices
from core.presentation.preview_wording import preview_warnings
from core.presentation.verdict import preview_verdict
from core.preview import options as preview_options
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers
from core.strategies.registry import STRATEGIES
from core.transcript.model import Conversation
from core.transcript.scopes import opening_scope
from tests.support.command_running import FAILED, own_home, run_command

LIMITS = (8_000, 16_000, 32_000, 64_000, 128_000, 200_000)
_TOLERANCE = 0.01
_LARGEST = 2_000_000  # bytes of a file
_WRITTEN = frozenset(one.name for one in EXPORTERS if not one.is_report)
_REPORTED = {
    *(
        "usage",
        "usageMetadata",
        "usage_metadata",
        "tokens",
        "tokensIn",
        "tokensOut",
        "metrics",
    ),
    *(
        "info",
        "token_usage",
        "last_token_usage",
        "total_token_usage",
        "accumulated_token_usage",
    ),
}
"""Fields in which transcripts report sizes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript, as it is on the disk or in a copy without the sizes that it reports."""

    name: str
    path: Path
    loaded: Loaded
    stages: StageCache = field(default_factory=StageCache)

    @property
    def conversation(self) -> Conversation:
        return self.loaded[0]


Case: TypeAlias = tuple[Source, str, int]
"""A transcript, a strategy and a window."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was looked at, and what contradicts itself."""

    counts: Counter[str] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.contradictions.append(text)
        print(f"  {text}", flush=True)


@dataclass(frozen=True, slots=True)
class Said:
    """What one of those who are asked says of a result: the tokens of the request before and after,
    why nothing changed, and what is to be warned of. ``check`` is what the check of its summary
    found, None where there is none."""

    before: int
    after: int
    no_op: str
    warnings: Sequence[str]
    check: Sequence[str] | None = None


def check_result(
    source: Source, strategy: str, limit: int, folder: Path, tally: Tally
) -> None:
    """Compact a transcript for a window in all ways, and compare what they say."""
    case = f"{source.name} · {strategy} · {limit:,}"
    written = folder / f"out{source.path.suffix}"
    settings = ("-s", strategy, "--set", f"compression.context-limit={limit}")
    ran = run_command(
        "compact", str(source.path), *settings, "--json", "-o", str(written), "--yes"
    )
    if FAILED in ran.err:
        tally.say(f"{case}: {ran.err.strip().splitlines()[-1]}")
        return
    is_written = bool(ran.out)
    if not is_written:
        tally.counts["not written, and the reason is said"] += 1
        ran = run_command("compact", str(source.path), *settings, "--json")
    if not ran.out:
        tally.counts["refused"] += 1
        _check_refusal(source, strategy, limit, case, tally)
        return
    answer = json.loads(ran.out)
    said = _said_in(answer)
    tally.counts["results"] += 1
    tally.counts["nothing to do" if said.no_op else "changed"] += 1
    bar = next(
        (one for one in (answer["target"], answer["trigger"]) if one is not None), limit
    )
    if said.after <= bar:
        tally.counts["at or under the target"] += 1
    elif any(" above the " in text for text in said.warnings):
        tally.counts["misses it and says so"] += 1
    else:
        tally.say(f"{case}: {said.after:,} of {bar:,}, and nothing is said")
    check_sayings(source, strategy, limit, said, tally)
    if is_written:
        _check_file(written, said.after, answer, ran.err, case, tally)


def _said_in(answer: Mapping[str, Any]) -> Said:
    """Return what ``compact --json`` says."""
    found = answer["summary_check"]
    return Said(
        answer["before"]["tokens"],
        answer["after"]["tokens"],
        answer["no_op"] or "",
        answer["warnings"],
        None if found is None else [one["text"] for one in found],
    )


def check_sayings(
    source: Source, strategy: str, limit: int, said: Said, tally: Tally
) -> None:
    """Compare what window, library and MCP say of a result with what the command line says."""
    others = {
        "window": _window(source, strategy, limit),
        "library": _library(source, strategy, limit),
        "MCP": _mcp(source, strategy, limit),
    }
    for name, other in others.items():
        tally.counts[f"{name} compared"] += 1
        for difference in _differences(other, said):
            tally.say(f"{source.name} · {strategy} · {limit:,}: {name} {difference}")


def _differences(other: Said, said: Said) -> Iterator[str]:
    for which in ("before", "after"):
        found, tokens = getattr(other, which), getattr(said, which)
        if not is_same(found, tokens):
            yield f"{which} {found:,}, compact {tokens:,}"
    if other.no_op != said.no_op:
        yield f"nothing to do: {other.no_op!r}, compact {said.no_op!r}"
    if left_out := [text for text in other.warnings if text not in said.warnings]:
        yield f"warns {left_out[0]!r}, compact does not"
    if other.check is not None and other.check != said.check:
        yield f"check of the summary {other.check}, compact {said.check}"


def _check_refusal(
    source: Source, strategy: str, limit: int, case: str, tally: Tally
) -> None:
    """What the command line refuses, the library refuses as well."""
    try:
        said = _library(source, strategy, limit)
    except FoldlineError:
        return
    tally.say(f"{case}: compact refuses, the library says {said.after:,}")


def _check_file(
    written: Path, tokens: int, said: Json, notes: str, case: str, tally: Tally
) -> None:
    assert isinstance(said, dict)
    warnings = said["warnings"]
    assert isinstance(warnings, list)
    inspected = run_command("inspect", str(written), "--json")
    if not inspected.out:
        tally.say(f"{case}: the file does not open: {inspected.err.strip()[-200:]}")
        return
    found = json.loads(inspected.out)["context"]["tokens"]
    if is_same(found, tokens):
        tally.counts["file says the same size"] += 1
    elif any(
        "When you open the file, its next request" in str(text) for text in warnings
    ):
        tally.counts["file says another size, and that is said"] += 1
    else:
        tally.say(f"{case}: inspect of the file {found:,}, compact {tokens:,}")
    check_verdict(written, notes, case, tally)
    linted = json.loads(run_command("lint", str(written), "--json").out)
    lint = said["lint"]
    assert isinstance(lint, dict)
    foreseen: Any = lint.get(linted["provider"])
    if foreseen is not None:
        tally.counts["errors foreseen"] += 1
        before = foreseen["after"]["errors"]
        if before != linted["errors"]:
            tally.say(
                f"{case}: {before} errors foreseen, lint of the file {linted['errors']}"
            )


def check_verdict(written: Path, notes: str, case: str, tally: Tally) -> None:
    """Compare the line "Wrote …" with ``lint`` of the file."""
    wrote = next((line for line in notes.splitlines() if line.startswith("Wrote ")), "")
    linted = run_command("lint", str(written))
    head = linted.out.splitlines()[0] if linted.out else linted.err.strip()
    _, messages, verdict = [*head.split(" · "), "", ""][:3]
    tally.counts["verdicts compared"] += 1
    if not linted.out and wrote.endswith("It cannot be opened again."):
        return
    says_count = any(f": {messages}{end}" in wrote for end in (",", " (shown here as"))
    if not wrote.endswith(f"{verdict[1:]}.") or not says_count:
        tally.say(f"{case}: {wrote[-120:]!r}, lint says {messages}, {verdict!r}")


def check_copies(source: Source, folder: Path, tally: Tally) -> None:
    """Compare what ``convert`` and ``repair`` say of their copies with ``lint`` of these."""
    name, suffix = source.conversation.format, source.path.suffix
    targets = [name, "openai_chat", "anthropic_messages"]
    for target in dict.fromkeys(targets):
        copy = folder / f"copy{suffix if target == name else '.json'}"
        ran = run_command(
            "convert", str(source.path), "--to", target, "-o", str(copy), "--yes"
        )
        _check_copy(copy, ran.err, f"{source.name} · convert --to {target}", tally)
    mended = folder / f"mended{suffix}"
    where = ("-o", str(mended), "--yes")
    ran = run_command("repair", str(source.path), *where, "--json")
    case = f"{source.name} · repair"
    if _check_copy(mended, ran.err, case, tally) and ran.out:
        left = json.loads(ran.out)["left"]
        linted = json.loads(run_command("lint", str(mended), "--json").out)
        for severity in ("errors", "warnings"):
            ours, theirs = left[severity], linted[severity]
            if ours != theirs:
                tally.say(
                    f"{case}: {ours} {severity} left, lint of the copy finds {theirs}"
                )


def _check_copy(copy: Path, notes: str, case: str, tally: Tally) -> bool:
    if FAILED in notes:
        tally.say(f"{case}: {notes.strip().splitlines()[-1]}")
        return False
    if "Wrote " not in notes:
        tally.counts["copies refused"] += 1
        return False
    check_verdict(copy, notes, case, tally)
    return True


def is_same(found: int, tokens: int) -> bool:
    return abs(found - tokens) <= max(1, _TOLERANCE * tokens)


def _window(source: Source, strategy: str, limit: int) -> Said:
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, limit)
    options = PreviewOptions(
        scope=opening_scope(source.conversation), checks=False, waits_for_limit=True
    )
    preview = compute_preview(
        source.conversation, layers.resolve(), options, source.stages
    )
    gauge = preview_verdict(preview_columns(preview)).gauge
    notices = [one for one in preview_notices(preview, "") if one.topic == "result"]
    no_op = preview.result.compaction.no_op
    assert bool(notices) is (no_op is not None), "the window says why nothing was done"
    findings = summary_findings(preview, source.stages)
    return Said(
        preview.sizes.before_tokens,
        gauge.after,
        no_op.reason if no_op else "",
        preview_warnings(preview),
        None if findings is None else [one.text for one in findings],
    )


def _library(source: Source, strategy: str, limit: int) -> Said:
    with patch.object(preview_options, "StageCache", lambda: source.stages):
        made = compact(source.conversation, strategy=strategy, limit=limit)
    return Said(made.tokens_before, made.tokens_after, made.no_op, made.warnings)


def _mcp(source: Source, strategy: str, limit: int) -> Said:
    """Return what the tool says, in texts as long as those of others."""
    arguments = {"path": str(source.path), "strategy": strategy, "details": True}
    limits = {"settings": {"compression.context-limit": limit}}
    return _said_in(
        json.loads(compact_messages(ManualCompactions(), {**arguments, **limits}))
    )


@contextmanager
def read_once(source: Source) -> Iterator[None]:
    """Let commands have a transcript as it was read, and the file that was written last."""
    last: dict[tuple[object, ...], Loaded] = {}

    def read(
        path: Path | str, request: ReadRequest | None = None, *, format: str = ""
    ) -> Loaded:
        if Path(path) == source.path:
            return source.loaded
        status = Path(path).stat()
        asked = (request.conversation, request.branch) if request else None
        key = (str(path), status.st_mtime_ns, status.st_size, asked, format)
        if key not in last:
            loaded = load_with_reason(path, request, format=format)
            last.clear()
            last[key] = loaded
        return last[key]

    def opened(loaded: Loaded, *arguments: Any) -> opened_transcript.OpenedConversation:
        transcript = open_loaded(loaded, *arguments)
        if loaded is source.loaded:
            transcript.stages = source.stages
        return transcript

    open_loaded = opened_transcript.opened_conversation
    with (
        patch.object(registry, "load_with_reason", read),
        patch.object(opened_transcript, "opened_conversation", opened),
    ):
        yield
    source.stages.results.clear()


def sources(folder: Path, copies: Path, most: int) -> Iterator[Source]:
    """Yield the transcripts of a folder that can be written, smallest first, each followed by a
    copy without reported sizes where it has some."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    found = 0
    for path in sorted(paths, key=lambda path: path.stat().st_size):
        if found == most or path.stat().st_size > _LARGEST:
            return
        source = read_source(path, path.relative_to(folder).as_posix())
        if source is None:
            continue
        found += 1
        yield source
        copy = _unreported(source, copies / f"{found}{path.suffix}")
        if copy is not None:
            yield copy


def read_source(path: Path, name: str) -> Source | None:
    """Return a transcript, None for one that cannot be read or written."""
    try:
        loaded = load_with_reason(path)
    except FoldlineError:
        return None
    if loaded[0].format not in _WRITTEN or not loaded[0].messages:
        return None
    return Source(name, path, loaded)


def _unreported(source: Source, copy: Path) -> Source | None:
    """Return a copy of a transcript without the sizes that it reports; None where it has none, or
    where they cannot be taken out."""
    if not source.conversation.usage:
        return None
    text = source.path.read_text(encoding="utf-8", errors="replace")
    try:
        copy.write_text(json.dumps(_stripped(json.loads(text))), encoding="utf-8")
    except (ValueError, RecursionError):
        lines = [_stripped_line(line) for line in text.split("\n") if line]
        copy.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = read_source(copy, f"{source.name}, sizes not reported")
    return made if made is not None and not made.conversation.usage else None


def _stripped_line(line: str) -> str:
    try:
        return json.dumps(_stripped(json.loads(line)))
    except (ValueError, RecursionError):
        return line


def _stripped(value: Json) -> Json:
    if isinstance(value, list):
        return [_stripped(one) for one in value]
    if isinstance(value, dict):
        return {
            key: _stripped(one) for key, one in value.items() if key not in _REPORTED
        }
    return value


def drawn(sources: Sequence[Source], inputs: int, seed: int) -> list[list[Case]]:
    """Return the results to look at, those of a transcript together, in an order drawn from the
    seed; all of them where ``inputs`` is 0."""
    names, dice = [strategy.name for strategy in STRATEGIES], random.Random(seed)
    cases = [
        [(source, name, limit) for name, limit in product(names, _limits_of(source))]
        for source in sources
    ]
    dice.shuffle(cases)
    each = max(1, inputs // max(1, len(cases)))
    return [dice.sample(own, min(each, len(own))) if inputs else own for own in cases]


def _limits_of(source: Source) -> Sequence[int]:
    """Return the windows up to the first that holds the whole transcript: in all others it is as it
    is in that one."""
    whole = size(source.conversation)
    above = sum(limit < whole for limit in LIMITS)
    return LIMITS[: above + 1]


def run_walk(
    folder: Path,
    *,
    inputs: int,
    files: int = -1,
    seed: int = 1,
    seconds: float = math.inf,
) -> Tally:
    """Walk a folder until the time is over; prints each contradiction when it is found."""
    tally, end = Tally(), time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory(prefix="foldline-") as place,
        own_home(Path(place)),
    ):
        scratch = Path(place)
        for cases in drawn(list(sources(folder, scratch, files)), inputs, seed):
            source = cases[0][0]
            if time.monotonic() > end:
                break
            tally.counts["transcripts"] += 1
            with read_once(source):
                _check_source(source, cases, scratch, tally)
    return tally


def _check_source(
    source: Source, cases: Sequence[Case], scratch: Path, tally: Tally
) -> None:
    copies = partial(check_copies, source, scratch, tally)
    _guarded(f"{source.name} · copies", tally, copies)
    for _, strategy, limit in cases:
        result = partial(check_result, source, strategy, limit, scratch, tally)
        _guarded(f"{source.name} · {strategy} · {limit:,}", tally, result)


def _guarded(case: str, tally: Tally, work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:  # what any result raises is one of the contradictions
        tally.say(f"{case}: {type(error).__name__}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.studies.promise")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--inputs", type=int, default=0, help="results to look at (default: all)"
    )
    parser.add_argument(
        "--files", type=int, default=-1, help="transcripts (default: all)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="end after that time"
    )
    options = parser.parse_args()
    tally = run_walk(**vars(options))
    for name, count in tally.counts.items():
        print(f"{count:>8,}  {name}")
    print(f"{len(tally.contradictions):>8,}  contradictions")
    return 1 if tally.contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
