"""English: the card of figures that tutorials quote without a source."""

PITFALL_SOURCES: dict[str, str] = {
    "pitfalls.sources.figure.glue": "3.2 points on GLUE for 8 heads",
    "pitfalls.sources.figure.interleaved": "1.2 to 1.8 points for interleaved columns",
    "pitfalls.sources.figure.masks": "15 to 20 % for compound masks",
    "pitfalls.sources.figure.speed": "2 to 3 times faster training",
    "pitfalls.sources.figure.found": "90 % of all problems found",
    "pitfalls.sources.figure.imdb": "2 to 3 % on IMDb for several heads",
    "pitfalls.sources.figure.sixteen": "0.3 % less with 16 heads than with 8",
    "pitfalls.sources.glue.claim": "8 heads are 3.2 points better on GLUE than a single head.",
    "pitfalls.sources.glue.verdict": "No study, model or number of runs is named, and we found none. Published is "
    "{ahead:.1f} BLEU: {one:.1f} with one head, {best:.1f} at best. Measured here on movie snippets: {few_right:.1f} "
    "% with {few} head, {many_right:.1f} % with {many} ({gain} ± {half:.1f} points, seed by seed, {seeds} seeds).",
    "pitfalls.sources.glue.instead": "Quote Vaswani et al. 2017, Table 3, rows A: translation, equal compute. The 3.2 "
    "may be that of Kovaleva et al. 2019, who gain it on RTE, a part of GLUE, by disabling a whole layer.",
    "pitfalls.sources.imdb.claim": "Several heads are 2 to 3 % better than one on the reviews of IMDb.",
    "pitfalls.sources.imdb.verdict": "Neither nets nor runs are named, and the two nets that go with it differ in "
    "parameters too. Measured here with equal parameters, on movie snippets: {few_right:.1f} % with {few} head, "
    "{many_right:.1f} % with {many} ({gain} ± {half:.1f} points, seed by seed, {seeds} seeds). On translation one "
    "head is {ahead:.1f} BLEU below the best.",
    "pitfalls.sources.imdb.instead": "Compare nets of equal size over several seeds and give the interval. Liu et al. "
    "2021 find the main gain of several heads in the stability of training, not in what a single head cannot express.",
    "pitfalls.sources.sixteen.claim": "16 heads are 0.3 % worse than 8.",
    "pitfalls.sources.sixteen.verdict": "Of what, on what data and in how many runs is not said. Published on "
    "translation: {eight:.1f} BLEU with 8 heads and {sixteen:.1f} with 16. A difference of 0.3 % is far below what "
    "seeds do: on movie snippets the interval of ours is ± {half:.1f} points over {seeds} seeds ({few} against "
    "{many} heads: {gain}).",
    "pitfalls.sources.sixteen.instead": "Quote Vaswani et al. 2017 (8 and 16 alike, 32 worse), and Michel et al. "
    "2019: many layers of a trained model keep their score with one head.",
    "pitfalls.sources.interleaved.claim": "Giving every h-th column to a head, in place of columns beside one "
    "another, gains 1.2 to 1.8 points.",
    "pitfalls.sources.interleaved.same": "Both are one function: with the rows of W_Q, W_K, W_V and the columns of "
    "W_O, as nn.Linear stores them, in the other order the outputs agree to {output:.0e} and the maps to {maps:.0e}. "
    "What one layout can learn the other can, so no such gain can come of it.",
    "pitfalls.sources.interleaved.other": "Outputs differ by {output:.1e} and maps by {maps:.1e}: the layouts are not "
    "the same function.",
    "pitfalls.sources.interleaved.instead": "Take either, and be consistent: the heads are cut from the projected "
    "vector, and every head reads all of the input.",
    "pitfalls.sources.interleaved.told": "interleaved, H0",
    "pitfalls.sources.interleaved.right": "beside one another, H0",
    "pitfalls.sources.interleaved.alt": "The map of head 0 with interleaved columns and with columns beside one "
    "another",
    "pitfalls.sources.interleaved.caption": "The same matrices, put in the other order: the same map, cell by cell.",
    "pitfalls.sources.masks.claim": "A mask of causal order, padding and window together raises the quality of long "
    "texts by 15 to 20 %.",
    "pitfalls.sources.masks.blind": "No text, model or measure of quality is named. What can be computed speaks "
    "against better coherence over long distances: with a window of {window} a layer's output moves by {beyond:g} "
    "with any token further back, without it by up to {whole:.2f}.",
    "pitfalls.sources.masks.sees": "No text, model or measure of quality is named. With a window of {window} the "
    "output moves by up to {beyond:.2f} with tokens further back.",
    "pitfalls.sources.masks.instead": "A window saves time and memory and costs reach; say which. Zaheer et al. 2020 "
    "(BigBird, Table 1) publish what a window alone loses against full attention.",
    "pitfalls.sources.masks.at": "Tokens back from the last one",
    "pitfalls.sources.masks.axis": "Slope of its output",
    "pitfalls.sources.masks.told": "window of {window}",
    "pitfalls.sources.masks.right": "causal alone",
    "pitfalls.sources.masks.alt": "How much the last token's output depends on each token, with a window and without",
    "pitfalls.sources.masks.caption": "One layer with random numbers. Beyond the window the slope is exactly 0; more "
    "layers reach further, but never further than without a window.",
    "pitfalls.sources.speed.claim": "A module with a LayerNorm on its scores trains 2 to 3 times faster.",
    "pitfalls.sources.speed.unable": "Of {n} lengths it runs at {runs}, the one that equals its width of {width}: at "
    "others the LayerNorm does not fit. With a causal mask it gives finite weights at {finite} of {n}. What cannot "
    "read texts of several lengths cannot be trained on them faster.",
    "pitfalls.sources.speed.able": "The module runs at all {n} lengths, with a causal mask too ({finite} of {n} "
    "finite). Whether it is faster nobody shows: no data, machine or runs are named.",
    "pitfalls.sources.speed.instead": "Divide the scores by sqrt(d_k), or normalise query and key before their "
    "product (QK-norm). Give the data, the machine and the curve when speaking of speed.",
    "pitfalls.sources.speed.length": "Tokens",
    "pitfalls.sources.speed.plain": "Without a mask",
    "pitfalls.sources.speed.causal": "With a causal mask",
    "pitfalls.sources.speed.went.runs": "runs",
    "pitfalls.sources.speed.went.fails": "error: the shapes do not fit",
    "pitfalls.sources.speed.went.finite": "finite weights",
    "pitfalls.sources.speed.went.nan": "NaN",
    "pitfalls.sources.speed.caption": "The module as told, tried at {n} lengths.",
    "pitfalls.sources.found.claim": "A check of shapes and one of gradients find 90 % of the problems of an attention "
    "module.",
    "pitfalls.sources.found.few": "Of {n} faults that we planted they find {found} ({share:.0%}). They see a wrong "
    "shape and an explosion; most of what goes wrong in attention keeps the shape and leaves gradients calm.",
    "pitfalls.sources.found.most": "Of {n} faults that we planted they find {found} ({share:.0%}).",
    "pitfalls.sources.found.instead": "Check what the module promises: rows that sum to 1, hidden keys with a weight "
    "of 0, the same output as torch.nn.MultiheadAttention on equal weights, a gradient in every matrix.",
    "pitfalls.sources.found.caption": "Modules that are wrong in one way each, and whether one of the two checks sees "
    "it. The list is ours; nobody names the problems behind the 90 %.",
    "pitfalls.sources.found.fault": "Planted fault",
    "pitfalls.sources.found.seen": "Found",
    "pitfalls.sources.found.yes": "yes",
    "pitfalls.sources.found.no": "no",
    "pitfalls.sources.fault.nothing": "hands its input through",
    "pitfalls.sources.fault.linear": "a linear layer, no token reads another",
    "pitfalls.sources.fault.over_queries": "softmax over queries",
    "pitfalls.sources.fault.no_softmax": "no softmax",
    "pitfalls.sources.fault.open_mask": "mask of 1 and −∞, tested with == 0",
    "pitfalls.sources.fault.after_softmax": "mask multiplied after the softmax",
    "pitfalls.sources.fault.heads_mixed": "heads joined without turning the axes back",
    "pitfalls.sources.fault.extra_scale": "scores divided by d_k³ once more",
    "pitfalls.sources.fault.dead": "output multiplied by 0",
    "pitfalls.sources.fault.shape": "one column too few",
    "pitfalls.sources.published.alt": "BLEU and perplexity of translators with 1 to 32 heads",
    "pitfalls.sources.published.caption": "Published, on translation at equal compute (Vaswani et al. 2017, Table 3): "
    "the one clean comparison of numbers of heads that we know of.",
    "pitfalls.sources.measured.name": "nets",
    "pitfalls.sources.measured.at": "Heads",
    "pitfalls.sources.measured.axis": "Texts sorted rightly, %",
    "pitfalls.sources.measured.alt": "Share of movie snippets sorted rightly with each number of heads",
    "pitfalls.sources.measured.caption": "Measured here: movie snippets, nets of equal size. Means of the seeds with "
    "95% intervals, and every seed beside them: the stored result of the lab on real texts.",
}
