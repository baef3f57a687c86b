"""The entry of the standalone bundle: workers are this same program, started with other
arguments."""

from __future__ import annotations

import sys
from multiprocessing import freeze_support

if __name__ == "__main__":
    freeze_support()  # in a worker this does the work and ends here
    if sys.argv[1:2] == ["-c"]:  # the process that counts is started as Python would be
        code = sys.argv[2]
        sys.argv[:3] = ["-c"]
        exec(code)
        sys.exit()
    from foldline.gui.launcher import main

    sys.exit(main())
