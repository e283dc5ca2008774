"""One lab in a process of its own: ``python -m mha_viz.labs.child JOB``, started by ``pool``.

It runs at low priority and on one thread, tells its steps as lines of JSON, and ends when whoever started it is gone.
"""

from __future__ import annotations

import json
import sys
import time

import psutil

from mha_viz.children import end_with_parent, tell
from mha_viz.errors import MhaVizError
from mha_viz.labs.registry import lab_named

#: Seconds between two lines that bring no new row.
_EVERY = 0.2
_LOW = 10


def main(argument: str) -> int:
    """Runs the lab of a job; 0 if it came to its end."""
    end_with_parent()
    job = json.loads(argument)
    lab = lab_named(job["lab"])
    _be_modest()
    last = 0.0
    try:
        for step in lab.run(lab.options_of(job["options"])):
            if step.row is not None or time.monotonic() - last >= _EVERY:
                last = time.monotonic()
                tell(**step._asdict())
    except MhaVizError as problem:
        tell(error=problem.key, values={name: str(value) for name, value in problem.values.items()})
        return 1
    tell(finished=True)
    return 0


def on_one_thread() -> None:
    """As every lab runs, so that its figures are the same to the last digit wherever it is started."""
    import torch

    torch.set_num_threads(1)


def _be_modest() -> None:
    """Whoever looks at the app comes first."""
    on_one_thread()
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        psutil.Process().nice(_LOW)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
