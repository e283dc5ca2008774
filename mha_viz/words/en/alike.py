"""English: heads that are alike, and regularisers that keep them apart."""

ALIKE: dict[str, str] = {
    "figure.pair": "{one} and {other}",
    "alike.part": "Show",
    "alike.part.regularisers": "Regularisers",
    "alike.part.heads": "Heads of a net",
    "alike.part.minilm": "MiniLM",
    "alike.task": "Look-ups of",
    "alike.heads": "Heads for 4 slots",
    "alike.seeds": "Seeds",
    "alike.about": "{n} trainings, about {seconds} s on a usual computer.",
    "alike.about_minilm": "Compares all pairs of heads again; about 10 s on a usual computer.",
    "alike.by": "Diversity by",
    "alike.by.map": "map",
    "alike.by.output": "output",
    "alike.diversity.map": "distance by map",
    "alike.diversity.output": "distance by output",
    "alike.distance.map": "√JS of the two heads' weights: JS = H((p + q) / 2) − (H(p) + H(q)) / 2 in nats, its mean over all "
    "queries, and the root of that. 0: they read the same; √ln 2 = .83: they share no token.",
    "alike.distance.output": "1 − linear CKA of what the two heads write, over all queries. 0: the same up to turning and "
    "scaling; 1: nothing in common.",
    "alike.score": "score: {task}",
    "alike.score.values": "R²",
    "alike.score.classes": "share of right answers",
    "alike.best": "best possible",
    "alike.strength": "strength",
    "alike.steps": "steps of training",
    "alike.live": "{heads} heads, {name}, seed {seed}",
    "alike.net": "{kind}, strength {strength}",
    "alike.kind.none": "none",
    "alike.kind.positions": "overlap",
    "alike.kind.maps": "maps",
    "alike.kind.outputs": "outputs",
    "alike.scores_alt": "{value} against the strength of each regulariser, and without one",
    "alike.diversity_caption": "How far the heads are apart: the mean over all pairs. Dashed: without a regulariser. Bars: "
    "95% intervals over the seeds; small points: one seed each.",
    "alike.kinds": "Each regulariser adds strength × penalty to the loss. **Overlap** punishes weight that two heads put on "
    "the same token, **maps** rows of the same shape, **outputs** vectors that point the same way or the opposite way.",
    "alike.formulas": "For two heads with weights a and b and outputs x and y, mean over pairs and queries. Overlap: Σₖ "
    "aₖbₖ. Maps: Σₖ aₖbₖ / (|a| |b|). Outputs: (x·y)² / (|x|² |y|²). Overlap and the cosine of outputs are the disagreement "
    "on positions and outputs of Li et al. 2018; the square, and the cosine of maps, are this project's.",
    "alike.none": "Without a regulariser the {heads} heads score {score}.",
    "alike.none_best": "Without a regulariser the {heads} heads score {score}, the best possible: there is nothing left to "
    "gain.",
    "alike.few": "One seed does not tell a difference from noise: train with more.",
    "alike.verdict.map": "{diverse} of {n} regularisers make the heads read more differently; of these, **{better}** score "
    "better than none beyond the noise, **{worse}** worse, {same} neither.",
    "alike.verdict.output": "{diverse} of {n} regularisers make the heads write more differently; of these, **{better}** "
    "score better than none beyond the noise, **{worse}** worse, {same} neither.",
    "alike.helps": "Here more diversity can go with a better score.",
    "alike.helps_not": "Here more diversity gives no better score.",
    "alike.overall": "Over all {nets} kinds of net here (look-ups and heads), of {n} regularisers **{better}** score better "
    "than none beyond the noise, **{worse}** worse, {same} neither. Only in {room} of these kinds of net was there room to score "
    "better: the others reach the best possible without a regulariser.",
    "alike.turned": "The regulariser of outputs at strength {strength} gets what it asks for: its penalty falls from "
    "{before} to {after}. The heads still come no further apart by output ({change}): that can be, since W_V "
    "and W_O of a head can be turned against each other, so that its vectors point elsewhere and it hands on the same.",
    "alike.table.kind": "Regulariser",
    "alike.table.score": "Score, against none",
    "alike.table.verdict": "Beyond the noise?",
    "alike.table.map": "Distance by map",
    "alike.table.output": "Distance by output",
    "alike.table.caption": "Changes against none, seed by seed, mean of {n} and 95% interval. Differences below {least} "
    "count as none. One in twenty such intervals misses 0 by chance.",
    "alike.table.one": "Changes against none, for one seed: no interval, and no telling what is noise.",
    "alike.is.more": "better",
    "alike.is.less": "worse",
    "alike.is.same": "no difference",
    "alike.is.few": "one seed",
    "alike.half": "{mean} ± {half}",
    "alike.no_heads": "No heads are kept yet: those of the first seed will be.",
    "alike.which": "Which net",
    "alike.with": "Trained with regulariser: {name}",
    "alike.order": "Clusters by",
    "alike.picture.map": "**How differently they read**",
    "alike.picture.output": "**How differently they write**",
    "alike.picture_alt": "Distances of {n} heads from one another",
    "alike.picture_caption": "Dark: alike. Both pictures have the heads in one order, and frame the same clusters.",
    "alike.net_caption": "Seed {seed}, score {score}; distances over the held-out cases.",
    "alike.clusters": "**{maps}** clusters by map, **{outputs}** by output. Of {pairs} pairs in one cluster by map, "
    "**{both}** are in one by output too.",
    "alike.agreement": "Rank correlation of the two distances over all pairs: **{correlation}**.",
    "alike.pairs_alt": "Distance by map against distance by output of {n} pairs of heads",
    "alike.pairs_caption": "A dot is a pair of heads. Dashed: where clusters are cut, {map_cut} by map and {output_cut} by "
    "output. Left of the one and above the other: heads that read alike and write different things. Only taking one out "
    "shows whether it is redundant.",
    "alike.cluster": "Cluster",
    "alike.cluster.heads": "Heads",
    "alike.cluster.map": "By map",
    "alike.cluster.output": "By output",
    "alike.cluster.slot": "Reads most",
    "alike.cluster.caption": "Average linkage on the distances by {title}, cut at {cut}; By map and By output are mean "
    "distances within a cluster.",
    "alike.slot": "slot {slot} ({weight})",
    "alike.no_slot": "no slot ({weight})",
    "alike.idle": "{n} of {heads} heads put less than {least} on every slot: they look nothing up. Heads that each keep to "
    "one token, whatever is asked, are as different as can be, and know no answer.",
    "alike.minilm_caption": "{name} on {sentences} built-in sentences together, {tokens} tokens; special tokens left out "
    "first, since most heads rest on them, which makes all maps alike. d_k = {d_k}.",
    "alike.alone": "Over all sentences the correlation is {all}; one sentence alone gives {mean} on average ({low} to "
    "{high}). One sentence has about {words} tokens, and CKA needs at least 2 d_k = {needed} to tell outputs apart.",
}
