"""What the tests of the command line share."""

from __future__ import annotations

import pytest

from tests.core.cli.running_cli import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line, run in this process."""
    return Cli(capsys)
