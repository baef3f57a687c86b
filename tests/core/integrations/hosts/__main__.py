"""Tests the adapters inside the real packages: ``python -m tests.core.integrations.hosts FOLDER
[HOST ...]``.

Each package gets an environment of its own below FOLDER, because they do not install together.
With FOLDLINE_RECORD=1 the rows of the table in the help are written again.
"""

import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from tests.support.source_tree import ROOT

HOSTS = (
    "langchain",
    "pydantic-ai",
    "openai-agents",
    "agent-framework",
    "haystack",
    "hermes",
)
"""Optional dependencies of the project, each with tests that begin with its name."""

CLIENTS = {
    "langchain": ["langchain-anthropic", "langchain-openai"],
    "pydantic-ai": ["pydantic-ai-slim[anthropic,openai]"],
    "openai-agents": ["openai-agents[litellm]"],
    "agent-framework": ["agent-framework-anthropic", "agent-framework-openai"],
    "haystack": ["anthropic-haystack"],
}
"""What a host needs to speak each API; without it the whole runs over that API skip."""


def run_host(folder: Path, host: str) -> int:
    python = folder / host / "bin" / "python"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    packages = project["optional-dependencies"][host]
    if not python.exists():
        venv.create(folder / host, with_pip=True)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        own = [
            "-e",
            f"{ROOT}[window,models,tokens]",
            "pytest",
            "pytest-qt",
            "hypothesis",
        ]
        for wanted in (
            own,
            [*packages, *CLIENTS.get(host, ())],
        ):  # the host last: where both name a package, its version is taken
            subprocess.run([*install, *wanted], check=True)
    tests = [
        "tests/core/integrations/hosts/test_real_hosts.py",
        "tests/core/integrations/hosts/test_agents_over_http.py",
        "-k",
        f"test_{host.replace('-', '_')}",
    ]
    ended = subprocess.run(
        [
            str(python),
            "-m",
            "pytest",
            "-q",
            "-rs",
            "-s",
            "-p",
            "no:unraisableexception",
            *tests,
        ],
        cwd=ROOT,
        check=False,
    )
    return ended.returncode


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Name a folder for the environments.")
    codes = [run_host(Path(sys.argv[1]), host) for host in sys.argv[2:] or HOSTS]
    sys.exit(max(codes))
