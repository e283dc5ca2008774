"""English: two runs, or two models, compared. ``{name}`` is a place for a value."""

COMPARED: dict[str, str] = {
    "align.counts": "{same} tokens are the same, {replaced} replaced, {deleted} only in A, {inserted} only in B.",
    "align.typed": "The models may split words differently, so whole words are compared, as typed and capitals aside.",
    "align.swapped": "B has the two sentences of A in the other order; each is compared with itself.",
    "align.replaced": "{a} → {b}",
    "align.deleted": "− {a}",
    "align.inserted": "+ {b}",
    "changes.distance": "Jensen-Shannon distance",
    "changes.measure": "How much a head changed: for each word that both runs have, its two rows over the keys that both "
    "have, each scaled so that what is left sums to 1, and their Jensen-Shannon distance, from 0 (equal) to {farthest} (no key "
    "in common); then the mean over these rows. Beside it, the mean of |B − A| over all cells that can be compared, of the "
    "weights as they are.",
    "changes.most": "{head} changed most: its distance is {distance}, over {rows} rows; {elsewhere} of their weight lies on "
    "tokens that only one run has, or sees.",
    "changes.none": "Nothing changed: all weights that can be compared are equal.",
    "changes.nothing": "Nothing can be compared: no head has a row with some weight on a key of both runs.",
    "figure.change": "B − A",
    "figure.hover_change": "{query} attends to {key}: A {a}, B {b}, B − A <b>{change}</b>",
    "figure.hover_changed": "<b>%{{text}}</b>, mean |B − A| %{{customdata[0]:.4f}}, %{{customdata[1]}} rows",
    "figure.hover_depth": "{model} {head}: <b>{value}</b>",
    "figure.median_of": "{model}, median",
    "figure.depth_axis": "depth in the model",
    "error.models_differ": "A is of {a}, B of {b} (layers × heads): heads of different models have nothing to do with each "
    "other, so their weights cannot be subtracted. Compare metrics by depth or the heads for a pair of words, or run one model "
    "twice.",
    "error.no_such_metric": "There is no metric {got}. There are: {allowed}.",
    "error.no_counterpart": "B has nothing that stands for {got}, at position {position} of A. Choose a word that both have.",
}
