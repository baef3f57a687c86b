"""The documentation agrees with the code, and the samples with their descriptions."""

import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

from core.cli.command_names import COMMAND_NAMES, COMMANDS, FORMER_NAMES
from core.common.paths import INDEX, bundled_samples
from core.formats.registry import load_conversation
from core.losses.evidence import EvidenceStatus
from core.losses.losses_of import losses_of
from core.presentation.help_pages import heading_anchor, help_pages
from core.presentation.losses_words import LOSSES_ABOUT
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import HYBRID_FAILURE
from core.settings_store.layers import SettingLayers
from core.strategies.base import Strategy
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from core.transcript.compaction import FateKind
from core.transcript.model import MessageFlag
from core.transcript.scopes import opening_scope
from tests.support.source_tree import ROOT
from tests.tools.docs_tables import DOCUMENTS, TABLES, filled_tables
from tests.tools.man_page import SHARED, WINDOW

HELP = ROOT / "resources" / "help"
SHOWN = (
    *ROOT.glob("*.md"),
    *(ROOT / "core").rglob("*.md"),
    *(ROOT / "tests" / name for name in ("robustness.md", "studies/results.md")),
    *sorted(HELP.rglob("*.md")),
)
_LINK = re.compile(r"\]\(([^)#]+)")
_ANCHOR = re.compile(r"\]\(([\w./-]+\.md)#([^)]+)\)")
_NAME_IN_CODE = re.compile(r"`(core\.\w[\w.]*\w)`")
_FILE = re.compile(r"`((?:core|gui|tests|resources)/[\w/]*\w+\.py)`")
_COMMAND = re.compile(r"\bfoldline ([a-z]+)\b")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_tables_and_output_are_those_of_the_code(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    assert text == filled_tables(text), "run python -m tests.tools.docs_tables"


def test_every_table_is_shown_somewhere() -> None:
    texts = "".join(path.read_text("utf-8") for path in SHOWN)
    assert all(f"<!-- {name} -->" in texts for name in TABLES)


def test_the_command_line_page_has_the_options_of_every_command() -> None:
    text = (HELP / "command-line.md").read_text("utf-8")
    assert set(re.findall(r"<!-- options (.+?) -->", text)) == {
        *COMMAND_NAMES,
        WINDOW,
        SHARED,
    }


def test_every_figure_of_the_walk_stands_in_the_output_above_it() -> None:
    text = (HELP / "which-strategy.md").read_text("utf-8")
    text = text[text.index("## 1. ") :]  # above the walk are figures of a study
    above, figure = "", re.compile(r"\d[\d,.]*\d|\d")
    for part in re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("```"):
            above += part
            continue
        prose = re.sub(r"^#+ .*$|`[^`]*`|<!--.*?-->", "", part, flags=re.MULTILINE)
        assert [one for one in figure.findall(prose) if one not in above] == []


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_links_lead_somewhere(path: object) -> None:
    document = ROOT / str(path)
    for target in _LINK.findall(document.read_text("utf-8")):
        if not target.startswith("resources/pictures/"):  # made by make pictures
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_links_lead_to_headings(path: object) -> None:
    document = ROOT / str(path)
    for target, anchor in _ANCHOR.findall(document.read_text("utf-8")):
        assert anchor in anchors_of(document.parent / target), (target, anchor)


def anchors_of(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*map(heading_anchor, headings), *re.findall(r'<a id="([\w-]+)"', text)}


def test_commands_that_are_named_exist() -> None:
    for path in SHOWN:
        named = set(_COMMAND.findall(path.read_text("utf-8")))
        assert named <= {*COMMANDS, *FORMER_NAMES, "help"}, path.name


@pytest.mark.req("LH-93")
def test_modules_and_files_that_are_named_exist() -> None:
    texts = "".join(path.read_text("utf-8") for path in SHOWN)
    for name in sorted({*_NAME_IN_CODE.findall(texts)}):
        assert pkgutil.resolve_name(name), name
    for file in sorted({*_FILE.findall(texts)}):
        assert (ROOT / file).is_file(), file


def test_the_losses_page_counts_what_the_command_line_counts() -> None:
    text = " ".join((HELP / "losses.md").read_text("utf-8").split())
    assert LOSSES_ABOUT in re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: one.name)
def test_every_strategy_has_its_page(strategy: Strategy) -> None:
    text = (HELP / "strategies" / f"{strategy.name}.md").read_text("utf-8")
    assert text.startswith(f"# {strategy.name}\n")
    assert all(
        f"\n- **{word}** " in text for word in ("Keeps", "Loses", "Asks of a model")
    )
    assert all(f"`{key}`" in text for key in strategy.options)
    assert "\n## Where ours differs\n" in text or strategy.emulates is None
    assert "**When a summary fails**" in text or HYBRID_FAILURE not in strategy.options


def test_every_page_is_of_a_strategy() -> None:
    assert {path.stem for path in (HELP / "strategies").iterdir()} == set(
        COMPACTION_STRATEGIES
    )


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (HELP / "installing.md").read_text("utf-8")
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"| {name} | " in text
    for requirement in project["optional-dependencies"]["dev"]:
        assert re.split(r"[<>=]", requirement)[0] in text


def test_continuous_integration_calls_the_test_command() -> None:
    assert "exec make test" in (ROOT / ".ci" / "run").read_text("utf-8")
    assert "make test" in (ROOT / "README.md").read_text("utf-8")


def test_the_index_lists_every_sample() -> None:
    folder = ROOT / "resources" / "samples"
    listed = {sample.path.name for sample in bundled_samples()} | {INDEX}
    assert listed == {path.name for path in folder.iterdir()}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_500_000


def test_the_first_sample_shows_everything() -> None:
    conversation = load_conversation(bundled_samples()[0].path)
    assert len(conversation.messages) >= 96
    assert len(conversation.recorded) == 1
    assert any(
        message.flags & MessageFlag.API_ERROR for message in conversation.messages
    )
    dense = next(strategy for strategy in STRATEGIES if strategy.optimize is not None)
    layers = SettingLayers().with_session("compression.strategy", dense.name)
    made = compute_preview(
        conversation, layers.resolve(), PreviewOptions(provisional=True)
    )
    assert 60_000 <= made.sizes.before_tokens <= 120_000
    kinds = {fate.kind for fate in made.result.compaction.fates}
    assert kinds == set(FateKind) - {FateKind.SUMMARISED, FateKind.EXCERPTED}


def opened_sample(name: str, strategy: str, **settings: float) -> Preview:
    """Return the preview of a sample in the scope in which it opens."""
    [path] = [one.path for one in bundled_samples() if one.path.stem == name]
    layers = SettingLayers().with_session("compression.strategy", strategy)
    for key, value in settings.items():
        layers = layers.with_session(key.replace("_", "-"), value)
    conversation = load_conversation(path)
    return compute_preview(
        conversation,
        layers.resolve(),
        PreviewOptions(scope=opening_scope(conversation)),
    )


def test_the_lessons_of_the_samples_show_what_they_say() -> None:
    lessons = " ".join((HELP / "samples.md").read_text("utf-8").split())
    fates = [
        one.kind
        for one in opened_sample(
            "fix-flaky-upload", "high-density"
        ).result.compaction.fates
    ]
    assert fates.count(FateKind.PRUNED) == 4
    assert "Four rows are struck out" in lessons
    split = opened_sample("tide-tables", "middle-out").result.compaction.split
    assert split is not None
    top = split.cuts[0]
    assert f"the top cut before #{top.requested + 1}." in lessons
    assert f"moves to before #{top.index + 1}." in lessons
    gone = []
    for share in (0.2, 0.45):
        preview = opened_sample(
            "support-desk", "middle-out", compression_top_preserve_threshold=share
        )
        items = losses_of(preview, StageCache()).items
        gone.append(
            {one.fact.text for one in items if one.status is EvidenceStatus.GONE}
        )
    assert all(f"`{name}`" in lessons for name in ("SP-21", "BX-2"))
    assert {"SP-21", "BX-2"} <= gone[0] - gone[1]


def test_samples_hold_no_secrets_and_no_lint_errors() -> None:
    for sample in bundled_samples():
        made = compute_preview(
            load_conversation(sample.path), SettingLayers().resolve()
        )
        assert not [
            one
            for lint in made.checks.lint
            for one in lint.before
            if one.severity == "error"
        ]


def test_the_readme_lists_the_pages_as_the_help_does() -> None:
    listed = (
        (ROOT / "README.md")
        .read_text("utf-8")
        .split("\n## Help\n")[1]
        .split("\n## ")[0]
    )
    entries = re.findall(r"^- (.+?): ((?:.|\n(?!-))+)", listed, re.MULTILINE)
    shown = {
        group: re.findall(r"\(resources/help/([\w-]+\.md)\)", links)
        for group, links in entries
    }
    pages = [page for page in help_pages() if "/" not in page.name]
    expected: dict[str, list[str]] = {}
    for page in pages:
        expected.setdefault(page.group, []).append(page.name)
    assert shown == expected


def test_the_help_names_no_test_and_no_module_of_the_repository() -> None:
    name = re.compile(r"python -m tests|\btests/(?:core|gui|studies|tools)")
    for path in HELP.rglob("*.md"):
        assert not name.search(path.read_text("utf-8")), path.name
