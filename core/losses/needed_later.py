"""What the model used later of the messages before a cut, and what of it a result still has.

Needed are the names that the model's later text and calls used, that stood before the cut, and that
stand nowhere in what others gave it in between, nor in what the agent sends with each request: the
system prompt and the tools. Names of tools and of their arguments are not needed, nor names that
sessions of many repositories share: a model knows them anyway. A path is known by the last two
parts of it, as a model writes the rest from the folder that it works in. A name is kept where the
result has it with its surroundings; paths and URLs say enough without them. It is gone only where
it stands nowhere.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, chain
from pathlib import Path

from core.common.excerpts import as_json
from core.common.json_value import Json
from core.facts.name_patterns import (
    TELLING_KINDS,
    Name,
    NameKind,
    canonical,
    names_in,
    spellings,
)
from core.facts.sentences import block_texts
from core.losses.texts import argument_names, places_of_name, read_texts, text_index
from core.transcript.model import (
    Message,
    Progress,
    Speaker,
    SystemPart,
    ToolCall,
    ToolResponse,
    no_progress,
    tool_calls,
)
from core.transcript.todos import is_todo_call
from core.transcript.tool_pairs import Pairs, find_pairs

_FILE = Path(__file__).with_name("common_names.txt")


@cache
def common_names() -> frozenset[str]:
    """Return the names of the shipped list, as ``name_key`` gives them.

    ``python -m tests.tools.common_names`` makes the list."""
    lines = _FILE.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


CONTINUED_AT = 0.70
"""The share of a transcript's tokens after which the rest counts as what came later."""
SURROUNDINGS = 16
"""Characters beside a name, white space folded, by which its mention is known again."""
_BARE = frozenset([NameKind.PATH, NameKind.URL])
_TOLD_BY_FILES = frozenset([NameKind.PATH, NameKind.URL, NameKind.ID])
_WRITTEN = frozenset(
    (
        *("content", "contents", "file_text", "new_source"),
        *("new_string", "newString", "new_str", "newText", "new_text"),
    )
)
"""Arguments with what a call writes into a file."""
_MIN_NAME = 4  # characters; shorter ones meet by chance
_SPACE = re.compile(r"\s+")
_PATH_STROKE = re.compile(r"[/\\]+")
_STROKES = ("\\", "\\\\", "\\/")
_BACKSLASHES = re.compile(r"\\+")
_PATH_PARTS = 2  # of the end of a path, by which it is known


@dataclass(frozen=True, slots=True)
class NeededName:
    """``uses``: the later messages of the model with it; ``message``: the last one before the
    cut."""

    text: str
    kind: NameKind
    uses: int
    message: int


@dataclass(frozen=True, slots=True)
class NeededLater:
    """How many names later turns used, and how many a result keeps: with their surroundings, and
    bare, if only as a part of a longer one. ``gone`` are the others."""

    used: int
    kept: int
    kept_bare: int
    gone: tuple[NeededName, ...] = ()

    @property
    def kept_alone(self) -> int:
        """Number of names that stand there without their surroundings."""
        return self.kept_bare - self.kept

    @property
    def share(self) -> float | None:
        """The share of the needed names that is kept; None where none was needed."""
        if self.used:
            return self.kept / self.used
        return None


@dataclass(frozen=True, slots=True)
class _Use:
    """``first``: the first later message of the model with a name; ``count``: the number of them."""

    name: Name
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class _Mention:
    message: int
    text: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterNeeds:
    """What was needed of the messages before ``cut``, by name, and where it stands there."""

    cut: int
    names: Mapping[str, NeededName]
    mentions: Sequence[_Mention]
    names_of_texts: Mapping[str, frozenset[str]]
    escaped_texts: Sequence[str] = ()
    _surroundings: dict[str, set[str]] = field(default_factory=dict)
    _holders: dict[str, frozenset[str]] = field(default_factory=dict)

    def holders(self, name: str) -> frozenset[str]:
        """Return the texts before a cut that hold a name, if only as a part of a longer one."""
        if name not in self._holders:
            self._holders[name] = frozenset(
                _texts_with(name, self.names_of_texts, self.escaped_texts)
            )
        return self._holders[name]

    def surroundings(self, names: Set[str]) -> Mapping[str, set[str]]:
        """Return what stands beside the mentions of names; it is looked up once for each name."""
        if missing := names - self._surroundings.keys():
            self._surroundings.update((name, set()) for name in missing)
            end = bisect_left(
                self.mentions, self.cut, key=lambda mention: mention.message
            )
            for text in dict.fromkeys(
                one.text for one in self.mentions[:end] if one.names & missing
            ):
                for found in names_in(text):
                    if (name := name_key(found)) in missing:
                        self._surroundings[name].update(_sides(text, found))
        return self._surroundings


NO_SYSTEM = SystemPart()
_ACTIVITY = "Looking for names that later turns used"


def needs_after(
    messages: Sequence[Message],
    spans: Sequence[tuple[int, int]],
    system: SystemPart = NO_SYSTEM,
    progress: Progress = no_progress,
) -> tuple[LaterNeeds | None, ...]:
    """Return what the model needed in ``messages[cut:end]`` of ``messages[:cut]``, for each (cut,
    end); None where it says nothing there. ``system`` is sent with each request. The messages are
    read once, whatever the number of spans."""
    tools = frozenset(_names_of_tools(messages))
    uses = [_uses(messages[cut:end], tools, progress) for cut, end in spans]
    used_names = set(chain.from_iterable(uses))
    end = max((cut for cut, _ in spans), default=0)
    mentions = []
    names_of_texts = dict[str, frozenset[str]]()
    for index, message in enumerate(messages[:end]):
        progress(index / end, _ACTIVITY)
        for text in block_texts(message):
            # The same text comes again and again, as a file that is read twice.
            names = names_of_texts.get(text)
            if names is None:
                names = names_of_texts[text] = _known_names(text, used_names)
            if names:
                mentions.append(_Mention(index, text, names))
    escaped = _escaped_texts(names_of_texts)
    needs: list[LaterNeeds | None] = []
    for (cut, stop), used in zip(spans, uses, strict=True):
        after = messages[cut:stop]
        if any(message.speaker is Speaker.AI for message in after):
            needed = _needed_names(cut, used, mentions)
            for name in _given(after, system, used, needed.keys()):
                del needed[name]
            needs.append(
                LaterNeeds(
                    cut=cut,
                    names=needed,
                    mentions=mentions,
                    names_of_texts=names_of_texts,
                    escaped_texts=escaped,
                )
            )
        else:
            needs.append(None)
    return tuple(needs)


def find_needs(
    before: Sequence[Message],
    after: Sequence[Message],
    system: SystemPart = NO_SYSTEM,
) -> LaterNeeds | None:
    """Return what ``after`` needed of ``before``; None where the transcript ends."""
    span = (len(before), len(before) + len(after))
    (needs,) = needs_after((*before, *after), [span], system)
    return needs


def needed_later(needs: LaterNeeds, result: Sequence[Message]) -> NeededLater:
    """Return how much of the needed names a result still has."""
    kept: set[str] = set()
    same_texts = set[str]()
    changed_texts: list[str] = []
    for text in chain.from_iterable(map(block_texts, result)):
        known = needs.names_of_texts.get(text)
        if known is None:
            changed_texts.append(text)
        else:
            same_texts.add(text)
            kept |= known
    kept &= needs.names.keys()
    found_names = [
        (name, found, text)
        for text in changed_texts
        for name, found in countable_names(text)
        if name in needs.names
    ]
    bare = {name for name, _, _ in found_names}
    # A path or an address says enough alone; another name says something only where it stands.
    kept |= {name for name in bare if needs.names[name].kind in _BARE}
    surroundings = needs.surroundings(bare - kept)
    kept |= {
        name
        for name, found, text in found_names
        if name not in kept and not surroundings[name].isdisjoint(_sides(text, found))
    }
    bare |= kept
    bare.update(_within(needs.names.keys() - bare, changed_texts))
    bare.update(
        name
        for name in needs.names.keys() - bare
        if not same_texts.isdisjoint(needs.holders(name))
    )
    gone = [one for name, one in needs.names.items() if name not in bare]
    # Of names used equally often, the one that was said last is the likelier to be needed again.
    gone.sort(key=lambda one: (-one.uses, -one.message, one.text))
    return NeededLater(len(needs.names), len(kept), len(bare), tuple(gone))


def countable_names(text: str) -> Iterator[tuple[str, Name]]:
    """Yield the names of a text that can be needed, each with its ``name_key``."""
    for found in names_in(text):
        if found.kind in TELLING_KINDS and len(found.text) >= _MIN_NAME:
            yield name_key(found), found


def name_key(found: Name) -> str:
    """Return by what a name is known again: of a path the last two parts."""
    name = canonical(found.text)
    if found.kind is not NameKind.PATH:
        return name
    parts = _PATH_STROKE.split(name)
    return "/".join(parts[-_PATH_PARTS:])


def continuation_cut(
    messages: Sequence[Message], sizes: Sequence[int], share: float = CONTINUED_AT
) -> int:
    """Return the valid boundary nearest to where a share of the tokens is reached."""
    return nearest_boundary(
        find_pairs(messages), list(accumulate(sizes, initial=0)), share
    )


def nearest_boundary(pairs: Pairs, totals: Sequence[int], share: float) -> int:
    """Return the same; ``totals`` are the tokens up to each boundary."""
    valid = (at for at, is_valid in enumerate(pairs.valid) if is_valid)
    return min(valid, key=lambda at: (abs(totals[at] - share * totals[-1]), at))


def _names_of_tools(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the names of tools and of their arguments: the program of the agent names them in every
    request."""
    for message in messages:
        for call in tool_calls(message):
            yield call.name
            yield from argument_names(call.arguments)


def _uses(
    after: Sequence[Message], tools: Set[str], progress: Progress
) -> dict[str, _Use]:
    """Return the names that the model used and does not know anyway."""
    uses: dict[str, _Use] = {}
    # Of the names that eight sessions used without having them, 15 were common ones and 11 tools.
    known_anyway = tools | common_names()
    for index, message in enumerate(after):
        progress(0.0, _ACTIVITY)
        if message.speaker is not Speaker.AI:
            continue
        for name, found in _names_used(message).items():
            if name in uses:
                uses[name] = replace(uses[name], count=uses[name].count + 1)
            elif name not in known_anyway:
                uses[name] = _Use(found, index, 1)
    return uses


def _names_used(message: Message) -> dict[str, Name]:
    """Return the names in what a model says and in the arguments of its calls."""
    used: dict[str, Name] = {}
    for block in message.blocks:
        if isinstance(block, ToolCall) and isinstance(block.arguments, Mapping):
            used.update(_names_of_call(block, block.arguments))
        elif not isinstance(block, ToolResponse):
            for text in block_texts(replace(message, blocks=(block,))):
                used.update(countable_names(text))
    return used


def _names_of_call(
    call: ToolCall, arguments: Mapping[str, Json]
) -> Iterator[tuple[str, Name]]:
    """Yield the names of a call's arguments. Left out is what proves no memory: a number of its own
    (a timeout, a line), what a to-do tool is given (the agent's program shows the list again,
    mostly where no transcript has it), and identifiers of what is written into a file (of 16 that
    stood only there 14 had been forgotten: interfaces of languages and libraries)."""
    if is_todo_call(call):
        return
    for key, text in _texts_of(arguments):
        for name, found in countable_names(text):
            if key not in _WRITTEN or found.kind in _TOLD_BY_FILES:
                yield name, found


def _texts_of(value: Json, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a JSON value, each with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for inner, one in value.items():
            # All below a text that is written into a file is written there.
            yield from _texts_of(one, key if key in _WRITTEN else inner)
    elif isinstance(value, list):
        for one in value:
            yield from _texts_of(one, key)


def _given(
    after: Sequence[Message],
    system: SystemPart,
    uses: Mapping[str, _Use],
    names: Set[str],
) -> set[str]:
    """Return the names that stood in what others said before the model used them, or that are sent
    with each request."""
    texts: list[str] = []
    places: list[int] = []
    for place, text in _texts_of_others(after, system):
        for read in (*read_texts(text), *_with_strokes(text)):
            texts.append(read)
            places.append(place)
    wanted = chain.from_iterable(map(spellings, names))
    index = text_index(texts, needles=wanted)
    given = set[str]()
    for name in names:
        found = [places[at] for at in places_of_name(index, name)]
        if not found and name.isdecimal():
            # The number of an id, as in "certificate_7504069", is said without its word.
            inside = (
                place
                for place, text in zip(places, texts, strict=True)
                if _has_number(text, name)
            )
            found = [next(inside, len(after))]
        if found and min(found) < uses[name].first:
            given.add(name)
    return given


def _has_number(text: str, number: str) -> bool:
    """Return whether a number stands in a text, between signs that are no letters or digits."""
    if number not in text:
        return False
    return re.search(rf"(?<![^\W_]){number}(?![^\W_])", text) is not None


def _texts_of_others(
    after: Sequence[Message], system: SystemPart
) -> Iterator[tuple[int, str]]:
    """Yield what the model gets without a need of memory, and where: with each request (-1), or as
    a message of somebody else."""
    for text in (*system.texts, *map(as_json, system.tools)):
        yield -1, text
    for place, message in enumerate(after):
        if message.speaker is not Speaker.AI:
            for text in block_texts(message):
                yield place, text


def _with_strokes(text: str) -> Iterator[str]:
    """Yield a text with the strokes of paths as ``name_key`` has them, where it has others."""
    if "\\" in text:
        yield _BACKSLASHES.sub("/", text)


def _known_names(text: str, wanted: set[str]) -> frozenset[str]:
    if wanted:
        return frozenset(name for name, _ in countable_names(text) if name in wanted)
    return frozenset()


def _needed_names(
    cut: int, uses: Mapping[str, _Use], mentions: Sequence[_Mention]
) -> dict[str, NeededName]:
    """Return the names of later uses that stood before a cut."""
    last: dict[str, int] = {}
    for mention in mentions:
        if mention.message >= cut:
            break
        for name in mention.names & uses.keys():
            last[name] = mention.message
    return {
        name: NeededName(
            uses[name].name.text, uses[name].name.kind, uses[name].count, message
        )
        for name, message in last.items()
    }


def _sides(text: str, name: Name) -> Iterator[str]:
    """Yield what stands on each side of a name, or, in a text too short for both, the whole
    text."""
    end = name.start + len(name.text)
    left = _SPACE.sub(" ", text[max(0, name.start - 3 * SURROUNDINGS) : name.start])[
        -SURROUNDINGS:
    ]
    right = _SPACE.sub(" ", text[end : end + 3 * SURROUNDINGS])[:SURROUNDINGS]
    if len(left) == SURROUNDINGS:
        yield f"{left}|"
    if len(right) == SURROUNDINGS:
        yield f"|{right}"
    if len(left) < SURROUNDINGS and len(right) < SURROUNDINGS:
        yield f"{left}|{right}"


def _within(names: set[str], texts: Sequence[str]) -> Iterator[str]:
    """Yield the names that stand in a text as part of a longer one."""
    escaped = _escaped_texts(texts)
    for name in names:
        if any(True for _ in _texts_with(name, texts, escaped)):
            yield name


def _escaped_texts(texts: Iterable[str]) -> list[str]:
    """Return the texts in which JSON or another system may write a name with other signs."""
    return [text for text in texts if "\\" in text]


def _texts_with(
    name: str, texts: Iterable[str], escaped: Iterable[str]
) -> Iterator[str]:
    """Yield the texts with a name, and the ``escaped`` ones with the strokes of another system, or
    as JSON escapes it."""
    yield from (text for text in texts if name in text)
    ways = {name.replace("/", stroke) for stroke in _STROKES}
    ways.add(json.dumps(name)[1:-1])
    for way in ways - {name}:
        yield from (text for text in escaped if way in text)
