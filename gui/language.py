"""The language of the window: which there are, and every text in it.

``tr("…")`` round a literal and ``phrase("…")`` are what ``make translations`` finds. Phrases of core are
translated once, when they arrive; whatever else a file or core says stays as it is.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from core.paths import RESOURCES
from core.view.phrases import Phrase

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
    values = {name: tr(one) if isinstance(one, Phrase) else one for name, one in text.values.items()}
    return template.format(**values) if values else template


def translated(value: Any) -> Any:
    """A value of core with its phrases in the window's language; other texts are data and stay."""
    from dataclasses import fields, is_dataclass, replace  # late: the first paint does not need it

    if isinstance(value, Phrase):
        return tr(value)
    if type(value) is tuple:
        parts = tuple(map(translated, value))
        return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    new = {one.name: translated(getattr(value, one.name)) for one in fields(value) if one.init}
    changed = {name: one for name, one in new.items() if one is not getattr(value, name)}
    return replace(value, **changed) if changed else value


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
