"""English: which heads matter, and heads removed."""

MATTER: dict[str, str] = {
    "lab.worth": "what each head is worth: by mean weight, by gradient, by taking it out, on look-up nets and MiniLM",
    "lab.pruned": "heads removed from the matrices: what is left, how large it is and how fast",
    "error.prune_shared": "Heads that share W_Q, W_K or W_V cannot be removed one by one. Give a net in which every head has "
    "its own.",
    "error.prune_layout": "Heads cannot be removed from {name}: its layers do not keep query, key and value as three "
    "matrices beside W_O. Silence them instead, or choose a BERT, RoBERTa or ELECTRA.",
    "importance.loss.values": "squared error of the numbers looked up",
    "importance.loss.classes": "cross entropy of the classes looked up",
    "matter.part": "What to see",
    "matter.part.importance": "Importance",
    "matter.part.removing": "Removing heads",
    "matter.model": "Model",
    "matter.model.values": "Look-ups, numbers",
    "matter.model.classes": "Look-ups, classes",
    "matter.model.minilm": "MiniLM, a BERT",
    "matter.seeds": "Seeds",
    "matter.seed": "Seed",
    "matter.about": "About {seconds} s on a usual computer.",
    # Importance
    "matter.weight": "The mean weight is {share} for every head, 1 / number of tokens: each row of weights sums to 1. It ranks "
    "nothing, whatever the heads do.",
    "matter.panels": "Each head's share of the whole, from 0 (darkest) to {highest} % (brightest), one scale for all four. The "
    "digits 1 to {ranked} mark the heads that matter most. Loss: {loss}; cases: {samples}, and other cases would move these "
    "numbers and ranks.",
    "matter.better": "Without {n} of the {total} heads, silenced one at a time, the two sentences of a pair come nearer to each "
    "other, in the mean of {samples} pairs.",
    "matter.slot": "slot {slot}",
    "matter.bars": "Each head's share of the whole in one net (score {score}). Below a head: the slot that it reads, if at least "
    "{least} of its weight lies there. Heads that read one slot share its worth: each by itself is missed less than all of them "
    "together.",
    "matter.bars.alt": "The importance of every head of a look-up net by four measures, as bars",
    "matter.pair": "{one} and {other}",
    "matter.pair.title": "Two measures",
    "matter.rank": "Rank correlation",
    "matter.words": "In words",
    "matter.alike.none": "nothing to compare",
    "matter.alike.same": "nearly the same order",
    "matter.alike.much": "much the same order",
    "matter.alike.partly": "partly the same order",
    "matter.alike.hardly": "hardly related",
    "matter.alike.against": "rather opposite orders",
    "matter.agreement": "Spearman's correlation over the heads of each net, the mean of {n} nets ± half of its 95% interval. "
    "“Silenced” takes a head's output away; “made even” lets it go on, but look everywhere alike: two different questions.",
    "matter.agreement.one": "Spearman's correlation over the heads of {n} model, so without an interval. “Silenced” takes a "
    "head's output away; “made even” lets it go on, but look everywhere alike: two different questions.",
    # Removing
    "matter.order.gradient": "least first, by gradient",
    "matter.order.zero": "least first, by silencing",
    "matter.order.random": "random order",
    "matter.score.values": "R²",
    "matter.score.classes": "share of right answers",
    "matter.score.minilm": "cosine to the full model",
    "matter.curves.alt": "What is left against the number of heads removed, in three orders",
    "matter.curves": "Heads are really removed, one after another, and nothing is trained afterwards. Random orders: {n}. "
    "Importance was measured once, before, on other examples than the score.",
    "matter.best": "best possible with those left",
    "matter.kept": "At least {share} % of the score stays until so many of {total} heads are gone: {orders}.",
    "matter.kept.by": "{order}, {n}",
    "matter.gone": "−{n}",
    "matter.batch": "× {n}",
    "matter.silenced": "silenced",
    "matter.pruned": "removed",
    "matter.time": "time, full model = 1",
    "matter.times.alt": "Time with heads silenced and with heads removed, as shares of the full model's time",
    "matter.times": "Below the bars: heads gone, and texts of {tokens} tokens in a batch. With {n} of {total} heads gone, "
    "{batch} at a time, the pass takes {silenced} of the full time if they are silenced, {pruned} if they are removed.",
    "matter.table.removed": "Heads gone",
    "matter.table.batch": "Batch",
    "matter.table.parameters": "Parameters",
    "matter.table.bytes": "File, MB",
    "matter.table.full": "Full, ms",
    "matter.table.silenced": "Silenced, ms",
    "matter.table.pruned": "Removed, ms",
    "matter.sizes": "A head has {each} parameters, 4 · d_model · d_k + 3 · d_k; all {heads} are {share} % of the model.",
    "matter.rounds": "Medians of {rounds} rounds or more, on one core and {tokens} tokens a text; full, silenced and removed are "
    "timed in turn. A ratio (×) is the median of those within a round, not the ratio of the two medians beside it.",
    "matter.not_removing": "**Silencing is not removing.** A silenced head is computed like any other, its query, key, value, "
    "scores and weights, and only then multiplied by 0: nothing is saved. A removed head has no rows in W_Q, W_K and W_V and "
    "no columns in W_O: nothing of it is computed. The outputs are the same but for rounding, at most {apart} in a number.",
    "matter.published": "Published: without further training 20 % (translation) to 40 % (BERT) of all heads go without notice, "
    "and half of BERT's heads removed make it 17.5 % faster at batch 16 or 64, 1.9 % at batch 1 (Michel et al. 2019). With gates "
    "that are trained along, 38 of 48 encoder heads go for 0.15 BLEU (Voita et al. 2019).",
}
