"""English: one attention layer, step by step. ``{name}`` is a place for a value."""

SPLITTING: dict[str, str] = {
    # What is left out of the picture
    "splitting.note.tokens": "Shown are {shown} of {n_tokens} tokens, positions {first} to {last}.",
    "splitting.note.columns": "Shown are the first {each} of {d_k} columns of every head, {shown} of d_model = "
    "{d_model}.",
    "splitting.note.computed": "Every number comes from all tokens and all columns.",
    # Titles
    "splitting.x.title": "The tokens",
    "splitting.project.title": "Project",
    "splitting.split.title": "Split into heads",
    "splitting.scores.title": "Scores",
    "splitting.mask.title": "Temperature and mask",
    "splitting.softmax.title": "Softmax",
    "splitting.weigh.title": "Weigh the values",
    "splitting.join.title": "Join the heads",
    "splitting.output.title": "Output",
    # Captions
    "splitting.x.caption": "Every token is a row of d_model = {d_model} numbers. Together the rows are X, all that this "
    "layer reads.",
    "splitting.x.caption_unknown": "X is not shown: this model changes query and key after projecting X, or projects "
    "in a way of its own. The steps begin with query, key and value.",
    "splitting.project.caption": "X times W_Q, W_K and W_V gives query, key and value. Each of their columns is made "
    "from all {d_model} columns of X.",
    "splitting.project.caption_unknown": "Query, key and value as this layer's heads have them. X and three matrices "
    "alone would not give these numbers.",
    "splitting.split.caption": "The projected columns are split, not those of X: each of the {n_heads} heads gets {d_k} "
    "columns of Q, K and V, and every head has read all of X.",
    "splitting.split.caption_one": "With one head nothing is split: it keeps all {d_model} projected columns, and has "
    "read all of X.",
    "splitting.scores.caption": "Each head multiplies each of its queries with each of its keys, and divides by √d_k = "
    "{root}. The row of “{token}” is one dot product a key.",
    "splitting.scores.caption_scale": "Each head multiplies each of its queries with each of its keys, and this model "
    "multiplies by {scale}. The row of “{token}” is one dot product a key.",
    "splitting.mask.plain": "The temperature is 1 and changes nothing.",
    "splitting.mask.tempered": "The scores are divided by the temperature {temperature}.",
    "splitting.mask.tempered_some": "In {heads} the scores are divided by the temperature {temperature}.",
    "splitting.mask.zero": "At temperature 0 the largest score will get all the weight.",
    "splitting.mask.infinity": "At infinite temperature the weights will be even.",
    "splitting.mask.hidden": "{hidden} of {cells} cells are hidden and go out of play before the softmax.",
    "splitting.mask.open": "No key is hidden.",
    "splitting.softmax.caption": "The softmax turns every row of a head into weights: none is negative, and they sum "
    "to 1.",
    "splitting.softmax.dead": "A query that may see no key has only weights of 0; there are {n_dead} such rows.",
    "splitting.softmax.uniform": "The weights of {heads} were made even.",
    "splitting.weigh.caption": "Each head adds up the values, each times its weight. A token gets {d_k} numbers from "
    "every head.",
    "splitting.weigh.silenced": "{heads} is silenced: what it gives is multiplied by 0.",
    "splitting.join.caption": "The outputs of the {n_heads} heads slide together, head after head, into {d_model} "
    "columns again.",
    "splitting.join.caption_one": "The output of the one head has all {d_model} columns; there is nothing to join.",
    "splitting.output.caption": "W_O mixes the joined columns into the output, of the same shape as X. It is the sum of "
    "the heads' own shares{bias}.",
    "splitting.output.caption_unknown": "W_O mixes the joined columns into the output, of the same shape as X.",
    "splitting.output.bias": " and the bias b_O",
    # Formulas
    "splitting.x.formula": "X",
    "splitting.x.formula_unknown": "X",
    "splitting.project.formula": "Q = X W_Q{b_Q},   K = X W_K{b_K},   V = X W_V{b_V}",
    "splitting.project.formula_unknown": "Q, K, V",
    "splitting.split.formula": "Q = [Q_0 … Q_{last}],   K = [K_0 … K_{last}],   V = [V_0 … V_{last}]",
    "splitting.split.formula_one": "Q = Q_0,   K = K_0,   V = V_0",
    "splitting.scores.formula": "S_i = Q_i K_iᵀ / √d_k",
    "splitting.scores.formula_scale": "S_i = {scale} · Q_i K_iᵀ",
    "splitting.mask.formula": "S_i / T + M,   M = −∞ where hidden",
    "splitting.softmax.formula": "A_i = softmax(S_i / T + M)",
    "splitting.weigh.formula": "H_i = A_i V_i",
    "splitting.join.formula": "H = [H_0 … H_{last}]",
    "splitting.join.formula_one": "H = H_0",
    "splitting.output.formula": "Y = H W_O{b_O} = Σ_i H_i W_O,i{b_O}",
    "splitting.output.formula_unknown": "Y = H W_O",
    "splitting.with_bias": " + {bias}",
    # Shapes
    "splitting.x.shape": "({tokens}, {d_model})",
    "splitting.project.shape": "({tokens}, {d_model}) → 3 × ({n_tokens}, {d_model})",
    "splitting.split.shape": "({tokens}, {d_model}) → {n_heads} × ({n_tokens}, {d_k}), three times",
    "splitting.scores.shape": "{n_heads} × ({n_tokens}, {d_k}) · ({d_k}, {n_tokens}) → {n_heads} × ({n_tokens}, "
    "{n_tokens})",
    "splitting.mask.shape": "{n_heads} × ({n_tokens}, {n_tokens})",
    "splitting.softmax.shape": "{n_heads} × ({n_tokens}, {n_tokens}), {rows} rows",
    "splitting.weigh.shape": "{n_heads} × ({n_tokens}, {n_tokens}) · ({n_tokens}, {d_k}) → {n_heads} × ({n_tokens}, "
    "{d_k})",
    "splitting.join.shape": "{n_heads} × ({n_tokens}, {d_k}) → ({tokens}, {d_model})",
    "splitting.output.shape": "({tokens}, {d_model}) · ({d_model}, {d_model}) → ({n_tokens}, {d_model})",
    "splitting.tokens": "{n_tokens} tokens",
    "splitting.token": "1 token",
    "splitting.twin": "{label}, position {position}",
    # For screen readers
    "splitting.x.speech": "X has {n_tokens} rows, one a token, and {d_model} columns; its numbers go from {low} to {high}.",
    "splitting.x.speech_unknown": "X is not shown for this model; the next step has query, key and value.",
    "splitting.project.speech": "Query, key and value have {n_tokens} rows and {d_model} columns each. Their numbers go "
    "from {low} to {high}.",
    "splitting.split.speech": "Head {head} of {n_heads} has columns {first} to {last} of query, key and value.",
    "splitting.scores.speech": "In head {head}, query “{token}” scores highest with key “{best}”: {most}; and lowest with "
    "“{worst}”: {least}.",
    "splitting.mask.speech": "In head {head}, query “{token}” may see {seen} of {n_tokens} tokens. The temperature there "
    "is {temperature}.",
    "splitting.softmax.speech": "In head {head}, query “{token}” gives the largest weight, {most}, to key “{best}”. Its "
    "weights sum to {total}.",
    "splitting.softmax.speech_dead": "In head {head}, query “{token}” may see no token, so that its weights are all 0.",
    "splitting.weigh.speech": "Head {head} gives “{token}” {d_k} numbers, from {low} to {high}.",
    "splitting.join.speech": "{n_heads} outputs of {d_k} columns stand side by side: {d_model} columns.",
    "splitting.output.speech": "The output has {n_tokens} rows and {d_model} columns, from {low} to {high}. The share of "
    "head {largest} is the largest, {largest_share}; that of head {head} is {share}.",
    "splitting.output.speech_unknown": "The output has {n_tokens} rows and {d_model} columns, from {low} to {high}.",
    # What a symbol on the stage stands for
    "splitting.label.x": "X",
    "splitting.label.query": "Q",
    "splitting.label.key": "K",
    "splitting.label.value": "V",
    "splitting.label.scores": "Q Kᵀ",
    "splitting.label.scaled": "S",
    "splitting.label.tempered": "S / T",
    "splitting.label.visible": "M",
    "splitting.label.weights": "A",
    "splitting.label.row_sums": "Σ",
    "splitting.label.head_output": "A V",
    "splitting.label.joined": "H",
    "splitting.label.output": "Y",
    "splitting.label.shares": "H_i W_O,i",
    "splitting.label.share_size": "%",
    "splitting.label.bias": "b_O",
    "splitting.label.W_Q": "W_Q",
    "splitting.label.W_K": "W_K",
    "splitting.label.W_V": "W_V",
    "splitting.label.W_O": "W_O",
    "splitting.label.b_Q": "b_Q",
    "splitting.label.b_K": "b_K",
    "splitting.label.b_V": "b_V",
    # What the numbers of an array are
    "splitting.array.x": "X: what the layer reads, a row for each token",
    "splitting.array.query": "query: what a token asks with",
    "splitting.array.key": "key: what a token is found by",
    "splitting.array.value": "value: what a token hands over",
    "splitting.array.scores": "raw score: dot product of query and key",
    "splitting.array.scaled": "scaled score",
    "splitting.array.tempered": "scaled score, divided by the temperature",
    "splitting.array.visible": "1 where the query may see the key, 0 where it is hidden",
    "splitting.array.weights": "weight: how much of the key's value the query takes",
    "splitting.array.row_sums": "sum of a row's weights, over all keys",
    "splitting.array.head_output": "output of a head",
    "splitting.array.joined": "the heads' outputs, side by side",
    "splitting.array.output": "output of the layer",
    "splitting.array.shares": "share of a head in the output",
    "splitting.array.share_size": "size of a head's share, over the sum of all sizes",
    "splitting.array.bias": "bias b_O, added to every row of the output",
    "splitting.array.W_Q": "W_Q: a row for each column of X, a column for each of Q",
    "splitting.array.W_K": "W_K: a row for each column of X, a column for each of K",
    "splitting.array.W_V": "W_V: a row for each column of X, a column for each of V",
    "splitting.array.W_O": "W_O: a row for each joined column, a column for each of the output",
    "splitting.array.b_Q": "bias b_Q, added to every row of Q",
    "splitting.array.b_K": "bias b_K, added to every row of K",
    "splitting.array.b_V": "bias b_V, added to every row of V",
}
