"""The catalogues of translated texts: ``python -m tests.translations`` (make translations) writes them.

New texts come in unfinished, texts that are gone go out; Qt Linguist (pyside6-linguist) fills in the rest.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from core.analysis.fidelity_values import FactKind
from core.export.registry import EXPORTERS
from core.probes.values import ProbeKind
from core.samples import samples
from core.settings.declarations import SETTINGS
from core.settings.values import Layer
from core.strategies.registry import STRATEGIES
from core.view import compare_values, folder_values, replay_values, session_order
from core.view.values import FATES, INSERTED
from gui.action_table import ACTIONS
from gui.language import CATALOGUES, CONTEXT, ENGLISH, LANGUAGES, LAYER
from tests.source_tree import files, name_of, tree
from tests.translations_core import composed

_MARKERS = {"tr": 0, "phrase": 0}
"""Functions whose literal is a text, and which of their arguments it is."""
_PLURAL = "plural"
_COLUMNS = (
    *(compare_values.COLUMNS, replay_values.COLUMNS, session_order.COLUMNS),
    *(folder_values.MEANS, folder_values.FILES),
)
LOOSE = (
    *("top", "bottom", "middle", "tail", "protected", "remove", "summarise", "truncate", "short"),
    "thinking",
    "sub-agent",
    "Expecting value",
    "Expecting property name enclosed in double quotes",
    "Expecting ':' delimiter",
    "Expecting ',' delimiter",
    "Extra data",
    "Unterminated string starting at",
    "Invalid control character at",
)
"""Rules and words of exporters and readers, what Python says of JSON: they stand in sentences of ours."""
_NAMES = re.compile(r"\{\w*[^}]*\}")


class Text(NamedTuple):
    """A text, and what kind of word it is where the same letters mean two things."""

    text: str
    kind: str = ""


def found() -> list[Text]:
    """Every text that a window may show in another language, each once, in the order of the files.

    Those of core that no phrase marks come last (``tests.translations_core``).
    """
    marked = (text for path in files("gui", "core/view") for text in _marked(path))
    plain = (Text(text) for text in (*declared(), *marked, *composed()) if _has_words(text))
    return list(dict.fromkeys((*plain, *(Text(layer.value, LAYER) for layer in Layer))))


def declared() -> Iterator[str]:
    """What tables declare: actions, settings, strategies, exporters, columns, and the words for fates."""
    for row in ACTIONS:
        yield from (row.text, row.tip, row.menu, row.group)
    for setting in SETTINGS:
        yield from (setting.label, setting.help, setting.section, setting.unit)
    for strategy in STRATEGIES:
        yield from (strategy.about, *((strategy.emulates.source,) if strategy.emulates else ()))
    for one in EXPORTERS:
        yield from (one.label, one.about, one.group.value)
    yield from (*FATES, INSERTED)
    yield from (kind.value for kind in (*FactKind, *ProbeKind))
    yield from (sample.about for sample in samples())
    yield from LOOSE
    for columns in _COLUMNS:
        yield from columns


def _has_words(text: str) -> bool:
    return any(one.isalpha() for one in _NAMES.sub("", text))


def _marked(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            if name in _MARKERS:
                yield from (one for one in texts[:1] if isinstance(one, str))
            elif name == _PLURAL:
                yield from _plural([one for one in texts if isinstance(one, str)])


def _plural(nouns: list[str]) -> Iterator[str]:
    """The two templates of ``numbers.plural(3, "message")``."""
    if nouns:
        one, many = nouns[0], nouns[1] if len(nouns) > 1 else f"{nouns[0]}s"
        yield from (f"{{count}} {one}", f"{{count}} {many}")


def catalogue(language: str) -> Path:
    """The file that Qt Linguist edits."""
    return CATALOGUES / f"foldline_{language}.ts"


def compiled(language: str) -> Path:
    """The file that the window loads."""
    return catalogue(language).with_suffix(".qm")


def translations(language: str) -> dict[Text, str]:
    """Text to translation; empty where it is unfinished."""
    if not catalogue(language).exists():
        return {}
    root = ElementTree.parse(catalogue(language)).getroot()
    messages = root.iter("message")
    return {Text(one.findtext("source", ""), one.findtext("comment", "")): _finished(one) for one in messages}


def _finished(message: ElementTree.Element) -> str:
    node = message.find("translation")
    return "" if node is None or node.get("type") else node.text or ""


def write(language: str) -> None:
    """Bring a catalogue up to date, and compile it."""
    known = translations(language)
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage=ENGLISH)
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text in found():
        message = ElementTree.SubElement(context, "message")
        ElementTree.SubElement(message, "source").text = text.text
        if text.kind:
            ElementTree.SubElement(message, "comment").text = text.kind
        node = ElementTree.SubElement(message, "translation")
        node.text = known.get(text, "")
        if not node.text:
            node.set("type", "unfinished")
    ElementTree.indent(root, "    ")
    body = ElementTree.tostring(root, encoding="unicode")
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
    CATALOGUES.mkdir(exist_ok=True)
    catalogue(language).write_text(f"{head}{body}\n", encoding="utf-8")
    release = Path(sys.executable).with_name("pyside6-lrelease")
    call = [str(release), "-silent", str(catalogue(language)), "-qm", str(compiled(language))]
    subprocess.run(call, check=True)
    left = sum(not one for one in translations(language).values())
    print(f"{name_of(catalogue(language))}: {len(found())} texts, {left} unfinished")


if __name__ == "__main__":
    for one in LANGUAGES:
        if one != ENGLISH:
            write(one)
