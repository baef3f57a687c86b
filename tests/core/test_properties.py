"""What holds for every strategy and preset, every exporter and any settings file, whatever they are
given."""

import copy
import tempfile
import tomllib
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.common.errors import InputError
from core.common.toml_file import TomlDocument
from core.export.export import EXPORTERS, export_history
from core.formats.registry import FORMATS, load_conversation
from core.formats.writing.exporter import ExportInput
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings.schema import LIMIT, RETENTION, STRATEGY, Mode
from core.settings_store.layers import SETTINGS, SettingLayers
from core.settings_store.settings_file import SavedSettings
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.model import Message, Text
from core.transcript.scopes import history_of_scope
from tests.core.histories import histories
from tests.core.odd_histories import extreme_settings, odd_histories
from tests.core.strategies.strategy_running import run
from tests.core.strategies.test_strategy_properties import check, done, limits
from tests.support.builders import conversation
from tests.support.sampling import sampled

_READERS = {one.name for one in FORMATS}
_REPORTS = [one.name for one in EXPORTERS if one.is_report]
_TRANSCRIPTS = [one.name for one in EXPORTERS if not one.is_report]


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
@settings(max_examples=sampled(8, 4))  # of each strategy
@given(odd_histories(), limits, st.data())
def test_each_bears_odd_histories_and_settings_at_their_edges(
    name: str, messages: tuple[Message, ...], limit: int, data: st.DataObject
) -> None:
    known, before = extreme_settings(find_strategy(name)), copy.deepcopy(messages)
    chosen = data.draw(st.lists(st.sampled_from(known))) if known else []
    values = reduce(
        lambda layers, one: layers.with_session(*one), chosen, SettingLayers()
    ).resolve()
    result = done(name, messages, values, limit)
    check(messages, result)
    assert result.no_op is None or (
        result.messages == messages and result.no_op.reason.endswith(".")
    )
    reasons = {step.reason for fate in result.fates for step in fate.steps}
    assert all(
        text.endswith(".") and text.isprintable()
        for text in (*reasons, *result.warnings)
    )
    assert (messages, run(name, messages, values, limit=limit)) == (before, result)
    again = run(name, messages, values, limit=limit, mode=Mode.REFERENCE)
    assert len(again.fates) == len(messages)


@pytest.mark.parametrize("name", _TRANSCRIPTS)
@settings(max_examples=6)
@given(histories())
def test_what_each_exporter_writes_can_be_read_again(
    name: str, messages: tuple[Message, ...]
) -> None:
    talked = conversation(*messages)
    made = export_history(
        ExportInput(conversation=talked, history=history_of_scope(talked, "all")), name
    )
    has_text = any(
        isinstance(block, Text) for message in messages for block in message.blocks
    )
    if (
        name in _READERS and has_text
    ):  # not every format has a place for a thought alone
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "written"
            path.write_bytes(made.data)
            assert load_conversation(path, format=name).messages


@settings(max_examples=12)
@given(histories(), st.sampled_from(COMPACTION_STRATEGIES), st.sampled_from(_REPORTS))
def test_each_report_can_be_written_of_any_result(
    messages: tuple[Message, ...], strategy: str, name: str
) -> None:
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, 2000)
    made = compute_preview(conversation(*messages), layers.resolve())
    with suppress(InputError):  # there is no summary to show the request of
        assert (
            export_history(export_input(made, result=True), name).data or not messages
        )


_KEYS = {name: one.key for one in SETTINGS for name in (one.key, *one.aliases)}
_keys = st.sampled_from(list(_KEYS)) | st.sampled_from(
    ["x", "compression", "a b", "ä", "", "compression.x"]
)
_plain: Any = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
    | st.dates()
    | st.sampled_from(["one-shot", "safe", "0.5"])
)
_values: Any = st.recursive(
    _plain,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3)
    ),
    max_leaves=6,
)
_tables: Any = st.dictionaries(_keys, _values, max_size=6)


def leaves(data: bytes) -> dict[tuple[str, ...], str]:
    text = data.decode("utf-8-sig")
    return {
        path: repr(value)
        for path, value in TomlDocument(text, tomllib.loads(text)).leaves()
    }


@given(_tables)
@example({"compression": 5})
@example(
    {"compression": False, "compression.density.recency-retention": {"mine": False}}
)
@example({"compression.strategy": 5, "chatCompression": {"strategy": "x"}})
def test_any_settings_file_is_read_and_saved_without_losing_what_it_holds(
    table: dict[str, Any],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        saved = SavedSettings(Path(folder) / "settings.toml")
        saved.path.write_bytes(tomlkit.dumps(table).encode())
        before = leaves(saved.path.read_bytes())
        for text in saved.load().problems:
            assert text.startswith(str(saved.path))
            assert text.isprintable()
        told = saving(saved)
        now = leaves(saved.path.read_bytes())
        if told:
            assert "nothing was written" in told
            assert now == before
            return
        assert saved.load().values[RETENTION] == 7
        written = {".".join(path) for path in now}
        for path, value in before.items():
            name = ".".join(path)
            is_renamed = _KEYS.get(name, name) in written - {name}
            assert is_renamed or name == RETENTION or now.get(path) == value
        assert {".".join(path) for path in now.keys() - before.keys()} <= {
            *_KEYS.values()
        }


def saving(saved: SavedSettings) -> str:
    try:
        saved.save({RETENTION: 7})
    except InputError as error:
        return str(error)
    return ""


@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@example(b"a=" + b"[" * 5000)
@example(b"a={b=" * 900)
@example(b"a." * 3000 + b"b=1")
@example(b"\xef\xbb\xbf")
def test_any_bytes_as_a_settings_file_are_told_and_kept(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        saved = SavedSettings(Path(folder) / "settings.toml")
        saved.path.write_bytes(data)
        assert all(text.isprintable() for text in saved.load().problems)
        assert saved.path.read_bytes() == data
        if saving(saved):
            assert saved.path.read_bytes() == data
        else:
            assert saved.load().values[RETENTION] == 7
