"""Where safe mode does otherwise than the reference, and why: read by tests and by the Why tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReferenceFix:
    """One fix: its id, the requirement or passage of the reference, its fault, and what we do."""

    id: str
    source: str
    fault: str
    fix: str


FIXES: tuple[ReferenceFix, ...] = (
    ReferenceFix(
        "BD-01",
        "REQ-CS-004.1, llxprt.md section 3",
        "A call whose response lies later on the right is left alone on the left.",
        "The cut goes to the nearest boundary that keeps all pairs whole; a tie keeps more.",
    ),
    ReferenceFix(
        "TD-01",
        "REQ-CS-003.3, llxprt.md section 6",
        "The clamp to two messages can cut a pair again.",
        "The cut is chosen among the valid boundaries that leave at least two messages.",
    ),
    ReferenceFix(
        "TD-02",
        "REQ-CS-003.5",
        "The last request can fall among the dropped messages, and the model answers nobody.",
        "The last message that a person typed stays, alone in front of the rest.",
    ),
    ReferenceFix(
        "NO-01",
        "REQ-CS-006.2",
        "No-ops and results that are larger than their source are applied.",
        "They are refused with the reason.",
    ),
    ReferenceFix(
        "CU-01",
        "llxprt.md section 1",
        "An ai message whose call has no arguments counts as empty, and its response loses it.",
        "An ai message with a call, a response or content that could not be read is never empty.",
    ),
    ReferenceFix(
        "RW-01",
        "REQ-HD-005.1, llxprt.md section 8.3",
        "Any later write prunes a read, even one that failed or was never answered.",
        "Only a write that succeeded does; else the read may be the only copy.",
    ),
    ReferenceFix(
        "RW-02",
        "REQ-HD-005.3",
        "An edit prunes reads of the whole file, whose content is then nowhere in the context.",
        "An edit prunes only a read whose lines all lie inside those it replaced.",
    ),
    ReferenceFix(
        "RW-03",
        "REQ-HD-005.2",
        "Only llxprt's own tool names are known, so that nothing is pruned in other agents' sessions.",
        "One table knows the tools of the popular agents.",
    ),
    ReferenceFix(
        "RW-04",
        "REQ-HD-005.8",
        "Thinking that led to a pruned call stays alone in its message, which its provider refuses.",
        "A message that holds nothing but thinking and blank text goes with its call.",
    ),
    ReferenceFix(
        "RW-05",
        "llxprt.md section 8.3, duplicate ids",
        "Calls and responses are matched by id alone, so that an id used again prunes both turns.",
        "A call is joined with its own response, turn by turn, whoever speaks in the message.",
    ),
    ReferenceFix(
        "FD-01",
        "REQ-HD-006.1, llxprt.md section 8.4",
        "One inclusion syntax is known, closing markers open inclusions, and one closer swallows two files.",
        "Several agents' syntaxes are known; an inclusion ends before the next one begins.",
    ),
    ReferenceFix(
        "FD-02",
        "REQ-HD-006.3",
        "Blank lines are folded in the whole block, the person's own text included.",
        "Blank lines are folded only where a file was cut out.",
    ),
    ReferenceFix(
        "FD-03",
        "REQ-HD-006.3",
        "A block that held only the file is left as an empty text, which providers refuse.",
        "Such a block says that the file is included again below.",
    ),
    ReferenceFix(
        "RC-01",
        "REQ-HD-007.1",
        "Results shorter than the pointer are replaced, too.",
        "A result that would not get shorter stays.",
    ),
    ReferenceFix(
        "RC-02",
        "REQ-HD-007.3",
        "What told a failure in its text is no failure any more once the pointer stands there.",
        "The pointer of a failed result carries an error, so that no later turn takes it for a success.",
    ),
    ReferenceFix(
        "HD-01",
        "REQ-HD-008.3",
        "A line names a path only, and calls a result with the word error in its text a failure.",
        "A line names path or command; failure is read from the error field, the first line and exit codes.",
    ),
    ReferenceFix(
        "HD-02",
        "llxprt.md section 9",
        "Tiny results become longer lines, and an earlier run's lines get a wrong outcome.",
        "A result is replaced only where that is shorter; lines and pointers stay.",
    ),
    ReferenceFix(
        "HD-03",
        "REQ-HD-008.4, .6",
        "Head messages are dropped one by one, through the middle of pairs.",
        "They are dropped only up to a valid boundary, and only once all lines are in place.",
    ),
    ReferenceFix(
        "HD-04",
        "llxprt.md section 9",
        "Messages of other speakers than human, ai and tool are forgotten.",
        "They stay.",
    ),
    ReferenceFix(
        "SU-01",
        "llxprt.md section 15",
        "A summary that was cut off or refused is used as it is.",
        "It is an error that names profile, model and cause; the history stays as it was.",
    ),
    ReferenceFix(
        "SU-02",
        "llxprt.md section 5.1",
        "The acknowledgement is a fixed sentence or quotes a tool that the agent may not have.",
        "It names the first open task, or says plainly that the work goes on.",
    ),
    ReferenceFix(
        "EN-01",
        "REQ-CS-006.4, llxprt.md section 10",
        "What is added while the summary is written is wiped, and its tokens stay in the total.",
        "It is taken at once and stands behind the result.",
    ),
    ReferenceFix(
        "EN-02",
        "llxprt.md section 11, REQ-HD-002.4",
        "The count of the last reply triggers compression although pruning or compression made room.",
        "That count moves with what was added and pruned since, and a compression forgets it.",
    ),
    ReferenceFix(
        "EN-03",
        "llxprt.md section 11",
        "A run that leaves the history above the threshold is repeated on every send, no-ops too.",
        "It is tried again once something was added or a setting changed.",
    ),
    ReferenceFix(
        "EN-04",
        "REQ-HD-001.10",
        "Strategies declare a threshold and nobody reads it.",
        "Without a setting the strategy's own threshold holds.",
    ),
    ReferenceFix(
        "EN-05",
        "REQ-HD-002.3, .7",
        "A density step that did not run or failed counts as done, and nothing is pruned afterwards.",
        "Only a step that looked at the history does.",
    ),
    ReferenceFix(
        "EN-06",
        "REQ-CS-001.3, REQ-CS-006.3",
        "An unknown strategy is an error on the first send only.",
        "It is one on every send until the setting is right.",
    ),
    ReferenceFix(
        "EN-07",
        "llxprt.md section 11.1",
        "An unset output budget is 65,536 and the margin 1,000 tokens, too much for any small window.",
        "An unset budget is at most half the window, the margin at most a twentieth of it.",
    ),
    ReferenceFix(
        "EN-08",
        "REQ-CS-004.1, llxprt.md section 11",
        "A last turn whose calls wait for answers can be compressed, and the answers come to nobody.",
        "It stays; where an answer came while a summary was written, the result is refused.",
    ),
    ReferenceFix(
        "EN-09",
        "REQ-HD-002.1",
        "A manual run skips the density step.",
        "The density step comes first there, too.",
    ),
    ReferenceFix(
        "EN-10",
        "llxprt.md section 1",
        "The store silently drops messages of other speakers than human, ai and tool.",
        "They are kept.",
    ),
    ReferenceFix(
        "TI-01",
        "ion spec 1.11.1",
        "Tier 3 summarises what tier 2 left of the outputs, so that files, tools and errors come from notes.",
        "It summarises the messages as they were in the source.",
    ),
    ReferenceFix(
        "TI-02",
        "ion spec 1.11.2",
        "The cut is a plain count and can leave results whose calls were summarised away.",
        "It goes to the nearest boundary that keeps all pairs whole; a tie keeps more.",
    ),
    ReferenceFix(
        "TI-03",
        "ion spec 1.11.3",
        "The newest results are cut before the model has read them.",
        "Results after the model's last message stay.",
    ),
    ReferenceFix(
        "TI-04",
        "ion spec 1.11.3",
        "An output of few lines grows by the marker in its middle.",
        "An output is cut only where that makes it shorter.",
    ),
    ReferenceFix(
        "TI-05",
        "ion spec 1.11.3",
        "A second pass cuts an output again, and the marker forgets how many lines there were.",
        "What was cut is known by its marker, which goes on counting.",
    ),
    ReferenceFix(
        "TI-06",
        "ion spec 1.5",
        "An output of few but very long lines stays whole.",
        "It is cut by characters, four for each token.",
    ),
    ReferenceFix(
        "TI-07",
        "ion spec 1.11.4",
        "A note of sixty bytes takes the place of outputs that are shorter than it.",
        "A note is used only where it is shorter.",
    ),
    ReferenceFix(
        "TI-08",
        "ion spec 1.11.4",
        "Errors are removed like any other output.",
        "Errors stay.",
    ),
    ReferenceFix(
        "TI-09",
        "ion spec 1.11.4",
        "All old outputs are removed, even where some of them would do.",
        "They are removed oldest first, until the target is met.",
    ),
    ReferenceFix(
        "TI-10",
        "ion spec 1.11.4",
        "The note names neither tool nor path, and counts the lines that tier 1 left.",
        "It names both and counts the lines of the source.",
    ),
    ReferenceFix(
        "TI-11",
        "ion spec 1.11.5",
        "Where the tail alone is above the target nobody is told, and every turn compacts again.",
        "The shortfall is a warning, and nothing runs again until the history has grown (EN-03).",
    ),
    ReferenceFix(
        "TI-12",
        "ion spec 1.11.6",
        "A summary of blanks, or one larger than what it replaces, is taken.",
        "It is trimmed, must say something in each section asked for, and must save tokens.",
    ),
    ReferenceFix(
        "TI-13",
        "ion spec 1.10",
        "The summary knows only the files and tools that the model remembered.",
        "The sections FILES and TOOL HISTORY are completed from the calls, or added.",
    ),
    ReferenceFix(
        "TI-14",
        "ion spec 1.11.7",
        "A request that the model's window cannot hold fails for good.",
        "It goes out again with large results as placeholders and the oldest part as a digest.",
    ),
    ReferenceFix(
        "TI-15",
        "ion spec 1.11.7",
        "What an answer cost is forgotten where it cannot be used.",
        "Every answered call is on record, used or not.",
    ),
    ReferenceFix(
        "TI-16",
        "ion spec 1.11.8",
        "The summary speaks as the user, in front of another message of the user.",
        "It speaks as the system; APIs without such messages get another role at export.",
    ),
    ReferenceFix(
        "TI-17",
        "ion spec 1.11.9",
        "The old messages are gone, and nothing says what was dropped.",
        "Every source message has a fate and stands among the origins of what replaces it.",
    ),
    ReferenceFix(
        "TI-18",
        "ion spec 1.11.10",
        "Text of files goes into the request and the summary into its tags as it is.",
        "The request stands between marks that nothing in it can write, and the summary cannot end its tags.",
    ),
    ReferenceFix(
        "TI-19",
        "ion spec 1.11.11",
        "Trigger and target are computed with 32-bit floats and can be off by one.",
        "They are computed exactly enough for any window.",
    ),
)

CUT_FIXES: Mapping[str, str] = {"llxprt": "BD-01", "ion": "TI-02"}
"""The fix that moves cuts off the middle of a pair, by the program that reference mode repeats."""


def find_fix(id_: str) -> ReferenceFix | None:
    """The entry of an id, None if there is none."""
    return next((fix for fix in FIXES if fix.id == id_), None)
