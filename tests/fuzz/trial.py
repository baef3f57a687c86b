"""What one input goes through: read, counted, linted, shown, compacted and written again.

Nothing here knows the fuzzer, so that a find is a plain test: ``try_reader(data, "claude_code")``.
"""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from core.common.errors import FoldlineError, InputError
from core.export.export import EXPORTERS, export_history
from core.formats.registry import FORMATS, load_conversation
from core.formats.writing.exporter import ExportInput
from core.lint.lint import PROVIDERS, lint_messages
from core.presentation.filter_query import parse_filter
from core.presentation.lists.row_texts import message_rows
from core.presentation.message_body import body_blocks
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings.schema import LIMIT, STRATEGY
from core.settings_store.layers import SETTINGS, SettingLayers
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.strategies.registry import COMPACTION_STRATEGIES
from core.tokens.counter import count_messages, counter_for
from core.transcript.model import Conversation
from core.transcript.scopes import history_of_scope, scopes
from core.transcript.tool_pairs import find_pairs
from core.trials.side_by_side import recorded_side_by_side
from tests.core.formats.exporting import compacted_export, unchanged_export

_T = TypeVar("_T")
_READERS = {one.name for one in FORMATS}
_TRANSCRIPTS = [one.name for one in EXPORTERS if not one.is_report]
_ALL = [one.name for one in EXPORTERS]
_MODEL = "offline"
_LIMIT = 2000
"""Tokens of the window: small, so that a small transcript is compacted, too."""


class BadSentence(AssertionError):
    """An error that a person cannot read: no sentence, no way out, or characters that cannot be
    seen."""


def try_reader(data: bytes, name: str) -> None:
    """Read bytes by their content and with a forced reader, and use what came of it.

    Anything that is not one of Foldline's own errors passes through.
    """
    with tempfile.TemporaryDirectory(prefix="foldline-") as folder:
        path = Path(folder) / "input.json"
        path.write_bytes(data)
        found = run_refusable(lambda: load_conversation(path))
        if found is None or (name in _READERS and found.format != name):
            forced = name if name in _READERS else ""
            found = (
                run_refusable(lambda: load_conversation(path, format=forced)) or found
            )
        if found is not None:
            _use(path, found, crc32(data))


def run_refusable(work: Callable[[], _T]) -> _T | None:
    """The result of some work; None where it was refused in a sentence that a person can read."""
    try:
        return work()
    except FoldlineError as error:
        if not (error.message.endswith((".", "?")) and error.message.isprintable()):
            raise BadSentence(error.message) from error
        return None


def _use(path: Path, found: Conversation, dice: int) -> None:
    """Whatever a reader made of a file, everything else can work with it. ``dice`` chooses what is
    tried."""
    for number in (found.siblings, found.siblings + 1):
        if number > 1:
            run_refusable(
                partial(
                    load_conversation, path, format=found.format, conversation=number
                )
            )
    if found.branches:
        run_refusable(lambda: load_conversation(path, format=found.format, branch=2))
    counter = counter_for(_MODEL)
    counts = count_messages(found, counter)
    for scope in scopes(found):
        messages = history_of_scope(found, scope).messages
        find_pairs(messages)
        lint_messages(messages, _one(PROVIDERS, dice).name)
    message_rows(found.messages, counts, found.cwd)
    for message in islice(found.messages, dice % 3, 20, 3):
        body_blocks(message, None)
    if found.recorded:
        recorded_side_by_side(found, 1 + dice % len(found.recorded))
    _write(found, unchanged_export(found), _one(_TRANSCRIPTS, dice))
    if found.messages:
        _write(found, compacted_export(found), _one(_TRANSCRIPTS, dice >> 4))
        made = _compacted(found, dice)
        if made is not None:
            _write(found, export_input(made, result=True), _one(_ALL, dice >> 8))


def _compacted(found: Conversation, dice: int) -> Preview | None:
    chosen = SettingLayers(
        session={LIMIT: _LIMIT, STRATEGY: _one(COMPACTION_STRATEGIES, dice)}
    )
    return run_refusable(lambda: compute_preview(found, chosen.resolve()))


def _write(found: Conversation, given: ExportInput, name: str) -> None:
    boundary = (
        name in ("claude_code", "codex_rollout", "pi_agent")
        and given.compaction is not None
    )
    written = run_refusable(
        lambda: export_history(
            given, name, append_boundary=boundary and found.format == name
        )
    )
    if written is None or name not in _READERS or not given.messages:
        return
    with tempfile.TemporaryDirectory(prefix="foldline-") as folder:
        path = Path(folder) / "written.json"
        path.write_bytes(written.data)
        run_refusable(lambda: load_conversation(path, format=name))


def try_settings(data: bytes) -> None:
    """A settings file of these bytes: read, told about, and saved to without losing a foreign
    key."""
    with tempfile.TemporaryDirectory(prefix="foldline-") as folder:
        saved = SavedSettings(Path(folder) / "settings.toml")
        saved.path.write_bytes(data)
        loaded = saved.load()
        for text in loaded.problems:
            if not text.isprintable():
                raise BadSentence(text)
        SettingLayers().with_saved(loaded.values).resolve()
        setting = _one(SETTINGS, crc32(data))
        value = setting.default if setting.default is not None else 7
        with suppress(InputError):
            after = saved.save({setting.key: value})
            assert after.values.get(setting.key) == value
            assert saved.load().values == after.values


def try_profile(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="foldline-") as folder:
        place = Path(folder) / "profiles"
        place.mkdir()
        (place / "mine.toml").write_bytes(data)
        store = ProfileStore(place)
        run_refusable(store.names)
        found = run_refusable(lambda: store.load("mine"))
        if found is not None:
            run_refusable(lambda: store.save(found))


def try_query(data: bytes) -> None:
    run_refusable(lambda: parse_filter(data.decode("utf-8", "replace")))


def _one(choices: Sequence[_T], dice: int) -> _T:
    return next(islice(cycle(choices), dice % len(choices), None))
