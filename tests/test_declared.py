"""Everything that is declared is complete, explained in sentences, and reachable."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.app.remote_methods import SERVICES, load_presenter
from core.app.services.service_host import make_host
from core.cli.formats import format_rows
from core.export.export import EXPORTERS, find_exporter
from core.formats.registry import FORMATS
from core.lint.lint import PROVIDERS
from core.preview.options import StageCache
from core.preview.preview import compute_preview
from core.settings.profile import OFFLINE
from core.settings.prompts import built_in, prompt_names, unknown_placeholders
from core.settings.schema import (
    LIMIT,
    AffectedStage,
    Setting,
    SettingKind,
    SettingValue,
)
from core.settings_store.layers import SETTINGS, SettingLayers
from core.strategies.base import Strategy
from core.strategies.hybrid_agent import PROMPT as AGENT_PROMPT
from core.strategies.reference_fixes import ReferenceFix, reference_fixes
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES, find_strategy
from tests.support.builders import conversation, exchange, human
from tests.support.source_tree import ROOT, files, module_of, name_of, nodes, tree

KEYS = {setting.key for setting in SETTINGS}
STALE = {
    AffectedStage.LIMIT: {"compaction"},
    AffectedStage.COMPRESS: {"compaction"},
    AffectedStage.DENSITY: {"density", "density_reduction", "input", "compaction"},
}
"""The stages of a preview that a changed setting may make again."""


def sentences() -> Iterator[tuple[str, str]]:
    yield from ((f"setting {setting.key}", setting.help) for setting in SETTINGS)
    yield from (
        (f"strategy {strategy.name}", strategy.about) for strategy in STRATEGIES
    )
    yield from ((f"format {one.name}", one.about) for one in FORMATS)
    yield from ((f"exporter {one.name}", one.about) for one in EXPORTERS)
    yield from ((f"fault {fix.id}", fix.fault) for fix in reference_fixes())
    yield from ((f"fix {fix.id}", fix.fix) for fix in reference_fixes())


@pytest.mark.parametrize(
    ("what", "text"), list(sentences()), ids=lambda value: str(value)[:40]
)
def test_everything_is_explained_in_whole_sentences(what: str, text: str) -> None:
    assert text[:1].isupper(), what
    assert text.endswith("."), what
    assert "\n" not in text, what


def test_what_a_strategy_does_fits_its_card() -> None:
    assert [strategy.name for strategy in STRATEGIES if len(strategy.about) > 72] == []


def test_every_method_that_the_window_calls_is_one_of_its_service() -> None:
    services = make_host(print, str).services
    assert [
        f"{name}.{method}"
        for name, entry in SERVICES.items()
        for method in entry.methods
        if not callable(getattr(services[name], method, None))
    ] == []


def test_every_presenter_is_a_function_of_presentation() -> None:
    presenters = {
        options.presenter
        for entry in SERVICES.values()
        for options in entry.methods.values()
        if options.presenter
    }
    assert presenters
    assert [one for one in presenters if not callable(load_presenter(one))] == []


def test_the_window_names_only_methods_that_are_declared() -> None:
    named = {
        (node.value.id, node.attr)
        for path in files("gui")
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in SERVICES
    }
    assert named
    assert {
        (service, method)
        for service, method in named
        if method not in SERVICES[service].methods
    } == set()


def test_names_are_unique() -> None:
    for taken in (
        [setting.key for setting in SETTINGS],
        [name for setting in SETTINGS for name in (setting.key, *setting.aliases)],
        [f"{setting.section}: {setting.label}" for setting in SETTINGS],
        [one.name for one in FORMATS],
        COMPACTION_STRATEGIES,
        [name for one in EXPORTERS for name in (one.name, *one.short_names)],
        [one.label for one in EXPORTERS],
        [one.name for one in PROVIDERS],
        [format for one in PROVIDERS for format in one.formats],
        [fix.id for fix in reference_fixes()],
    ):
        assert all(taken)
        assert len(set(taken)) == len(taken)


@pytest.mark.req("REQ-CS-011.1", "REQ-CS-011.2", "REQ-HD-009.4")
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_settings_are_complete(setting: Setting) -> None:
    assert setting.label
    assert setting.section
    assert SettingLayers(session={setting.key: "kept"}).for_profile() == {
        setting.key: "kept"
    }
    assert (setting.default is None) <= setting.optional
    assert (setting.kind is SettingKind.CHOICE) == bool(setting.choices)
    if setting.choices and setting.default is not None:
        assert setting.default in setting.choices
    if setting.kind is SettingKind.FRACTION:
        assert setting.bounds.low is not None
        assert setting.bounds.high is not None


@pytest.mark.req("REQ-CS-001.2")
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_strategies_are_complete(strategy: Strategy) -> None:
    assert find_strategy(strategy.name) is strategy
    assert 0 < strategy.trigger.threshold <= 1
    assert set(strategy.options) <= KEYS


def changed(setting: Setting) -> SettingValue:
    if setting.kind is SettingKind.FLAG:
        return not setting.default
    if setting.choices:
        return next(
            choice for choice in reversed(setting.choices) if choice != setting.default
        )
    others: dict[SettingKind, SettingValue] = {
        SettingKind.TEXT: OFFLINE,
        SettingKind.FRACTION: 0.35,
    }
    return others.get(setting.kind, 7)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_makes_stale_what_it_declares_and_nothing_before(
    setting: Setting,
) -> None:
    stages, layers = StageCache(), SettingLayers().with_session(LIMIT, 4000)
    talked = conversation(
        human("go"), *exchange("a", "bash", "line\n" * 80, command="make")
    )
    compute_preview(talked, layers.resolve(), cache=stages)
    known = set(stages.results)
    compute_preview(
        talked,
        layers.with_session(setting.key, changed(setting)).resolve(),
        cache=stages,
    )
    assert {stage for stage, _ in set(stages.results) - known} <= STALE[setting.affects]


def test_every_format_and_exporter_is_listed() -> None:
    listed = {str(row["name"]): row for row in format_rows()}
    assert {name for name, row in listed.items() if row["read"]} == {
        one.name for one in FORMATS
    }
    assert {name for name, row in listed.items() if row["write"]} == {
        one.name for one in EXPORTERS
    }
    assert all(one.suffix.startswith(".") and one.label for one in EXPORTERS)
    assert all(find_exporter(one.name).name == one.name for one in EXPORTERS)


def test_linters_speak_of_formats_that_exist() -> None:
    assert all(one.label for one in PROVIDERS)
    assert {format for one in PROVIDERS for format in one.formats} <= {
        one.name for one in FORMATS
    }


TESTS_OF_CORE = "".join(path.read_text("utf-8") for path in files("tests/core"))


@pytest.mark.parametrize("fix", reference_fixes(), ids=lambda fix: fix.id)
def test_every_fix_of_safe_mode_is_named_where_it_is_tested(fix: ReferenceFix) -> None:
    assert fix.source
    assert f"fix {fix.id}" in TESTS_OF_CORE


def test_built_in_prompts_load_and_use_known_placeholders() -> None:
    shipped = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "prompts").rglob("*.md")
    }
    assert shipped == {f"prompts/compression/{name}.md" for name in prompt_names()}
    assert COMPACTION_STRATEGIES[0] in prompt_names()
    for name in prompt_names():
        assert not unknown_placeholders(built_in(name).text), name
        assert name == AGENT_PROMPT or "{max_tokens}" in built_in(name).text, name


def test_every_link_of_a_notice_leads_somewhere() -> None:
    """NoticeAction(label, action): each action is a key of what the window follows."""
    named: dict[str, str] = {}
    for path in files("core", "gui"):
        if path.name in ("prompt_views.py", "prompt_editor.py"):
            continue  # the editor of prompts follows the links of its own strip
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "NoticeAction":
                named[_text(node.args[1], path)] = name_of(path)
    links = tree(ROOT / "gui" / "window_commands.py")
    tables = (node for node in ast.walk(links) if isinstance(node, ast.Dict))
    followed = {
        key.value
        for node in tables
        for key in node.keys
        if isinstance(key, ast.Constant)
    }
    assert {"open", "compact", "set", "lint"} <= set(named)
    assert set(named) <= followed, set(named) - followed


def _text(node: ast.expr, path: Path) -> str:
    """The text of a constant, or of the name that a module gave it."""
    if isinstance(node, ast.Name):
        return str(getattr(importlib.import_module(module_of(path)), node.id))
    assert isinstance(node, ast.Constant), (
        f"{name_of(path)}:{node.lineno}: name the action by a constant"
    )
    return str(node.value)


def typed_names(path: Path) -> set[tuple[str, str, str]]:
    """Return name, module and own name of what a file imports for the type checker."""
    return {
        (alias.asname or alias.name, getattr(one, "module", ""), alias.name)
        for block in nodes(path)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for one in block.body
        if isinstance(one, ast.Import | ast.ImportFrom)
        for alias in one.names
    }


LATE = [
    path
    for path in files("core", "gui")
    if "    __getattr__ = late_names(" in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", LATE, ids=name_of)
def test_what_is_loaded_late_is_what_the_type_checker_sees(path: Path) -> None:
    module = importlib.import_module(module_of(path))
    names = typed_names(path)
    assert names
    for name, origin, own in names:
        expected = importlib.import_module(origin or own)
        assert getattr(module, name) is (getattr(expected, own) if origin else expected)
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018
