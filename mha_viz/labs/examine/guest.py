"""A person's own module in a process of its own: ``python -m mha_viz.labs.examine.guest JOB``, started by ``run``.

What its code prints goes nowhere, what it asks of the keyboard ends at once; only this file tells how it goes.
"""

from __future__ import annotations

import json
import os
import sys

from mha_viz.children import end_with_parent


def main(argument: str) -> int:
    """Examines the module of a job; 0 if it came to its end."""
    job = json.loads(argument)
    tell_to, parent = os.dup(1), os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    end_with_parent(parent)
    _bound(job["seconds"])

    from mha_viz.labs.child import on_one_thread
    from mha_viz.labs.examine.base import row_of
    from mha_viz.labs.examine.checks import examine
    from mha_viz.labs.examine.find import find
    from mha_viz.labs.examine.make import make

    on_one_thread()
    for check, finding in examine(lambda: make(find(job["path"], job["folder"]), job["arguments"])):
        told = {"begins": check} if finding is None else {"row": row_of("own", job["path"], check, finding)}
        os.write(tell_to, (json.dumps(told) + "\n").encode())
    os.write(tell_to, b'{"finished": true}\n')
    os._exit(0)  # threads and exit handlers of a person's own are not waited for


def _bound(seconds: float) -> None:
    """Seconds of the processor, where the system can: a loop must end though nobody is left to end it."""
    if sys.platform == "win32":
        return
    import resource

    most = int(seconds) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
