"""What the designed heads of the toy promise, how each is built, and which one no longer does its job."""

from __future__ import annotations

import streamlit as st

from mha_viz.models.toy.jobs import KEPT, Job, job_of, share_kept
from mha_viz.ui import state
from mha_viz.ui.run import Run, designed_promises
from mha_viz.words import say

#: Titles of more heads than this would be too long for the room above each.
_MOST_TITLED = 16


def is_designed(run: Run) -> bool:
    """Whether the run is of the toy with designed heads."""
    return run.choices.source == "toy" and state.get("weights") == "designed"


def name_of(job: Job) -> str:
    """What the job is called."""
    return say(f"job.{job.kind}", distance=job.distance)


def one_line(run: Run) -> str:
    """What the chosen head is, in one sentence."""
    head = run.choices.head
    if is_designed(run):
        return say("start.caption_designed", head=head, name=name_of(job_of(head)))
    if not run.choices.has_model:
        return say("own_page.caption", layer=run.choices.layer, head=head)
    return say("start.caption", layer=run.choices.layer, head=head)


def short_titles(run: Run) -> list[str]:
    """What stands above each head in the grid."""
    n_heads = run.trace.spec.n_heads
    if not is_designed(run) or n_heads > _MOST_TITLED:
        return [f"H{head}" for head in range(n_heads)]
    return [f"H{head} {name_of(job_of(head))}" for head in range(n_heads)]


def render(run: Run) -> None:
    """For the designed toy: the chosen head's construction, and the heads that d_k no longer suffices for."""
    if not is_designed(run):
        return
    plain = designed_promises(run)
    kept = {head: share_kept(plain, head) for head in range(run.trace.spec.n_heads)}
    failing = {head: share for head, share in kept.items() if share is not None and share < KEPT}
    if failing:
        named = ", ".join(f"H{head} {name_of(job_of(head))} ({share:.3f})" for head, share in list(failing.items())[:6])
        if len(failing) > 6:
            named += say("job.and_more", more=len(failing) - 6)
        st.warning(say("job.failing", d_k=run.trace.spec.d_k, named=named), icon=":material/call_split:")
    head = run.choices.head
    job, share = job_of(head), kept[head]
    now = share_kept(run.trace, head)
    with st.expander(say("job.how_title", head=head, name=name_of(job)), icon=":material/construction:"):
        st.markdown(say(f"job.{job.kind}.how", distance=job.distance))
        if share is None or now is None:
            st.markdown(say("job.no_promise"))
        else:
            st.markdown(say("job.kept", share=f"{share:.3f}", now=f"{now:.3f}"))
