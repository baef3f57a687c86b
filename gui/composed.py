"""Sentences that core composed, in the language of the window.

A ``Phrase`` knows its template. Reasons, warnings and errors from the depths of core are plain text, made in
a thousand places; the catalogue holds their templates (``make translations`` reads them from the source),
and what a sentence was made of is found out by matching. What matches nothing stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from xml.etree import ElementTree

from core.view.phrases import Phrase, Quoted
from core.view.values import Span

_HOLE = re.compile(r"\{[^{}]*\}")
_HOLES = re.compile(r"(\{[^{}]*\})(?:\{[^{}]*\})+")
"""Values side by side, which no text between tells apart: they are taken as one."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[^\W\d_a-z]|[#≈“„\"\d])")
_STRICT, _LOOSE = r"((?:(?!\. [^\W\d_a-z]).)*?\.?)", r"(.*?)"
_COUNT = r"([≈=~]?[−+]?[\d,.]+[kM]?\+?)"
_PLURAL = r"([\d,].*?)"
_NAMES = frozenset(
    {
        "name",
        "path",
        "model",
        "profile",
        "key",
        "strategy",
        "preset",
        "file",
        "folder",
        "tool",
        "id",
        "label",
        "who",
    }
)
"""Places of names: one word there is nobody's to translate."""
_COUNTS = frozenset({"count", "int", "number", "keep", "most", "lines"})
"""Places of numbers."""
_SEPARATORS = (" · ", "; ", ": ", ", ")
_WEAK, _SHARE = 11, 0.2
"""The letters, and the share of a text, that a template has to fix where what stands in it is not known."""
_ENGLISH = re.compile(r"(?:a|all|an|and|are|is|it|its|no|not|of|some|that|the|this|to|was|were|with)\.?")
_NAME = re.compile(r"\S*[/._\d]\S*|[≈=−+]?[\d.,]+ [^\W\d_]{1,3}\.?|[^\s,]+(, [^\s,]+)+\.?|\S+ \([\d,]+\)")
"""A path, a file, an id, a figure with its unit, or a list of names."""
_LONGEST = 10
"""Words of a text that is tried to be told in two pieces."""
_MOST = 30_000
"""Sentences that are remembered."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A template with its translation.

    ``literals`` are its fixed parts, round the ``holes``; ``longest`` is the longest of them, ``weight`` how
    many letters they have together.
    """

    literals: tuple[str, ...]
    longest: str
    holes: tuple[str, ...]
    translation: str
    weight: int


class Composer:
    """Translates by a catalogue: text or template to its translation."""

    def __init__(self, catalogue: Mapping[str, str]) -> None:
        self._whole = {
            text.strip(): said.strip() for text, said in catalogue.items() if not _HOLE.search(text)
        }
        self._by_word: dict[str, list[_Template]] = {}
        for text, said in catalogue.items():
            if _HOLE.search(text) and "\n" not in text:
                self._by_word.setdefault(_key_word(text), []).append(_template(text, said))
        self._told: dict[str, str | None] = {}

    def sentence(self, text: str) -> str:
        """A text of more than one word in the other language; as it was where it is unknown."""
        return self.words(text) if " " in text.strip() else text

    def words(self, text: str) -> str:
        """The same for texts that may be one word alone, such as labels."""
        bare = text.strip()
        said = self._piece(bare)
        if said is not None and bare.endswith(".") and not bare[0].islower():
            said = said[:1].upper() + said[1:]
        return text if said is None else text.replace(bare, said, 1)

    def _piece(self, text: str) -> str | None:
        """The translation of a text without blanks round it, None where it is unknown; remembered."""
        if text not in self._told:
            if len(self._told) >= _MOST:
                self._told.clear()
            self._told[text] = self._translated(text) if _WORD.search(text) else None
        return self._told[text]

    def _translated(self, text: str) -> str | None:
        if " " not in text:
            return self._whole.get(text)
        if "\n" in text:
            return "\n".join(map(self.words, text.split("\n")))
        return (
            self._known(text)
            or self._by_sentence(text)
            or self._listed(text)
            or self._in_two(text)
            or self._matched(text, is_sure=False)
        )

    def _known(self, text: str) -> str | None:
        """As the catalogue has it; the first letter and a full stop at the end may differ."""
        other = text[:1].swapcase() + text[1:]
        variants = [(text, ""), (other, ""), (f"{text}.", "."), (f"{other}.", ".")]
        if text.endswith((".", ",")):
            variants += [(text[:-1], ""), (other[:-1], "")]
        for find in (self._whole.get, self._matched):
            for variant, end in variants:
                said = find(variant)
                if said is not None:
                    said = said.removesuffix(end) + (text[-1] if len(variant) < len(text) else "")
                    return said[:1].upper() + said[1:] if text[:1].isupper() else said
        inner = self._known(text[1:-1]) if text.startswith("(") and text.endswith(")") else None
        return None if inner is None else f"({inner})"

    def _matched(self, text: str, is_sure: bool = True) -> str | None:
        """By a template; by one whose values are unknown only where most of the text is its own."""
        for template in self._candidates(text):
            if not is_sure and template.weight < max(_WEAK, len(text) * _SHARE):
                continue
            found = _pattern(template, is_sure).fullmatch(text)
            said = self._filled(template, found.groups(), is_sure=is_sure) if found is not None else None
            if said is not None:
                return said
        return None

    def _candidates(self, text: str) -> list[_Template]:
        """The templates that share a word with the text, those with the most fixed letters first."""
        keys = {"", *_WORD.findall(text)}
        found = [one for key in keys for one in self._by_word.get(key, ()) if one.longest in text]
        return sorted(found, key=lambda one: -one.weight)

    def _filled(self, template: _Template, values: tuple[str, ...], *, is_sure: bool) -> str | None:
        """The translation with its values; None where a value is unknown that has to be known."""
        said = {}
        for hole, value in zip(template.holes, values, strict=True):
            if _ENGLISH.fullmatch(value):
                return None
            if _NAME.fullmatch(value) or (" " not in value and hole.strip("{}0123456789") in _NAMES):
                said[hole] = value
            elif is_sure and not (self._may_stay if template.weight >= _WEAK else self._is_firm)(value):
                return None
            else:
                said[hole] = self.words(value)
        return _HOLE.sub(lambda found: said.get(found[0], ""), template.translation)

    def _may_stay(self, text: str) -> bool:
        """Known, or a name, a list of names or a number as they may stand in any language."""
        return _is_name(text) or self._piece(text.strip()) is not None

    def _is_firm(self, text: str) -> bool:
        """The same without what weak templates make of it: of "in 3 of 4 lines" they make too much."""
        bare = text.strip()
        return (
            _is_name(text)
            or bare in self._whole
            or any(map(partial(_is_proof, bare), self._candidates(bare)))
        )

    def _by_sentence(self, text: str) -> str | None:
        """Sentence by sentence; several that were made together stay together."""
        parts = _SENTENCE_END.split(text)
        found = None
        for size in range(len(parts) - 1, 0, -1):
            first, rest = " ".join(parts[:size]), " ".join(parts[size:])
            said = self._known(first) or (self._piece(first) if size == 1 else None)
            if said is not None:
                found = f"{said} {self.words(rest)}"
                if self._piece(rest) is not None:
                    break
        return found

    def _listed(self, text: str) -> str | None:
        """Part by part, where all parts are known; parts that were made together stay together."""
        for separator in _SEPARATORS:
            parts = text.split(separator)
            said = self._row(parts, separator, []) if len(parts) > 1 else None
            if said is not None and said != text:
                return said
        return None

    def _row(self, parts: list[str], separator: str, done: list[str]) -> str | None:
        """The parts after those that are done; a template may begin with the separator itself."""
        if not parts:
            return "".join(done)
        for size in range(len(parts) - (not done), 0, -1):
            said = self._group(separator.join(parts[:size]), separator if done else "", is_one=size == 1)
            if said is not None:
                return self._row(parts[size:], separator, [*done, said])
        return None

    def _group(self, text: str, lead: str, *, is_one: bool) -> str | None:
        """One part of a row or several, behind what separates them from those before."""
        known = self._known(f"{lead.strip()} {text}") if lead else None
        if known is not None:
            return known
        known = self._known(text) if " " in text or lead != ", " else None
        if known is None and is_one and self._may_stay(text):
            known = self.sentence(text) if lead == ", " else self.words(text)
        return None if known is None else lead + known

    def _in_two(self, text: str) -> str | None:
        """A beginning and a rest that are known, each by itself: "3 messages" and "dropped"."""
        words = text.split(" ")
        for size in range(len(words) - 1, 0, -1) if len(words) <= _LONGEST else ():
            first, rest = " ".join(words[:size]), " ".join(words[size:])
            if all(
                not _WORD.search(one) or _NAME.fullmatch(one) or self._known(one) for one in (first, rest)
            ):
                return f"{self.words(first)} {self.words(rest)}"
        return None

    def spans(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        """A sentence with links: as a whole where all links can be found again, else part by part."""
        whole = "".join(span.text for span in spans)
        is_ours = not any(isinstance(span.text, Phrase | Quoted) for span in spans)
        said = self.sentence(whole) if is_ours else whole
        linked = tuple(self._linked(said, [span for span in spans if span.link])) if said != whole else None
        if linked is None or sum(bool(span.link) for span in linked) < sum(bool(span.link) for span in spans):
            linked = tuple(replace(span, text=self._own(span.text)) for span in spans)
        return spans if linked == spans else linked

    def _own(self, text: str) -> str:
        """A piece of a sentence; phrases and words of a transcript are told elsewhere."""
        return text if isinstance(text, Phrase | Quoted) else self.sentence(text)

    def _linked(self, text: str, links: list[Span]) -> Iterator[Span]:
        """The text with its links, each at the first place that none has taken."""
        places: list[tuple[int, int, str]] = []
        for span in links:
            told = self.words(span.text)
            for name in (span.text, told, told[:1].upper() + told[1:]):  # it may have come to the beginning
                at = _free(text, name, places)
                if at >= 0:
                    places.append((at, at + len(name), span.link))
                    break
        done = 0
        for start, end, link in sorted(places):
            if start > done:
                yield Span(text[done:start])
            yield Span(text[start:end], link)
            done = end
        if done < len(text):
            yield Span(text[done:])


def _is_proof(text: str, template: _Template) -> bool:
    """Whether a text is surely made from a template: by its fixed letters, or as it holds no other."""
    found = _pattern(template, True).fullmatch(text)
    return found is not None and (template.weight >= _WEAK or not any(map(_WORD.search, found.groups())))


def _is_name(text: str) -> bool:
    bare = text.strip()
    is_name = " " not in bare or _NAME.fullmatch(bare)
    return not _WORD.search(bare) or bool(is_name and not _ENGLISH.fullmatch(bare))


def _free(text: str, name: str, taken: list[tuple[int, int, str]]) -> int:
    """Where a name stands alone, -1 for nowhere: #8 is not found in #84."""
    for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        if all(found.end() <= start or found.start() >= end for start, end, _ in taken):
            return found.start()
    return -1


def _template(text: str, said: str) -> _Template:
    text, said = _HOLES.sub(r"\1", text), _HOLES.sub(r"\1", said)
    holes, literals = tuple(_HOLE.findall(text)), tuple(_HOLE.split(text))
    weight = sum(len(literal) - literal.count(" ") for literal in literals)
    weight += _WEAK if all(map(_is_count, holes)) else 0
    return _Template(literals, max(literals, key=len), holes, said, weight)


@cache  # made when first looked at: all of them would cost the window a fifth of a second
def _pattern(template: _Template, is_strict: bool) -> re.Pattern[str]:
    """A template as a pattern; a strict one lets no value reach over the end of a sentence."""
    anything = _STRICT if is_strict else _LOOSE
    parts = [re.escape(template.literals[0])]
    for hole, literal in zip(template.holes, template.literals[1:], strict=True):
        value = _COUNT if _is_count(hole) else _PLURAL if hole.startswith("{plural") else anything
        parts += [value, re.escape(literal)]
    return re.compile("".join(parts))


def _is_count(hole: str) -> bool:
    return hole.strip("{}0123456789").partition(":")[0] in _COUNTS


def _key_word(template: str) -> str:
    """The longest word that no value touches, by which a template is found; "" for none."""
    words = re.findall(r"(?<![\w}])[^\W\d_]{2,}(?![\w{])", template)
    return max((word for word in words if f"{{{word}" not in template), key=len, default="")


def read_catalogue(path: Path) -> dict[str, str]:
    """Texts and templates to their translations, as Qt Linguist keeps them; words of a kind stay out."""
    messages = ElementTree.parse(path).getroot().iter("message")
    return {
        one.findtext("source", ""): one.findtext("translation", "")
        for one in messages
        if one.find("comment") is None and one.findtext("translation")
    }
