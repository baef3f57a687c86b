"""The example of the help page ``plugins``, installed as a package, and packages that are
broken."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.common.paths import bundled_samples
from core.common.plugins import _declared_entry_points
from core.export.export import _plugin_exporters
from core.formats.registry import _plugin_formats
from core.settings.prompts import plugin_prompts
from core.settings_store.layers import plugin_settings
from core.strategies.registry import _plugin_strategies
from tests.support.source_tree import ROOT
from tests.support.warm_worker import WarmContext, run_code, warm_context

__all__ = ["warm_context"]

pytest.importorskip("hatchling", reason="builds the example")
pytestmark = pytest.mark.usefixtures(
    "warm_context"
)  # runs them where windows are tested

PAGE = (ROOT / "resources" / "help" / "plugins.md").read_text("utf-8")
PROJECT, MODULE = (
    next(iter(re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)))
    for kind in ("toml", "python")
)
LOG = [
    ("me", "Old question."),
    ("bot", "Old answer."),
    ("me", "New question."),
    ("bot", "New answer."),
]
PACKAGE = "foldline-example 1.0"
SAMPLE = bundled_samples()[0].path


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    source, packages = folder / "source", folder / "packages"
    source.mkdir()
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "foldline_example.py").write_text(MODULE)
    return pip_install(source, packages)


def pip_install(source: Path, packages: Path) -> Path:
    offline = [
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
    ]
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        *offline,
        "--target",
        str(packages),
    ]
    subprocess.run([*words, str(source)], check=True)
    return packages


@pytest.fixture
def install(packages: Path, tmp_path: Path) -> Callable[[str], Path]:
    def install_module(module: str) -> Path:
        changed = tmp_path / "packages"
        shutil.copytree(packages, changed, ignore=shutil.ignore_patterns("__pycache__"))
        (changed / "foldline_example.py").write_text(module)
        return changed

    return install_module


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text(
        "".join(json.dumps({"who": who, "said": said}) + "\n" for who, said in LOG)
    )
    return path


COMMAND = (
    "import sys; from core.cli.main import run_command_line; "
    "sys.exit(run_command_line(sys.argv[1:]))"
)


def run(packages: Path, code: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, as Python would that finds the packages."""
    arguments = tuple(map(str, words))
    with tempfile.TemporaryDirectory() as folder:
        output, errors = (Path(folder, name) for name in ("out", "err"))
        running = WarmContext().Process(
            target=run_with, args=(packages, code, arguments, output, errors)
        )
        running.start()
        running.join()
        texts = (output.read_text(), errors.read_text())
        return subprocess.CompletedProcess(arguments, running.exitcode, *texts)


def run_with(packages: Path, *given: Any) -> None:
    for looked_up in (
        plugin_settings,
        plugin_prompts,
        _declared_entry_points,
        _plugin_formats,
        _plugin_strategies,
        _plugin_exporters,
    ):
        looked_up.cache_clear()  # by the process that this one was forked from
    sys.path.insert(0, str(packages))
    run_code(*given)


def foldline(packages: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return run(packages, COMMAND, *words)


def test_the_command_line_reads_compacts_and_writes_with_the_example(
    packages: Path, log: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.txt"
    done = foldline(
        packages, "compact", log, "-s", "newest-only", "--to", "txt", "-o", out
    )
    assert done.returncode == 0, done.stderr
    assert out.read_text() == "New question.\n\nNew answer."
    rows = {
        row["name"]: row["package"]
        for kind in ("formats", "strategies")
        for row in json.loads(foldline(packages, kind, "--json").stdout)[kind]
    }
    ours = {name for name, package in rows.items() if package == PACKAGE}
    assert ours == {"chat_log", "newest-only", "plain_text"}
    assert rows["claude_code"] is rows["middle-out"] is None
    assert "foldline-example" in foldline(packages, "strategies").stdout


def test_the_library_finds_the_example(packages: Path, log: Path) -> None:
    code = (
        "import sys; from foldline.api import compact, load\n"
        "print(compact(load(sys.argv[1]), strategy='newest-only').messages[0].blocks[0].text)"
    )
    assert run(packages, code, log).stdout == "New question.\n"


WORKER = """
import sys
from core.app.events import OpenRequest
from core.app.services.preview import OpenService
from core.app.services.service_host import make_host

events = []
host = make_host(events.append, lambda: "")
host.services["OpenService"].open(OpenRequest(sys.argv[1]))
for event in events:
    if type(event).__name__ == "FileOpenedEvent":
        choices = host.services["OpenService"].choices()
        print(event.reader.label, *[one.value for one in (*choices.strategies, *choices.exports)])
    if type(event).__name__ == "Notice":
        print(event.severity, event.title)
"""


def test_the_worker_of_the_window_finds_the_example(packages: Path, log: Path) -> None:
    shown = run(packages, WORKER, log)
    assert shown.stdout.startswith("Chat log middle-out "), shown.stderr
    assert {"newest-only", "plain_text"} < {*shown.stdout.split()}


@pytest.mark.parametrize("call", ["score", "read", "compress", "write"])
def test_an_error_of_the_example_is_a_sentence(
    call: str, install: Callable[[str], Path], log: Path, tmp_path: Path
) -> None:
    broken = MODULE.replace(
        f"def {call}(", f"def {call}(*_): raise KeyError('gone')\ndef _{call}("
    )
    words = ("compact", log, "-s", "newest-only", "--to", "txt", "-o", tmp_path / "out")
    done = foldline(install(broken), *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert PACKAGE in done.stderr
    assert "KeyError: 'gone'" in done.stderr
    assert "pip uninstall foldline-example" in done.stderr


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        (
            MODULE.replace('Format("chat_log"', 'Format("goose"'),
            'the name "goose" is taken',
        ),
        (MODULE + "CHAT_LOG = 3\n", "foldline_example:CHAT_LOG is no Format"),
    ],
)
def test_a_broken_plugin_is_one_warning(
    module: str, problem: str, install: Callable[[str], Path]
) -> None:
    listed = foldline(install(module), "formats")
    assert listed.returncode == 0
    warnings = [line for line in listed.stderr.splitlines() if problem in line]
    assert warnings[0].startswith(f"The plugin {PACKAGE} was left out: ")
    assert warnings[0].endswith("remove it with: pip uninstall foldline-example")
    assert len(warnings) == len(listed.stderr.splitlines()) == 1


def test_the_window_tells_of_a_broken_plugin_and_a_command_that_needs_none_does_not(
    install: Callable[[str], Path],
) -> None:
    broken = install("import no_such_module")
    opened = run(broken, WORKER, SAMPLE).stdout.splitlines()
    (warning,) = (line for line in opened if line.startswith("warning The plugin"))
    assert "ModuleNotFoundError" in warning
    sample = foldline(broken, "inspect", SAMPLE)
    assert (sample.returncode, sample.stderr) == (
        0,
        "",
    )  # no plugin is looked up for it


FOLLOWED = PAGE.split("## Followed to a passing test")[1].split("\n## ")[0]
SECOND = re.findall(
    r"^`([\w./]+)`[^\n]*:\n\n```\w+\n(.*?)```", FOLLOWED, re.DOTALL | re.MULTILINE
)
"""The files of the second example with their contents."""


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the second example, written by the page; it is installed beside it."""
    folder = tmp_path_factory.mktemp("digest") / "source"
    for name, text in SECOND:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    pip_install(folder, folder.with_name("packages"))
    return folder


def installed(digest: Path) -> Path:
    return digest.with_name("packages")


def test_the_test_of_the_page_passes(digest: Path) -> None:
    assert [name for name, _ in SECOND] == [
        "pyproject.toml",
        "foldline_digest/__init__.py",
        "foldline_digest/digest.md",
        "test_digest.py",
    ]
    environ = {**os.environ, "PYTHONPATH": f"{installed(digest)}{os.pathsep}{ROOT}"}
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "test_digest.py",
    ]
    done = subprocess.run(
        words, cwd=digest, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_setting_of_a_plugin_is_a_setting(digest: Path) -> None:
    at = ("compact", SAMPLE, "-s", "digest", "--json")
    for words, layer in (
        (("--set", "digest.keep-messages=7"), "session"),
        ((), "default"),
    ):
        output = json.loads(foldline(installed(digest), *at, *words).stdout)
        value = 7 if words else 20
        assert output["settings"]["digest.keep-messages"] == {
            "value": value,
            "layer": layer,
        }
    assert "digest.keep-messages" in foldline(installed(digest), "settings").stdout


def test_a_setting_of_a_plugin_is_swept(digest: Path) -> None:
    vary = "digest.keep-messages=10:30:10"
    swept = foldline(
        installed(digest), "sweep", SAMPLE, "-s", "digest", "--vary", vary, "--json"
    )
    assert len(json.loads(swept.stdout)["points"]) == 3, swept.stderr


def test_a_strategy_with_a_setting_of_a_plugin_is_compared(digest: Path) -> None:
    compared = foldline(
        installed(digest), "compare", SAMPLE, "-s", "digest,none", "--json"
    )
    assert len(json.loads(compared.stdout)["rows"]) == 2, compared.stderr


def test_a_prompt_of_a_plugin_is_a_prompt(digest: Path) -> None:
    shown = foldline(installed(digest), "prompts", "show", "digest")
    assert shown.stdout.startswith("Summarise the conversation before this"), (
        shown.stderr
    )
    assert "digest" in foldline(installed(digest), "prompts", "list").stdout


TUNING = """
import sys
from core.trials.tune_evaluation import tuned_settings
from core.app.events import OpenRequest
from core.app.services.service_host import make_host
from core.presentation.preview_columns import preview_columns
from core.presentation.tuning_panel import control_groups
from core.settings.schema import STRATEGY
from core.strategies.registry import find_strategy

host = make_host(lambda event: None, lambda: "")
host.services["OpenService"].open(OpenRequest(sys.argv[1]))
host.change(host.changed_view(((STRATEGY, "digest"), ("digest.keep-messages", 12))))
groups = control_groups(preview_columns(host.displayed_preview()), host.layers)
print([one.value for group in groups for one in group.controls if one.key == "digest.keep-messages"])
print([one.key for one in tuned_settings(find_strategy("digest"))])
"""


def test_a_setting_of_a_plugin_is_tuned_and_has_a_control(digest: Path) -> None:
    done = run(installed(digest), TUNING, SAMPLE)
    assert done.stdout.splitlines() == ["[12]", "['digest.keep-messages']"], done.stderr
