"""Runs a command that takes several files for each of them."""

from __future__ import annotations

from collections.abc import Callable

from core.cli.arguments import CommonOptions
from core.cli.output.console import print_failure, print_lines, safe_sentence
from core.common.errors import FoldlineError


def each_file(options: CommonOptions, run_one: Callable[[CommonOptions], int]) -> int:
    """Run a command for each file that the options name, and return the largest exit code. One of
    several that cannot be read is said, with code 2, and the others follow."""
    codes: list[int] = []
    for path in options.files:
        options.file = path
        if codes and not options.json:
            print_lines([""])
        try:
            codes.append(run_one(options))
        except FoldlineError as error:
            if len(options.files) == 1:
                raise
            print_failure(safe_sentence(str(error)))
            codes.append(error.exit_code)
    return max(codes)
