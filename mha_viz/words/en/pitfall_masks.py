"""English: the pitfalls of splitting, masks and queries without a key."""

PITFALL_MASKS: dict[str, str] = {
    "pitfalls.split.tried.cut": "Cutting contiguously",
    "pitfalls.split.tried.named": "A layer told to work in groups",
    "pitfalls.split.tried.grouped": "A layer that does work in groups",
    "pitfalls.split.heads": "Heads",
    "pitfalls.split.groups": "Heads, and as many groups",
    "pitfalls.split.head": "Head shown",
    "pitfalls.split.interleaved": "Interleaved",
    "pitfalls.split.contiguous": "Contiguous",
    "pitfalls.split.gradient": "Mean |gradient|",
    "pitfalls.split.cut.claim": "Cutting the columns into contiguous blocks tears features apart that belong together; "
    "interleaved columns give every head a share of all of them.",
    "pitfalls.split.cut.same": "It is the same layer with its rows in another order: permute the rows of W_Q, W_K, "
    "W_V and the columns of W_O, as nn.Linear stores them, and all heads' maps agree to {maps:.1g}, the outputs to "
    "{output:.1g}. Either way every head reads {features} of {d_model} input features: it is the projected vector "
    "that is cut, not the input.",
    "pitfalls.split.cut.other": "The two cuts are not one layer: maps differ by {maps:.1e}, outputs by {output:.1e}, "
    "and a head reads {features} of {d_model} input features.",
    "pitfalls.split.cut.instead": "Cut contiguously, as PyTorch and BERT do. The matrices are learnt after the cut is "
    "fixed: whatever one order can learn, the other can.",
    "pitfalls.split.cut.alt": "Weights of head {head} from interleaved and from contiguous columns",
    "pitfalls.split.cut.caption": "Two cuts, one head: for H{head} the maps differ by {difference:.1g} at most.",
    "pitfalls.split.named.claim": "A linear layer that is given groups = {groups} works in {groups} groups and needs "
    "fewer parameters.",
    "pitfalls.split.named.nothing": "The name alone changes nothing: {few} parameters with {groups} groups, {full} in "
    "an ordinary layer, and every head still reads {features} of {d_model} input features.",
    "pitfalls.split.named.saves": "{few} parameters with {groups} groups against {full} in an ordinary layer; a head "
    "reads {features} of {d_model} input features.",
    "pitfalls.split.grouped.claim": "A projection in {groups} groups does what W_Q does with fewer parameters.",
    "pitfalls.split.grouped.nothing": "Nothing is saved: {few} parameters, as many as the {full} of an ordinary layer.",
    "pitfalls.split.grouped.saves": "Fewer parameters, yes: {few} instead of {full}. But every head reads only "
    "{features} of {d_model} input features; an ordinary layer lets each head read all {d_model}.",
    "pitfalls.split.grouped.instead": "Leave W_Q, W_K and W_V whole. To save, let heads share keys and values "
    "(grouped-query attention): each head then still reads the whole input.",
    "pitfalls.split.reach.ordinary": "A linear layer",
    "pitfalls.split.reach.blocks": "Really in groups",
    "pitfalls.split.reach.alt": "Which of {features} input features each of {heads} heads reads, in two layers",
    "pitfalls.split.reach.caption": "Each row is a head, each column an input feature. Hatched: the head does not "
    "read the feature at all, its gradient is exactly 0.",
    "pitfalls.masks.tried.compared": "1 and -inf, tested with == 0",
    "pitfalls.masks.tried.multiplied": "1 and -inf, multiplied",
    "pitfalls.masks.tried.added": "1 and -inf, added",
    "pitfalls.masks.tried.anded": "1 and -inf, joined by &",
    "pitfalls.masks.tried.batch": "A mask without an axis for heads",
    "pitfalls.masks.tried.half": "-1e9 in float16",
    "pitfalls.masks.tried.weak": "-1e4 added",
    "pitfalls.masks.tried.device": "A mask made on another device",
    "pitfalls.masks.tried.compound": "Causal, window and padding",
    "pitfalls.masks.compared.claim": "A mask of 1 (visible) and -inf (hidden) is applied by filling the scores with "
    "-inf where the mask is 0.",
    "pitfalls.masks.multiplied.claim": "A mask of 1 (visible) and -inf (hidden) is applied by multiplying the scores "
    "with it.",
    "pitfalls.masks.added.claim": "A mask of 1 (visible) and -inf (hidden) is applied by adding it to the scores.",
    "pitfalls.masks.anded.claim": "Two masks of 1 and -inf, one causal and one for padding, are joined with &.",
    "pitfalls.masks.leaks": "It runs without an error, and the weights are wrong: {future:.2f} of the weight lies "
    "on what comes after the query, {pads:.2f} on padding (mean over rows). Both should be 0.",
    "pitfalls.masks.broken": "{broken} of {total} rows are NaN: a negative score times -inf is +inf, and the softmax "
    "of that is no number.",
    "pitfalls.masks.exact": "The weights are the right ones to {difference:.1g}, {future:.2f} on the future, "
    "{pads:.2f} on padding: a 1 added to every visible score of a row does not change its softmax.",
    "pitfalls.masks.raises": "It does not run. PyTorch says: {error}.",
    "pitfalls.masks.instead": "Use one kind of mask, bool, True where a key may be seen, and fill where it is False. "
    "Bool masks can be joined with &.",
    "pitfalls.masks.batch.claim": "A padding mask of shape (batch, query, key) fits scores of shape (batch, head, "
    "query, key), here {batch} samples and {heads} heads.",
    "pitfalls.masks.batch.wrong": "No error, and wrong: with {batch} samples and {heads} heads the mask of sample h "
    "meets head h of every sample. Head {head} of sample {sample} puts {leak:.2f} of its weight on its own padding.",
    "pitfalls.masks.batch.right": "Here it does: no head puts weight on its padding (at most {leak:.1g}). With one "
    "sample the mask has only one way to fit; with as many samples as heads it would be wrong without an error.",
    "pitfalls.masks.batch.raises": "With {batch} samples and {heads} heads it does not run. PyTorch says: {error}.",
    "pitfalls.masks.batch.instead": "Give the mask an axis for the heads, mask[:, None], and test with as many "
    "samples as heads: that is where the mistake is silent.",
    "pitfalls.masks.batch.size": "Samples (the layer has {heads} heads)",
    "pitfalls.masks.half.claim": "Scores filled with -1e9 are hidden in every precision.",
    "pitfalls.masks.half.raises": "Not in {precision}, whose smallest number is {smallest:,.0f}: -1e9 does not fit. "
    "PyTorch says: {error}.",
    "pitfalls.masks.half.runs": "In {precision} it hides: at most {hidden:.1g} of the weight lies on a hidden cell. "
    "The smallest number there is {smallest:.3g}.",
    "pitfalls.masks.half.instead": "Fill with -inf, which every float type has, and set rows without a key to 0; or "
    "use torch.finfo(scores.dtype).min.",
    "pitfalls.masks.half.precision": "Precision",
    "pitfalls.masks.weak.claim": "Adding -1e4 to a hidden score is as good as -inf (scores times {size:,}).",
    "pitfalls.masks.weak.bare": "Row {row} may see no key, and gets the softmax as if nothing were hidden (difference "
    "{difference:.1g}): all its scores moved by the same number. In the other rows hidden cells get up to {leak:.2g} "
    "of the weight.",
    "pitfalls.masks.weak.kept": "The row without a key, {row}, is not the softmax of its scores (difference "
    "{difference:.2f}), and in the other rows hidden cells get {leak:.1g} of the weight at most.",
    "pitfalls.masks.weak.instead": "Fill hidden scores instead of adding to them, with -inf, and find rows without a "
    "key before the softmax.",
    "pitfalls.masks.weak.size": "Scores, times",
    "pitfalls.masks.device.claim": "A mask made by torch.ones(L, L) inside the module works wherever the module runs.",
    "pitfalls.masks.device.raises": 'With the scores on the device "{device}" it does not run. PyTorch says: {error}.',
    "pitfalls.masks.device.runs": 'With the scores on the device "{device}" it runs; the weights differ by '
    "{difference:.1g} from the right ones.",
    "pitfalls.masks.device.instead": "Make the mask where the scores are: device=scores.device. Or register it as a "
    "buffer, so that it moves with the module.",
    "pitfalls.masks.device.meta": 'This computer has no GPU: the scores stand on PyTorch\'s device "meta", which has '
    "shapes and no numbers, and which makes the same kind of error. The map is of the CPU.",
    "pitfalls.masks.device.cuda": "The scores stand on this computer's GPU.",
    "pitfalls.masks.compound.claim": "A causal mask, a window and padding, each as a matrix of 0 and -inf, can simply "
    "be added up.",
    "pitfalls.masks.compound.broken": "{broken} of {total} rows are NaN: {empty} have no key left, {words} of them "
    "words. With the smallest float in the place of -inf such a row would look like attention, {even:.3f} on every "
    "key; the kernel gives {kernel:g}.",
    "pitfalls.masks.compound.whole": "All {total} rows have numbers, though {empty} have no key.",
    "pitfalls.masks.compound.instead": "Join bool masks with &, count the rows without a key before the softmax, set "
    'them to 0 and draw them as "no key". Padding\'s own rows do not matter; keep them out of the loss as well.',
    "pitfalls.masks.compound.side": "Padding on the",
    "pitfalls.masks.compound.right": "right",
    "pitfalls.masks.compound.left": "left",
    "pitfalls.masks.compound.pads": "Padding",
    "pitfalls.masks.pad": "pad",
    "pitfalls.masks.map.told": "As it is told",
    "pitfalls.masks.map.least": "Smallest float",
    "pitfalls.masks.map.right": "Done right",
    "pitfalls.masks.alt": "Weights as the claim makes them, and the right ones",
    "pitfalls.masks.caption": "Grey hatching: hidden, the weight is exactly 0. Outlined in orange: a cell that should "
    "be hidden, and has weight.",
    "pitfalls.masks.caption.broken": "Red hatching: a row without numbers (NaN), or without any key.",
    "pitfalls.masks.caption.raised": "Nothing to show of what is told, since it raised an error: these are the right "
    "weights.",
}
