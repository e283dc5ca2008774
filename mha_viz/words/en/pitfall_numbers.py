"""English: pitfalls of norms, gradients, sqrt(d_k), softmax and cost."""

PITFALL_NUMBERS: dict[str, str] = {
    "pitfalls.numbers.told": "as told",
    "pitfalls.numbers.weight": "Weight",
    "pitfalls.norm.tried.extremes": "Extremes",
    "pitfalls.norm.tried.length": "Any length",
    "pitfalls.norm.tried.mask": "Mask of -inf",
    "pitfalls.norm.tried.finite": "Mask of -1e9",
    "pitfalls.norm.extremes.claim": "Large scores drive the softmax to extremes. A LayerNorm on the scores cures "
    "that, and leaves the weights as informative as they were.",
    "pitfalls.norm.extremes.blind": "Extremes are gone: with scores 100 times as large the rows keep {hundred:.3f} of "
    "the largest entropy, without it {plain:.3f}. But at 1, 10 and 100 times it is all the same (apart by "
    "{spread:.0e}): the size of the scores, by which a head says how sure it is, no longer reaches the weights.",
    "pitfalls.norm.extremes.unbounded": "The entropy falls to {hundred:.3f} of the largest with scores 100 times as "
    "large, without the norm to {plain:.3f}: extremes are not cured.",
    "pitfalls.norm.extremes.follows": "The rows keep {hundred:.3f} of the largest entropy with scores 100 times as "
    "large, without the norm {plain:.3f}; and with {one:.3f} and {ten:.3f} at 1 and 10 times the weights still "
    "follow the size of the scores.",
    "pitfalls.norm.length.claim": "LayerNorm(d_model) on the scores fits into any attention layer.",
    "pitfalls.norm.length.one": "It ran with {ran} of {tried} numbers of tokens ({which}) and raised a RuntimeError "
    "with the others: it normalises over the keys, so their number must be its width, {width}.",
    "pitfalls.norm.length.any": "It ran with all {tried} numbers of tokens that were tried ({which}), whatever its "
    "width, {width}.",
    "pitfalls.norm.mask.claim": "Mask the scores with -inf, apply the LayerNorm, then the softmax: the layer is "
    "causal and stable.",
    "pitfalls.norm.mask.lost": "{lost:.1f} % of the output are NaN: a row that holds one -inf has no finite mean. Of "
    "{tokens} rows {rows} survived, the last, which hides nothing.",
    "pitfalls.norm.mask.works": "No number of the output is NaN ({lost:.1f} %); all {rows} of {tokens} rows hold "
    "weights.",
    "pitfalls.norm.finite.claim": "With -1e9 in place of -inf a mask and a LayerNorm on the scores go together.",
    "pitfalls.norm.finite.leaks": "No NaN, but {leak:.3f} of a row's weight goes to keys that are hidden, on average. "
    "And beside -1e9 all other scores are one: in the middle row the largest visible weight is {told:.3f} times the "
    "smallest; QK-norm makes it {ours:,.0f} times.",
    "pitfalls.norm.finite.works": "Hidden keys get {leak:.1e} of a row's weight, and in the middle row the largest "
    "visible weight is {told:.1f} times the smallest ({ours:,.0f} with QK-norm).",
    "pitfalls.norm.instead": "Normalise queries and keys, not scores (QK-norm): it too is blind to the size of "
    "queries and keys, but one learnt number bounds every score and sets how sharp heads can be, and any mask and "
    "number of tokens will do.",
    "pitfalls.norm.mask.instead": "Normalise queries and keys before the scores (QK-norm), then mask: whatever is "
    "hidden is never part of a mean.",
    "pitfalls.norm.tokens": "Tokens",
    "pitfalls.norm.factor": "Factor of QK-norm",
    "pitfalls.norm.factor.help": "It is learnt in a model. No score can be larger.",
    "pitfalls.norm.plain": "no norm",
    "pitfalls.norm.told": "LayerNorm on scores",
    "pitfalls.norm.qk": "QK-norm",
    "pitfalls.norm.size": "Scores multiplied by",
    "pitfalls.norm.share": "Entropy, share of the largest",
    "pitfalls.norm.extremes.alt": "Entropy of the weights against the size of the scores, without a norm, with "
    "LayerNorm on the scores and with QK-norm",
    "pitfalls.norm.extremes.caption": "1 is an even row, 0 a row with all its weight on one key. Both norms make the "
    "line flat; move the factor: it is the one number by which QK-norm sets its height. LayerNorm's gain is another "
    "number for every position of a key.",
    "pitfalls.norm.length.alt": "Entropy of the weights for several numbers of tokens; LayerNorm on the scores has a "
    "point at one of them only",
    "pitfalls.norm.length.caption": "LayerNorm's bar is missing where the layer raised an error. Tokens stand below.",
    "pitfalls.norm.mask.caption": "Red: rows of NaN. Grey: hidden by the causal mask.",
    "pitfalls.norm.finite.caption": "What each query gives to keys that its causal mask hides. The last one hides "
    "nothing; with QK-norm it is 0 for all.",
    "pitfalls.gradients.tried.sum": "Sum as loss",
    "pitfalls.gradients.tried.thresholds": "Thresholds",
    "pitfalls.gradients.tried.again": "Call again",
    "pitfalls.gradients.tried.tuple": "Any module",
    "pitfalls.gradients.sum.claim": "To see whether gradients flow through a layer, call backward on the sum of its "
    "output.",
    "pitfalls.gradients.sum.blind": "A healthy layer that ends in a LayerNorm looks dead: the largest gradient is "
    "{told:.0e} of its weights, {ours:.2f} with a random target. The sum of what a LayerNorm puts out is a constant, "
    "whatever stands before it.",
    "pitfalls.gradients.sum.sees": "The largest gradient is {told:.1e} of its weights, {ours:.2f} with a random "
    "target: the layer is seen to live.",
    "pitfalls.gradients.thresholds.claim": "Gradients are healthy if their standard deviation is below 1,000 and "
    "their mean between -100 and 100.",
    "pitfalls.gradients.thresholds.miss": "{missed} of {sick} sick layers pass as healthy: {which}. Such thresholds "
    "see explosions and NaN, and nothing else. A check that works finds {caught} of {sick}.",
    "pitfalls.gradients.thresholds.see": "All {sick} sick layers are found, as by a check that works ({caught}); "
    "{missed} pass.",
    "pitfalls.gradients.again.claim": "A check of gradients can be called at any time, as often as one likes.",
    "pitfalls.gradients.again.adds": "The second call reports {second:.3f} times the gradient of the first, and after "
    "{calls} calls it is {last:.3f} times, though nothing changed: without zero_grad gradients add up. A check that "
    "clears them stays at {ours:.3f}.",
    "pitfalls.gradients.again.same": "The second call reports {second:.3f} times the gradient of the first, and after "
    "{calls} calls it is {last:.3f} times; a check that clears them stays at {ours:.3f}.",
    "pitfalls.gradients.tuple.claim": "A check of gradients that sums the output takes any module of a transformer.",
    "pitfalls.gradients.tuple.fails": "It fails for {failed} of {tried} modules ({which}): they return a tuple of "
    "output and weights, which has no sum. A check that works takes {ours} of {tried}.",
    "pitfalls.gradients.tuple.runs": "It took all {tried} modules, as a check that works did ({ours}); {failed} "
    "failed.",
    "pitfalls.gradients.instead": "Clear the gradients, compare with a random target, and set each matrix's gradient "
    "against its weights: too small is as bad as too large, and what is not finite is worst.",
    "pitfalls.gradients.width": "Width of the layer",
    "pitfalls.gradients.ratio": "Gradient over weights (norms)",
    "pitfalls.gradients.spread": "Largest standard deviation of a gradient",
    "pitfalls.gradients.grown": "Gradient, times that of the first call",
    "pitfalls.gradients.check": "a check that works",
    "pitfalls.gradients.call": "call {n}",
    "pitfalls.gradients.layer.healthy": "healthy",
    "pitfalls.gradients.layer.dead": "dead",
    "pitfalls.gradients.layer.cut": "cut off",
    "pitfalls.gradients.layer.fading": "fading",
    "pitfalls.gradients.layer.exploding": "exploding",
    "pitfalls.gradients.layer.nan": "NaN inside",
    "pitfalls.gradients.state.fine": "fine",
    "pitfalls.gradients.state.small": "too small",
    "pitfalls.gradients.state.large": "too large",
    "pitfalls.gradients.state.broken": "not finite",
    "pitfalls.gradients.column.layer": "Layer",
    "pitfalls.gradients.column.thresholds": "The thresholds say",
    "pitfalls.gradients.column.check": "The check says",
    "pitfalls.gradients.passes": "healthy",
    "pitfalls.gradients.stopped": "unhealthy",
    "pitfalls.gradients.alt": "Gradients as the check that is told sees them, beside those of a check that works",
    "pitfalls.gradients.sum.caption": "The axis is in powers of ten. The same layer, the same input: only the loss "
    "differs.",
    "pitfalls.gradients.thresholds.caption": "The dashed line is the threshold that is told. Dead and cut-off layers "
    "have no bar, since their gradient is 0, and one with a NaN has none either: its size is no number.",
    "pitfalls.gradients.again.caption": "Nothing was trained between the calls.",
    "pitfalls.gradients.tuple.caption": "Where a bar is missing, the check raised an error. The encoder layer ends in "
    "a LayerNorm: its bar is rounding. HeadsAttention is this app's own.",
    "pitfalls.sqrt.tried.vanishes": "Without the root",
    "pitfalls.sqrt.tried.twice": "The root twice",
    "pitfalls.sqrt.vanishes.claim": "Without dividing by sqrt(d_k) the softmax saturates, and its gradient vanishes.",
    "pitfalls.sqrt.vanishes.wide": "From d_k {first} on: at {d_k} the softmax lets through {unscaled:.3f} (norm of "
    "its Jacobian), divided by the root {scaled:.3f}, and its entropy is {entropy:.3f} of the largest. With narrow "
    "heads ({more}) it even lets a little more through than after division.",
    "pitfalls.sqrt.vanishes.always": "At every d_k tried, from {first} on; at {d_k} the softmax lets through "
    "{unscaled:.3f} (norm of its Jacobian), divided by the root {scaled:.3f}, and its entropy is {entropy:.3f} of "
    "the largest.",
    "pitfalls.sqrt.vanishes.same": "Not here: at d_k {d_k} the softmax lets through {unscaled:.3f} (norm of its "
    "Jacobian), divided by the root {scaled:.3f}, with an entropy of {entropy:.3f} of the largest.",
    "pitfalls.sqrt.vanishes.instead": "Divide by sqrt(d_k), once. It matters for wide heads: the variance of a score "
    "is d_k without it and 1 with it.",
    "pitfalls.sqrt.twice.claim": "Multiply the initial weights by another 1 / sqrt(d_k), so that the gradients stay "
    "stable.",
    "pitfalls.sqrt.twice.even": "That makes gradients vanish: scores spread by {told:.3f} in place of {ours:.2f}, "
    "every row is even (entropy {share:.3f} of the largest, {our_share:.3f} without), and the gradient of W_Q is "
    "{gradient:.0e} in place of {our_gradient:.2g}.",
    "pitfalls.sqrt.twice.fine": "Scores spread by {told:.3f}, without by {ours:.2f}; entropy {share:.3f} of the "
    "largest, without {our_share:.3f}; the gradient of W_Q is {gradient:.0e}, without {our_gradient:.2g}.",
    "pitfalls.sqrt.twice.instead": "Draw the weights with variance 1 / d_model (or Xavier). The root stands in the "
    "scores already.",
    "pitfalls.sqrt.keys": "Keys",
    "pitfalls.sqrt.d_k": "Width of a head, d_k",
    "pitfalls.sqrt.show": "Shown",
    "pitfalls.sqrt.show.jacobian": "Jacobian",
    "pitfalls.sqrt.show.entropy": "Entropy",
    "pitfalls.sqrt.show.largest": "Largest weight",
    "pitfalls.sqrt.axis.jacobian": "Norm of the softmax's Jacobian",
    "pitfalls.sqrt.axis.entropy": "Entropy, share of the largest",
    "pitfalls.sqrt.axis.largest": "Largest weight of a row",
    "pitfalls.sqrt.unscaled": "not divided",
    "pitfalls.sqrt.scaled": "divided by sqrt(d_k)",
    "pitfalls.sqrt.variance": "Variance of q·k",
    "pitfalls.sqrt.column": "{axis}, {kind}",
    "pitfalls.sqrt.vanishes.alt": "Softmax of scores of heads of several widths, divided by sqrt(d_k) and not",
    "pitfalls.sqrt.vanishes.caption": "Means over 2,048 rows; queries and keys are independent numbers of variance 1. "
    "The Jacobian is what a gradient passes on its way from the weights to the scores.",
    "pitfalls.sqrt.twice.alt": "The first head's map with the extra root and without",
    "pitfalls.sqrt.twice.caption": "The first head's map before any training, on random tokens. Left, it is one "
    "colour: there is nothing to learn from.",
    "pitfalls.sqrt.extra": "with the extra root",
    "pitfalls.sqrt.once": "variance 1 / d_model",
    "pitfalls.softmax.tried.written": "As written",
    "pitfalls.softmax.tried.changes": "The maximum",
    "pitfalls.softmax.written.claim": "A softmax is exp(x) / sum(exp(x)), and can be written just so, in {dtype} too.",
    "pitfalls.softmax.written.up": "In {dtype} exp(x) overflows beyond {limit:.2f}. {broken} of {rows} rows are wrong "
    "from {first:g} on: first all weights are 0, since the sum is infinite, then {nan} rows hold NaN. With the "
    "maximum subtracted all are right (error {error:.0e}).",
    "pitfalls.softmax.written.down": "In {dtype} exp(x) is 0 below {limit:.2f}. {broken} of {rows} rows are wrong "
    "from {first:g} down: first small weights go missing, then {nan} rows hold NaN, 0 over 0. With the maximum "
    "subtracted all are right (error {error:.0e}).",
    "pitfalls.softmax.written.sound": "All {rows} rows are right in {dtype} ({broken} wrong, {nan} with NaN), also "
    "beyond {limit:.2f}, where exp(x) leaves the numbers there are.",
    "pitfalls.softmax.changes.claim": "Subtracting the maximum is an approximation: the weights differ a little.",
    "pitfalls.softmax.changes.same": "It changes nothing: a common factor cancels. On {rows} rows of {keys} usual "
    "scores the largest difference is {difference:.0e}, the rounding of float64.",
    "pitfalls.softmax.changes.other": "On {rows} rows of {keys} usual scores the weights differ by up to "
    "{difference:.0e}, more than float64 rounds.",
    "pitfalls.softmax.instead": "Subtract each row's maximum first, or call torch.softmax, which does.",
    "pitfalls.softmax.dtype": "Numbers",
    "pitfalls.softmax.way": "Scores grow",
    "pitfalls.softmax.way.up": "up",
    "pitfalls.softmax.way.down": "down",
    "pitfalls.softmax.formula": "as written",
    "pitfalls.softmax.below": "maximum subtracted",
    "pitfalls.softmax.alt": "Weights of rows of scores: the formula as written, and with the maximum subtracted",
    "pitfalls.softmax.written.caption": "Each row holds the same scores moved by one number, so all rows must be "
    "equal. At the left stands the row's largest score. Red: a row with NaN in it.",
    "pitfalls.softmax.changes.caption": "Some rows and keys, in float64. Both maps are the same to the last digits.",
    "pitfalls.softmax.column.top": "Largest score",
    "pitfalls.softmax.column.nan": "NaN",
    "pitfalls.softmax.column.zeros": "Weights of 0",
    "pitfalls.softmax.column.error": "Largest error, as written",
    "pitfalls.softmax.column.ours": "Largest error, maximum subtracted",
    "pitfalls.linear.tried.time": "Time",
    "pitfalls.linear.tried.memory": "Memory",
    "pitfalls.linear.time.claim": "The time of a layer grows linearly with its number of heads.",
    "pitfalls.linear.time.flat": "{many} heads took {times:.1f} times as long as one in this run, not {many} times: "
    "the operations are the same, {millions:.0f} million multiply-adds. {most} heads took {at_most:.1f} times as "
    "long, with {most} maps to write and read.",
    "pitfalls.linear.time.some": "{many} heads took {times:.1f} times as long as one in this run, with {operations:g} "
    "times the operations ({millions:.0f} million with one head); {most} heads took {at_most:.1f} times as long.",
    "pitfalls.linear.time.grows": "{many} heads took {times:.1f} times as long as one in this run, with "
    "{operations:g} times the operations ({millions:.0f} million with one head); {most} heads took {at_most:.1f} "
    "times as long.",
    "pitfalls.linear.time.instead": "Choose the number of heads by what it reaches: operations and parameters are the "
    "same. Only the maps grow, and with them some time; kernels that do not store them save that.",
    "pitfalls.linear.memory.claim": "The memory of a layer grows linearly with its number of heads.",
    "pitfalls.linear.memory.maps": "Only the maps do: {maps:.0f} times with {many} heads. Parameters and vectors of "
    "tokens stay ({parameters:.0f} and {vectors:.0f} times); all together it is {all:.1f} times.",
    "pitfalls.linear.memory.all": "All of it does: with {many} heads maps {maps:.1f} times, parameters "
    "{parameters:.1f} times, vectors {vectors:.1f} times, together {all:.1f} times.",
    "pitfalls.linear.memory.none": "None of it does: with {many} heads maps {maps:.1f} times, parameters "
    "{parameters:.1f} times, vectors {vectors:.1f} times, together {all:.1f} times.",
    "pitfalls.linear.memory.instead": "Count the maps apart: batch × heads × tokens². Where they are too much, do not "
    "store them; fewer heads are not the only way.",
    "pitfalls.linear.tokens": "Tokens",
    "pitfalls.linear.heads": "Heads",
    "pitfalls.linear.growth": "Times as much as one head",
    "pitfalls.linear.measured": "time, measured",
    "pitfalls.linear.operations": "operations",
    "pitfalls.linear.told": "as told",
    "pitfalls.linear.milliseconds": "Forward and backward, ms",
    "pitfalls.linear.megabytes": "MB",
    "pitfalls.linear.parameters": "parameters",
    "pitfalls.linear.vectors": "vectors of tokens",
    "pitfalls.linear.maps": "maps",
    "pitfalls.linear.alt": "What a layer takes with 1 to 32 heads, against what is told",
    "pitfalls.linear.time.caption": "Measured when this card was first drawn: forward and backward of one layer of "
    "width {d_model}. Rounds: {rounds}, of which the median is shown; in each all numbers of heads take turns.",
    "pitfalls.linear.memory.caption": "One layer of width {d_model}, one sequence, float32, kept for training. The "
    "dashed line is one head's sum times the number of heads.",
    "pitfalls.norm.mask.alt": "Weights under a causal mask: LayerNorm on the scores, and QK-norm",
    "pitfalls.norm.finite.alt": "Weight on hidden keys, for every query, with LayerNorm on the scores and with QK-norm",
    "pitfalls.norm.query": "Position of the query",
    "pitfalls.norm.leak": "Weight on hidden keys",
    "pitfalls.sqrt.twice.less": "Gradients shrink: scores spread by {told:.3f} in place of {ours:.2f}, the rows keep "
    "{share:.3f} of the largest entropy ({our_share:.3f} without), and the gradient of W_Q is {gradient:.0e} in "
    "place of {our_gradient:.2g}.",
    "pitfalls.softmax.written.claim_down": "A softmax written as exp(x) / sum(exp(x)) can only overflow: scores far "
    "below 0 do it no harm, in {dtype} neither.",
}
