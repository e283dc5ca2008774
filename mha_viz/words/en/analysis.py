"""English: what is made of a run afterwards, and long work on a page. ``{name}`` is a place for a value."""

ANALYSIS: dict[str, str] = {
    "error.flow_too_long": "The sentence has {got} tokens; attention flow is computed for at most {limit}, since its time "
    "grows with their fourth power. Shorten the sentence.",
    # Long work
    "work.flow": "Computing the flow between all pairs of tokens: {percent} %",
    "work.stop": "Stop computing",
    "work.stopped": "Stopped at {percent} %. Nothing of it is kept.",
    "work.stopped_kept": "Stopped at {percent} %. What was done by then is shown.",
    "work.again": "Start again",
}
