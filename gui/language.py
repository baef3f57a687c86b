"""The language of the window: which there are, and every text in it.

``make translations`` finds ``tr("…")`` round a literal, ``phrase("…")``, and the sentences of core. Values of
core are translated once, when they arrive: their phrases, and the fields that hold composed sentences
(``gui.sentences``); what a file says stays as it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from core.paths import RESOURCES
from core.view.phrases import Phrase, Quoted

if TYPE_CHECKING:
    from gui.composed import Composer

CONTEXT = "foldline"
LAYER = "layer"
"""The kind of the words session, saved and default where they name a layer of settings."""
CATALOGUES = RESOURCES / "translations"
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de")
_SPOKEN = "language"
"""The property of the application that says which."""


def tr(text: str, kind: str = "") -> str:
    """``text`` in the window's language; the values of a phrase are put into its translation.

    ``kind`` tells words apart that English writes alike.
    """
    if not text:
        return text
    if not isinstance(text, Phrase):
        return QCoreApplication.translate(CONTEXT, text, kind)
    template = QCoreApplication.translate(CONTEXT, text.template) if text.template else ""
    values = {name: _value(one) for name, one in text.values.items()}
    return template.format(**values) if values else template


def _value(value: object) -> object:
    """What stands in a phrase; a sentence of core in it is translated, one word alone is a name."""
    return told(value) if isinstance(value, str) else value


def told(text: str) -> str:
    """A sentence of core in the window's language, an error's for example; as it is where it is unknown."""
    if isinstance(text, Phrase):
        return tr(text)
    if spoken() == ENGLISH or isinstance(text, Quoted):
        return text
    return composer(spoken()).sentence(text)


@cache
def composer(name: str) -> Composer:
    """What translates composed sentences into a language; English loads none."""
    from gui.composed import Composer, read_catalogue

    return Composer(read_catalogue(CATALOGUES / f"foldline_{name}.ts"))


def translated(value: Any) -> Any:
    """A value of core in the window's language: its phrases, and its fields with sentences or labels."""
    from dataclasses import fields, is_dataclass, replace  # late: the first paint does not need it

    from gui.sentences import LABELS, SENTENCES

    if spoken() == ENGLISH:
        return value
    if isinstance(value, Phrase):
        return tr(value)
    if type(value) is tuple:
        parts = tuple(map(translated, value))
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    name = type(value).__name__
    said, labels = SENTENCES.get(name, ()), LABELS.get(name, ())
    new = {
        one.name: _said(getattr(value, one.name), is_label=one.name in labels)
        if one.name in said or one.name in labels
        else translated(getattr(value, one.name))
        for one in fields(value)
        if one.init
    }
    changed = {name: one for name, one in new.items() if one is not getattr(value, name)}
    return replace(value, **changed) if changed else value


def _said(value: Any, *, is_label: bool) -> Any:
    """A field of sentences or labels; a sentence with links is one as a whole."""
    from core.view.values import Span

    if type(value) is tuple:
        if value and isinstance(value[0], Span):
            return _linked(value)
        parts = tuple(_said(one, is_label=is_label) for one in value)
        return parts if parts != value else value
    if not isinstance(value, str) or isinstance(value, Quoted):
        return translated(value)
    new = composer(spoken()).words(value) if is_label and not isinstance(value, Phrase) else told(value)
    return new if new != value else value


def _linked(spans: Any) -> Any:
    return translated(composer(spoken()).spans(spans))


def language(choice: str) -> str:
    """The language that a choice comes to; "system" is English where the system's is not among them."""
    name = QLocale.system().name().partition("_")[0] if choice == "system" else choice
    return name if name in LANGUAGES else ENGLISH


def known(choice: str) -> str:
    """The choice, or "system" for one that this version does not know."""
    return choice if choice in LANGUAGES else "system"


def spoken() -> str:
    """The language of the window now."""
    app = QCoreApplication.instance()
    return str(app.property(_SPOKEN) or ENGLISH) if app is not None else ENGLISH


def speak(app: QCoreApplication, choice: str) -> None:
    """Let windows made from now on speak the language of a choice. English loads nothing."""
    name = language(choice)
    if name == spoken():
        return
    app.setProperty(_SPOKEN, name)
    for former in app.findChildren(QTranslator):
        app.removeTranslator(former)
        former.deleteLater()
    if name == ENGLISH:
        return
    from PySide6.QtCore import QLibraryInfo  # late: to name a folder Python builds an enum

    of_qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for file, folder in ((f"qtbase_{name}", of_qt), (f"foldline_{name}", str(CATALOGUES))):
        translator = QTranslator(app)
        if translator.load(file, folder):
            app.installTranslator(translator)
