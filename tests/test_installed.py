"""Foldline installed from its wheel, in an environment beside packages named core and gui."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from core.common.paths import bundled_samples
from core.transcript.model import Message
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


def built(place: Path, how: str) -> Path:
    build = f"import hatchling.build, sys; print(hatchling.build.{how}(sys.argv[1]))"
    words = [sys.executable, "-c", build, str(place)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return place / done.stdout.split()[-1]


def new_environment(place: Path) -> tuple[Path, Path]:
    """Return the folders of programs and of packages of an environment that sees the packages of this one."""
    venv.create(place / "env", symlinks=os.name == "posix")
    (packages,) = (place / "env").glob("[Ll]ib/**/site-packages")
    theirs = (path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    (packages / "theirs.pth").write_text("\n".join(theirs))  # a .pth file that lies there is not read
    return place / "env" / ("bin" if os.name == "posix" else "Scripts"), packages


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    wheel = built(place, "build_wheel")
    assert wheel.stat().st_size < 3_200_000
    programs, _ = new_environment(place)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(programs / "python")]
    offline = ["install", "--quiet", "--no-compile", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *offline], check=True)
    return programs


def run(programs: Path, *words: str, beside: Path) -> str:
    """Return what a program of the environment prints, in a folder whose modules are found first."""
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(beside)}
    command = [str(programs / words[0]), *words[1:]]
    done = subprocess.run(command, cwd=beside, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for name in ("core", "gui"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"MINE = {name!r}")
    (tmp_path / "host.py").write_text(HOST)
    return tmp_path


def test_a_host_with_a_core_of_its_own_compacts_and_opens_the_window(programs: Path, host: Path) -> None:
    run(programs, "python", "host.py", SAMPLE, "picture.png", beside=host)
    assert (host / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_works_beside_it(programs: Path, host: Path) -> None:
    assert run(programs, "foldline", "--version", beside=host).startswith("foldline ")
    assert "middle-out" in run(programs, "foldline", "compare", SAMPLE, "-s", "middle-out", beside=host)
    run(programs, "foldline", "convert", SAMPLE, "--to", "html", "-o", "report.html", beside=host)


def test_a_type_checker_sees_what_the_library_returns(programs: Path, host: Path) -> None:
    pytest.importorskip("mypy")
    code = "from foldline.api import compact, load\nreveal_type(compact(load(''), strategy='middle-out'))\n"
    (host / "host.py").write_text(code)
    words = ["-m", "mypy", "--strict", "--python-executable", str(programs / "python"), "host.py"]
    assert "Compacted" in run(Path(sys.executable).parent, "python", *words, beside=host)


def test_in_an_editable_install_both_names_are_one_module(tmp_path: Path) -> None:
    module = Message.__module__
    code = (
        "import sys; path = [*sys.path]; import foldline.api\n"
        f"from foldline.{module} import Message as installed; from {module} import Message\n"
        f"assert installed is Message and sys.modules['foldline.{module}'] is sys.modules['{module}']\n"
        f"assert sys.path == path and Message.__module__ == sys.modules['{module}'].__spec__.name\n"
        "print(sys.modules['core'].__file__)\n"
    )
    programs, packages = new_environment(tmp_path)
    with zipfile.ZipFile(built(tmp_path, "build_editable")) as wheel:
        wheel.extractall(packages)
    assert Path(run(programs, "python", "-c", code, beside=tmp_path).strip()).is_relative_to(ROOT)
    assert "tokens" in run(programs, "python", "-m", "foldline", "inspect", SAMPLE, beside=tmp_path)
