"""What is said of a program of somebody else as the strategy, before it runs."""

from core.presentation import late
from core.strategies.names import PROGRAM, is_program


def program_command(strategy: str) -> str:
    """Return the command of a strategy that is a program, "" for every other."""
    if is_program(strategy):
        return strategy.removeprefix(PROGRAM)
    return ""


def program_note(command: str) -> str:
    """Return what a program gets."""
    return f"Foldline runs {command} with your rights and gives it the messages, nothing else."


def program_consent() -> str:
    """Return what a person agrees to who names a program in the window."""

    size = late.LIMITS.output_bytes // 1_000_000
    return (
        f"{program_note('the program')} Foldline sends them nowhere else and uses no shell. The "
        f"program has {late.LIMITS.seconds:.0f} seconds and may write {size:,} MB. It runs again "
        "after each change that its result depends on, until you choose another strategy or open "
        "another file."
    )
