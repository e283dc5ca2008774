"""English: the pitfall of a query without a key."""

PITFALL_NO_KEY: dict[str, str] = {
    "pitfalls.no_key.tried.zeros": "Such a row is zeros",
    "pitfalls.no_key.tried.same": "Any function will do",
    "pitfalls.no_key.tried.loss": "Left out of the loss it does no harm",
    "pitfalls.no_key.tried.bert": "A sentence of padding alone, in BERT",
    "pitfalls.no_key.zeros.claim": "A query that may see no key comes out as zeros.",
    "pitfalls.no_key.zeros.verdict": "In {n} of {total} calls of PyTorch it does. The others gave NaN ({nan}), even "
    "weights on all that is hidden ({uniform}), the softmax as if nothing were hidden ({unmasked}), an error "
    "({raised}); other answers: {other}.",
    "pitfalls.no_key.same.claim": "It makes no difference which of PyTorch's functions computes the attention.",
    "pitfalls.no_key.same.verdict": "{total} calls, {kinds} kinds of answer: NaN {nan}, zeros {zeros}, even weights "
    "{uniform}, as if nothing were hidden {unmasked}, an error {raised}; other answers: {other}.",
    "pitfalls.no_key.loss.claim": "A row without a key does no harm as long as it is left out of the loss.",
    "pitfalls.no_key.loss.harms": "It does: the row is not in the loss, and {of_values} of {total} numbers of the "
    "gradient of V are NaN, since 0 times NaN is NaN. NaN in all gradients together: {softmax_alone} by softmax over "
    "-inf, {cleaned} with nan_to_num after it, {dead_rows_zero} with rows set to zero, {fused} by PyTorch's fused "
    "function, {kernel} by the kernel.",
    "pitfalls.no_key.loss.harmless": "Here it does none. NaN in all gradients together: {softmax_alone} by softmax "
    "over -inf, {cleaned} with nan_to_num after it, {dead_rows_zero} with rows set to zero, {fused} by PyTorch's "
    "fused function, {kernel} by the kernel.",
    "pitfalls.no_key.bert.claim": "One BERT gives one answer for a sentence whose attention_mask is all zero, "
    "whatever computes its attention.",
    "pitfalls.no_key.bert.other": "With the same weights, eager and sdpa end {difference:.3f} apart: one spreads its "
    "weights evenly over what is hidden, the other gives zeros.",
    "pitfalls.no_key.bert.same": "With the same weights, eager and sdpa end {difference:.1g} apart: the same answer.",
    "pitfalls.no_key.instead": "Find rows without a key before the softmax, fill with -inf, and set their weights to "
    '0 after it. Draw them hatched, as "no key", and keep them out of the loss.',
    "pitfalls.no_key.caption": "Every tile is a call that just ran, with the same scores and no key for one row; its "
    "colour is what that row came to, told by its numbers. -max: the smallest float of its type; pad: all keys are "
    "padding; weights: need_weights=True; unmasked: as if nothing were hidden.",
    "pitfalls.no_key.loss.caption": "Gradients of a loss that leaves the row out, for five ways to compute the same "
    "attention.",
    "pitfalls.no_key.waiting": "Waiting for transformers …",
    "pitfalls.no_key.alt": "Weights of four queries in two ways; row {row} may see no key",
    "pitfalls.no_key.map.least": "smallest float",
    "pitfalls.no_key.map.kernel": "this app's kernel",
    "pitfalls.no_key.map.caption": "Row {row} may see no key. With the smallest float it looks like attention, and is "
    "none; the kernel gives 0 and says so: hatched red, no key.",
    "pitfalls.no_key.kind.nan": "NaN",
    "pitfalls.no_key.kind.zeros": "zeros",
    "pitfalls.no_key.kind.uniform": "even",
    "pitfalls.no_key.kind.unmasked": "unmasked",
    "pitfalls.no_key.kind.other": "other numbers",
    "pitfalls.no_key.kind.raised": "an error",
    "pitfalls.no_key.gradient.query": "Q",
    "pitfalls.no_key.gradient.key": "K",
    "pitfalls.no_key.gradient.value": "V",
    "pitfalls.no_key.gradient.broken": "{n} NaN",
    "pitfalls.no_key.gradient.clean": "clean",
    "pitfalls.no_key.way.softmax_alone": "softmax over -inf",
    "pitfalls.no_key.way.cleaned": "nan_to_num after the softmax",
    "pitfalls.no_key.way.dead_rows_zero": "rows without a key set to 0",
    "pitfalls.no_key.way.fused": "scaled_dot_product_attention",
    "pitfalls.no_key.way.kernel": "this app's kernel",
    "pitfalls.no_key.group.fill": "softmax of scores, hidden ones replaced by",
    "pitfalls.no_key.group.add": "softmax of scores, added to hidden ones",
    "pitfalls.no_key.group.sdpa": "scaled_dot_product_attention, mask",
    "pitfalls.no_key.group.module": "nn.MultiheadAttention, eval",
    "pitfalls.no_key.group.layer": "nn.TransformerEncoderLayer, no grad",
    "pitfalls.no_key.group.bert": "BERT of transformers, attention_mask all zero",
    "pitfalls.no_key.group.kernel": "This app's kernel",
    "pitfalls.no_key.call.fill.inf": "-inf",
    "pitfalls.no_key.call.fill.1e9": "-1e9",
    "pitfalls.no_key.call.fill.least": "-max",
    "pitfalls.no_key.call.fill.1e9_half": "-1e9, fp16",
    "pitfalls.no_key.call.fill.1e9_brain": "-1e9, bf16",
    "pitfalls.no_key.call.fill.1e4_half": "-1e4, fp16",
    "pitfalls.no_key.call.fill.least_half": "-max, fp16",
    "pitfalls.no_key.call.add.1e9": "-1e9",
    "pitfalls.no_key.call.add.1e4": "-1e4",
    "pitfalls.no_key.call.add.least_twice": "-max, twice",
    "pitfalls.no_key.call.sdpa.bool": "bool",
    "pitfalls.no_key.call.sdpa.inf": "-inf",
    "pitfalls.no_key.call.sdpa.least": "-max",
    "pitfalls.no_key.call.sdpa.math": "bool, math",
    "pitfalls.no_key.call.sdpa.flash": "bool, flash",
    "pitfalls.no_key.call.module.weights_grad": "weights+grad",
    "pitfalls.no_key.call.module.weights": "weights",
    "pitfalls.no_key.call.module.grad": "grad",
    "pitfalls.no_key.call.module.plain": "neither",
    "pitfalls.no_key.call.module.padding_weights": "pad, weights",
    "pitfalls.no_key.call.module.padding": "pad, grad",
    "pitfalls.no_key.call.layer.train": "train",
    "pitfalls.no_key.call.layer.eval": "eval",
    "pitfalls.no_key.call.layer.train_padding": "train, pad",
    "pitfalls.no_key.call.layer.eval_padding": "eval, pad",
    "pitfalls.no_key.group.code": "The two functions shown as code",
    "pitfalls.no_key.call.code.softmax_alone": "as told",
    "pitfalls.no_key.call.code.dead_rows_zero": "done right",
    "pitfalls.no_key.bert.axis": "Output of the heads",
    "pitfalls.no_key.bert.alt": "Outputs of layer 0's heads for the first token of a sentence of padding, eager and "
    "sdpa",
    "pitfalls.no_key.bert.caption": "What all heads of layer 0 give for the first token, number by number: one random "
    "BERT, two ways to compute its attention, and a sentence of which nothing may be seen.",
    "pitfalls.no_key.call.kernel.bool": "bool mask",
    "pitfalls.no_key.call.bert.eager": "eager",
    "pitfalls.no_key.call.bert.sdpa": "sdpa",
}
