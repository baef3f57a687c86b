"""Foldline installed from its wheel, in an environment beside packages named core and gui."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core.common.paths import bundled_samples
from core.transcript.model import Message
from tests.core.losses.test_judge import JudgingServer, last_text, told
from tests.support.loopback import SUMMARY, Loopback, ReceivedRequest, Reply
from tests.support.source_tree import ROOT

pytest.importorskip("hatchling", reason="builds the wheel")

SAMPLE = str(bundled_samples()[1].path)
HOST = """
import builtins, sys
from importlib.metadata import entry_points

import core, gui

def surroundings():
    return core.MINE, gui.MINE, [*sys.path], [*sys.meta_path], {**vars(builtins)}

if __name__ == "__main__":
    sample, picture = sys.argv[1:]
    before, loaded = surroundings(), {*sys.modules}
    import foldline
    assert {*sys.modules} - loaded == {"foldline"}

    from foldline.api import compact, facts, lint, load
    conversation = load(sample)
    made = compact(conversation, strategy="middle-out")
    assert 0 < made.tokens_after < made.tokens_before
    assert facts(conversation).all
    assert not lint(compact([{"role": "user", "content": "Hello."}], strategy="middle-out").messages)

    assert surroundings() == before
    (command,) = entry_points(group="console_scripts", name="foldline")
    sys.argv[1:] = ["shot", sample, "-o", picture]
    assert command.load()() == 0
    assert surroundings()[:-1] == before[:-1]  # PySide names things for all
    assert not [name for name in sys.modules if name.startswith(("core.", "gui."))]
"""


def built(place: Path, how: str, project: Path = ROOT) -> Path:
    build = f"import hatchling.build, sys; print(hatchling.build.{how}(sys.argv[1]))"
    words = [sys.executable, "-c", build, str(place)]
    done = subprocess.run(
        words, cwd=project, capture_output=True, text=True, check=True
    )
    return place / done.stdout.split()[-1]


def new_environment(place: Path, seen: Iterable[str]) -> tuple[Path, Path]:
    """Return the folders of programs and packages of an environment that sees packages of other
    folders."""
    venv.create(place / "env", symlinks=os.name == "posix")
    (packages,) = (place / "env").glob("[Ll]ib/**/site-packages")
    (packages / "theirs.pth").write_text(
        "\n".join(seen)
    )  # a .pth file that lies there is not read
    return place / "env" / ("bin" if os.name == "posix" else "Scripts"), packages


def all_packages() -> list[str]:
    return [
        path for path in sys.path if path.endswith(("site-packages", "dist-packages"))
    ]


def install(wheel: Path, programs: Path) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--python",
        str(programs / "python"),
    ]
    offline = [
        "install",
        "--quiet",
        "--no-compile",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run([*pip, *offline], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"), "build_wheel")


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    programs, _ = new_environment(tmp_path_factory.mktemp("all"), all_packages())
    install(wheel, programs)
    return programs


def run(programs: Path, *words: str, beside: Path, code: int = 0) -> str:
    """Return what a program of the environment prints, in a folder whose modules are found
    first."""
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(beside)}
    command = [str(programs / words[0]), *words[1:]]
    done = subprocess.run(
        command, cwd=beside, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for name in ("core", "gui"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"MINE = {name!r}")
    (tmp_path / "host.py").write_text(HOST)
    return tmp_path


def test_a_host_with_a_core_of_its_own_compacts_and_opens_the_window(
    programs: Path, host: Path
) -> None:
    run(programs, "python", "host.py", SAMPLE, "picture.png", beside=host)
    assert (host / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_works_beside_it(programs: Path, host: Path) -> None:
    assert run(programs, "foldline", "--version", beside=host).startswith("foldline ")
    assert "middle-out" in run(
        programs, "foldline", "compare", SAMPLE, "-s", "middle-out", beside=host
    )
    run(
        programs,
        "foldline",
        "convert",
        SAMPLE,
        "--to",
        "html",
        "-o",
        "report.html",
        beside=host,
    )


def test_a_type_checker_sees_what_the_library_returns(
    programs: Path, host: Path
) -> None:
    pytest.importorskip("mypy")
    seen = "reveal_type(compact(load(''), strategy='middle-out'))\n"
    (host / "host.py").write_text(
        "\n".join([*code_of(HELP / "engine.md", "python"), seen])
    )
    words = [
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        str(programs / "python"),
        "host.py",
    ]
    assert "Compacted" in run(
        Path(sys.executable).parent, "python", *words, beside=host
    )


def test_adapters_have_names_that_stay(programs: Path, host: Path) -> None:
    code = (
        "import importlib, pkgutil, foldline.integrations as own\n"
        "print(*sorted(one.name for one in pkgutil.iter_modules(own.__path__)))\n"
        "try: importlib.import_module('foldline.integrations.haystack')\n"
        "except ModuleNotFoundError as error: print(error.name)\n"
    )
    names, missing = run(programs, "python", "-c", code, beside=host).splitlines()
    assert (
        names == "agent_framework haystack hermes langchain openai_agents pydantic_ai"
    )
    assert missing == "haystack"


def test_in_an_editable_install_both_names_are_one_module(tmp_path: Path) -> None:
    module = Message.__module__
    code = (
        "import sys; path = [*sys.path]; import foldline.api\n"
        f"from foldline.{module} import Message as installed; from {module} import Message\n"
        f"assert installed is Message and sys.modules['foldline.{module}'] is sys.modules['{module}']\n"
        f"assert sys.path == path and Message.__module__ == sys.modules['{module}'].__spec__.name\n"
        "print(sys.modules['core'].__file__)\n"
    )
    programs, packages = new_environment(tmp_path, all_packages())
    with zipfile.ZipFile(built(tmp_path, "build_editable")) as wheel:
        wheel.extractall(packages)
    assert Path(
        run(programs, "python", "-c", code, beside=tmp_path).strip()
    ).is_relative_to(ROOT)
    assert "tokens" in run(
        programs, "python", "-m", "foldline", "inspect", SAMPLE, beside=tmp_path
    )


HELP = ROOT / "resources" / "help"
DOCS = (ROOT / "README.md", *sorted(HELP.rglob("*.md")))
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TUNE = re.compile(r"^(foldline tune .*?)(?: --runs \d+)?$", re.MULTILINE)
_ADD = re.compile(r"^(foldline config profiles add .*)$", re.MULTILINE)


def code_of(page: Path, language: str) -> list[str]:
    return [
        code
        for name, code in _BLOCK.findall(page.read_text("utf-8"))
        if name == language
    ]


def pages_with(language: str) -> list[object]:
    pages = (page for page in DOCS if code_of(page, language))
    return [pytest.param(page, id=page.name) for page in pages]


@pytest.fixture(scope="module")
def model() -> Iterator[Loopback]:
    with running(_Model()) as server:
        yield server


@pytest.fixture(scope="module")
def furnished(
    programs: Path, model: Loopback, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with the files, folders and profiles that the help speaks of; the model of the
    profiles is a server on loopback."""
    place = tmp_path_factory.mktemp("desk")
    for name in ("FILE", "SESSION", "session.jsonl"):
        shutil.copy(bundled_samples()[0].path, place / name)
    for folder in ("DIR", "sessions"):
        (place / folder).mkdir()
        for name in ("one.jsonl", "two.jsonl"):
            shutil.copy(SAMPLE, place / folder / name)
    (place / "resources").symlink_to(ROOT / "resources")
    for name, provider in (
        ("NAME", "openai"),
        ("haiku", "anthropic"),
        ("local", "openai"),
    ):
        server = f"--provider {provider} --base-url {model.base_url(provider)}"
        added = f"foldline config profiles add {name} --model small {server}"
        run_block(added, place, _of_user(programs, place))
    return place


def _of_user(programs: Path, place: Path) -> dict[str, str]:
    return {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(place / "home"),
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "none",
        "OPENAI_API_KEY": "none",
    }


@pytest.fixture
def desk(programs: Path, furnished: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose folder a test may change."""
    shutil.copytree(furnished, tmp_path, symlinks=True, dirs_exist_ok=True)
    return _of_user(programs, tmp_path)


class _Model(JudgingServer):
    """Judges as a good model does, and writes a summary of all else."""

    def __init__(self) -> None:
        super().__init__(told)

    def reply_to(self, received: ReceivedRequest) -> Reply:
        if '"statements"' in last_text(received) or '"questions"' in last_text(
            received
        ):
            return super().reply_to(received)
        self.log.append(received)
        return Reply(text=SUMMARY)


@contextmanager
def running(server: Loopback) -> Iterator[Loopback]:
    server.start()
    try:
        yield server
    finally:
        server.stop()


def run_block(code: str, folder: Path, environ: dict[str, str]) -> None:
    words = ["bash", "-eu", "-c", code]
    done = subprocess.run(
        words, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{code}{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs(
    page: Path, desk: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "page.py").write_text(
        "\n".join(code_of(page, "python")), encoding="utf-8"
    )
    run_block("python -W error page.py", tmp_path, desk)


@pytest.mark.parametrize("page", pages_with("sh"))
def test_the_commands_of_a_page_run(
    page: Path, desk: dict[str, str], tmp_path: Path
) -> None:
    for code in code_of(page, "sh"):
        code = _ADD.sub(r"\1 --yes", code)  # the desk has profiles of these names
        # A search takes minutes; one run of two equal sessions ends with 4, nothing better.
        run_block(_TUNE.sub(r"\1 --runs 1 || [ $? -eq 4 ]", code), tmp_path, desk)


def test_the_commands_of_the_workflow_run(desk: dict[str, str], tmp_path: Path) -> None:
    text = (HELP / "ci.md").read_text("utf-8")
    commands = re.findall(r"^ +- run: (foldline .*)$", text, re.MULTILINE)
    assert commands
    for command in commands:
        run_block(command, tmp_path, desk)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    """Those of other programs install packages: no test does that."""
    shown = [code for code in code_of(page, "") if not code.startswith("pip install ")]
    assert not re.search(r"^(?:foldline|python) ", "".join(shown), re.MULTILINE)
    # The program in JavaScript and the prompt of the page on plugins have tests of their own.
    plain = {"console", "json", "toml", "python", "sh", "js", "md", ""}
    assert {name for name, _ in _BLOCK.findall(page.read_text("utf-8"))} <= plain
    text = page.read_text("utf-8")
    assert text.count("```console\n") == text.count("<!-- run ")


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def needed(requirements: Iterable[str]) -> Iterator[Distribution]:
    """Yield the packages that these ask for, and all that those need."""
    waiting, found = [*requirements], set[str]()
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name in found or (
            wanted.marker and not wanted.marker.evaluate({"extra": ""})
        ):
            continue
        found.add(wanted.name)
        package = distribution(wanted.name)
        waiting += package.requires or ()
        yield package


@pytest.fixture(scope="module")
def slim(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has what ``foldline-slim`` asks for, and no more."""
    place = tmp_path_factory.mktemp("slim")
    (place / "seen").mkdir()
    for package in needed(PROJECT["dependencies"]):
        for top in {
            file.parts[0] for file in package.files or () if file.parts[0] != ".."
        }:
            link = place / "seen" / top
            if top != "__pycache__" and not link.exists():
                link.symlink_to(str(package.locate_file(top)))
    programs, _ = new_environment(place, [str(place / "seen")])
    install(wheel, programs)
    return programs


def test_the_wheel_and_what_it_needs_are_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 3_000_000
    files = (
        file
        for package in needed(PROJECT["dependencies"])
        for file in package.files or ()
    )
    size = sum(file.size or 0 for file in files)
    with zipfile.ZipFile(wheel) as packed:
        size += sum(file.file_size for file in packed.infolist())
        names = packed.namelist()
    assert size < 60_000_000
    assert len([name for name in names if name.endswith("/foldline.1")]) == 1


def test_the_library_and_the_commands_work_without_qt_and_models(
    slim: Path, tmp_path: Path
) -> None:
    code = (
        "from foldline.api import compact, load\n"
        f"made = compact(load({SAMPLE!r}), strategy='middle-out', limit=100_000)\n"
        "assert 0 < made.tokens_after < made.tokens_before\n"
    )
    run(slim, "python", "-c", code, beside=tmp_path)
    assert (
        run(slim, "foldline", "--version", beside=tmp_path)
        == f"foldline {PROJECT['version']}\n"
    )
    assert "no model table" in run(slim, "foldline", "inspect", SAMPLE, beside=tmp_path)
    run(
        slim,
        "foldline",
        "convert",
        SAMPLE,
        "--to",
        "html",
        "-o",
        "report.html",
        beside=tmp_path,
    )


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        ([SAMPLE], "PySide6-Essentials", "window"),
        (["shot", SAMPLE, "-o", "x.png"], "PySide6-Essentials", "window"),
        (["mcp"], "mcp", "mcp"),
        (
            ["compare", str(Path(SAMPLE).parent), "--engine", "dask://127.0.0.1:9"],
            "distributed",
            "dask",
        ),
    ],
)
def test_what_is_not_installed_is_named_in_one_sentence(
    slim: Path, tmp_path: Path, words: list[str], package: str, extra: str
) -> None:
    said = run(slim, "foldline", *words, beside=tmp_path, code=2)
    assert said.endswith(
        f" needs the package {package}. Install it: pip install 'foldline-slim[{extra}]'.\n"
    )
    assert said.count("\n") == 1


def test_the_package_with_the_window_has_no_module(tmp_path: Path) -> None:
    with zipfile.ZipFile(
        built(tmp_path, "build_wheel", ROOT / "resources/packaging/foldline")
    ) as wheel:
        names = wheel.namelist()
        (described,) = (
            wheel.read(name).decode() for name in names if name.endswith("/METADATA")
        )
    assert not [name for name in names if name.endswith((".py", ".txt"))]
    assert (
        f"Requires-Dist: foldline-slim[models,tokens,window]=={PROJECT['version']}\n"
        in described
    )
    shares = {name.partition("/data/share/")[2] for name in names}
    assert {"applications/foldline.desktop", "metainfo/foldline.metainfo.xml"} < shares
    assert "icons/hicolor/scalable/apps/foldline.svg" in shares
