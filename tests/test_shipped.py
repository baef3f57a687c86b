"""The wheel holds all files that the program reads, and nothing else; make run says what it
does."""

import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BUILD = PROJECT["tool"]["hatch"]["build"]["targets"]
READ = (
    *(
        "core/strategies/presets/pi.toml",
        "prompts/compression/middle-out.md",
        "gui/launcher.py",
    ),
    *(
        "resources/help/getting-started.md",
        "resources/help/strategies/hybrid.md",
        "resources/report.css",
    ),
    *(
        "resources/icons/foldline.svg",
        "resources/icons/sizes/48.png",
        "resources/samples/index.tsv",
    ),
    "resources/pictures/recorded.png",
)
"""One of each kind of file that the program opens when it runs."""


@cache
def planned(target: str) -> set[str]:
    """Return the paths in the repository that hatchling would pack."""
    pytest.importorskip(
        "hatchling", reason="needs hatchling, which pip fetches when it builds"
    )
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    builder = {"wheel": WheelBuilder, "sdist": SdistBuilder}[target](str(ROOT))
    with builder.config.set_build_data(
        {"artifacts": [], "force_include": {}, "build_hooks": ()}
    ):
        return {
            Path(one.path).relative_to(ROOT).as_posix()
            for one in builder.recurse_included_files()
            if Path(one.path).is_relative_to(ROOT)
        }


def test_the_wheel_holds_what_runs_and_nothing_else() -> None:
    packed = planned("wheel")
    assert set(READ) <= packed
    assert {path.split("/")[0] for path in packed} == {
        "core",
        "gui",
        "prompts",
        "resources",
    }
    assert not [
        path
        for path in packed
        if re.search(r"__pycache__|\.pyc$|^tests/|packaging/|/\.", path)
    ]
    for folder in ("core", "gui", "prompts"):
        on_disk = (
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in (".py", ".md", ".toml")
        )
        assert {path.relative_to(ROOT).as_posix() for path in on_disk} <= packed


def test_the_source_archive_can_be_built_and_tested() -> None:
    packed = planned("sdist")
    # licence and project file are added by hatchling itself
    wanted = {
        "README.md",
        "CHANGELOG.md",
        "Makefile",
        "constraints.txt",
        ".ci/run",
        "tests/conftest.py",
    }
    wanted |= {
        "CITATION.cff",
        "mkdocs.yml",
        ".pre-commit-config.yaml",
        ".github/workflows/ci.yml",
    }
    scripts = {
        "build_hook.py",
        "docs_site.py",
        "editable.py",
        "foldline.spec",
        "NOTICE.txt",
    }
    scripts |= {
        "licences/LGPL-3.0.txt",
        "foldline/pyproject.toml",
        "foldline/foldline.desktop",
    }
    building = {f"resources/packaging/{name}" for name in scripts}
    assert wanted | building | set(READ) <= packed
    assert not [
        path
        for path in packed
        if re.search(r"__pycache__|\.pyc$|^(dist|build|\.venv)/", path)
    ]


def test_of_the_pictures_those_of_the_help_are_packed() -> None:
    help_pages = "".join(
        path.read_text("utf-8") for path in (ROOT / "resources" / "help").rglob("*.md")
    )
    shown = {
        f"resources/pictures/{name}"
        for name in re.findall(r"pictures/([\w-]+\.png)", help_pages)
    }
    assert {
        path for path in planned("wheel") if path.startswith("resources/pictures/")
    } == shown


def test_folders_that_are_packed_exist() -> None:
    assert all((ROOT / folder).is_dir() for folder in BUILD["wheel"]["only-include"])
    assert all([*ROOT.glob(path.lstrip("!/"))] for path in BUILD["wheel"]["exclude"])
    assert (ROOT / BUILD["wheel"]["hooks"]["custom"]["path"]).is_file()
    assert all((ROOT / path).is_file() for path in BUILD["wheel"]["shared-data"])
    assert PROJECT["project"]["license-files"] == ["LICENSE"]


def test_what_the_bundle_is_made_of_exists() -> None:
    recipe = (ROOT / "resources" / "packaging" / "foldline.spec").read_text("utf-8")
    compile(recipe, "foldline.spec", "exec")
    entry = ROOT / "resources" / "packaging" / "bundled.py"
    assert entry.name in recipe
    compile(entry.read_text("utf-8"), entry.name, "exec")
    assert '("foldline", "litellm")' in recipe
    assert not re.search(r'pathex|"(?:core|gui)"', recipe), "it packs what is installed"
    for path in re.findall(r'ROOT((?: / "[\w.-]+")+)', recipe):
        assert ROOT.joinpath(*re.findall(r'"([^"]+)"', path)).exists(), path
    shared = {
        Path(path).name
        for path in re.findall(r'"(resources/[^"]+)"', recipe)
        if (ROOT / path).exists()
    }
    assert shared == {
        "foldline.desktop",
        "foldline.metainfo.xml",
        "foldline.svg",
        "foldline.1",
    }
    make = (ROOT / "Makefile").read_text("utf-8")
    assert "resources/packaging/foldline.spec" in make
    assert {"dist/", "build/"} <= set((ROOT / ".gitignore").read_text("utf-8").split())


def test_the_version_is_in_one_place_and_at_the_head_of_the_changelog() -> None:
    version = PROJECT["project"]["version"]
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall("^## (.*)", changes, re.MULTILINE)[0].split(",")[0] == version
    assert {*re.findall(r"^### (\w+)", changes, re.MULTILINE)} == {
        "Added",
        "Changed",
        "Fixed",
    }
    others = [
        ROOT / "README.md",
        ROOT / "CITATION.cff",
        *(ROOT / "resources" / "help").rglob("*.md"),
    ]
    named = re.compile(
        rf"(?:[Ff]oldline|[Vv]ersion)[ :-]+(?:{re.escape(version)}|0\.1\.0)"
    )
    assert [path.name for path in others if named.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_workflows_pin_their_actions_and_call_targets_that_exist(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / name).read_text("utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    assert all(
        re.search("@[0-9a-f]{40}$", action) and tag.startswith(" # v")
        for action, tag in used
    )
    assert "\npermissions:\n  contents: read\n" in text
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    assert set(re.findall(r"run: make (\S+)", text)) <= {*targets}
    promised = [
        one.rsplit(" ", 1)[1]
        for one in PROJECT["project"]["classifiers"]
        if ":: 3." in one
    ]
    assert name != "ci.yml" or f"python: {promised}".replace("'", '"') in text


def test_the_site_is_built_from_the_help_alone() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "docs_dir: resources\n" in site
    assert "font: false" in site
    assert not (ROOT / "docs").exists()
    assert all(
        (ROOT / "resources" / path).is_file()
        for path in re.findall(r"icons/[\w/.]+", site)
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_run_says_what_it_does_before_each_long_step() -> None:
    command = ["make", "--dry-run", "--always-make", "run", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "--quiet" not in done.stdout
    for step in ("-m venv", "-m pip install", "foldline resources"):
        at = next(number for number, line in enumerate(lines) if step in line)
        assert lines[at - 1].startswith("echo "), step
