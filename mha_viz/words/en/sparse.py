"""English: the page on sparse attention."""

SPARSE: dict[str, str] = {
    "page.sparse": "Sparse attention",
    "page.sparse.door": "Let queries see fewer keys",
    "page.sparse.help": "Windows, blocks, buckets and segments as masks on your sentence: what they hide, reach and change.",
    "sparse_view.patterns": "Patterns",
    "sparse_view.buckets": "Buckets",
    "sparse_view.segments": "Segments",
    "sparse_view.speed": "Measured cost",
    "sparse_view.models": "BigBird and Longformer",
    "own_page.no.sparse": "Sparse patterns act inside a model, and buckets and segments need its queries and keys. Weights "
    "from a file cannot be run again.",
    "lab.sparse_cost": "time and memory of full attention, of a mask over it, and of windows, blocks and buckets",
    "lab.sparse_models": "what BigBird and Longformer of transformers read at each length, and when they read all",
    # Shared
    "figure.reach.layers": "layers",
    "figure.reach.hover": "{query} is told of {key} after <b>{layers}</b> layers",
    "sparse.reach.caption": "The number is the layer after which a row's token can first have been told of a column's: 1 is "
    "the mask itself, 0 the token's own vector. Hatched: never.",
    "sparse.reach.drawn": "Layers of this model: {n_layers}; drawn as if it had {drawn}.",
    "sparse.times": "{times} times",
    "sparse_radius": "Radius in tokens",
    "sparse_step": "Distance of two",
    "sparse_first": "Global tokens",
    "sparse_size": "Tokens in a block",
    "sparse_random": "Random blocks",
    "sparse_seed": "Seed",
    "sparse_buckets": "Buckets",
    "sparse_rounds": "Rounds",
    "sparse_segment": "Tokens in a segment",
    "sparse_memory": "Segments kept",
    # Patterns
    "sparse_pattern.full": "Full",
    "sparse_pattern.window": "Window",
    "sparse_pattern.dilated": "Dilated",
    "sparse_pattern.global": "Global",
    "sparse_pattern.blocks": "BigBird blocks",
    "sparse_pattern.full.help": "Every query sees every key that the model and the sidebar let it see.",
    "sparse_pattern.window.help": "Every query sees its neighbours; what stands farther away is told of layer by layer.",
    "sparse_pattern.dilated.help": "As many neighbours as a window, with gaps between them: farther, and some never.",
    "sparse_pattern.global.help": "A window, and the first tokens see everything and are seen by all (Longformer): two layers "
    "reach everywhere.",
    "sparse_pattern.blocks.help": "A block sees its neighbours, the first block, which sees everything, and blocks drawn at "
    "random (BigBird).",
    "sparse.patterns.reach": "**The mask, and how far it reaches layer by layer**",
    "sparse.patterns.head": "**L{layer} H{head} with the mask inside the model**",
    "sparse.patterns.alt": "The mask {name} on the sentence, with the layer after which each token is reached.",
    "sparse.patterns.density": "Cells left",
    "sparse.patterns.formula": "{cells} of {whole}; formula: {wanted}",
    "sparse.patterns.drawn": "{cells} of {whole}; partly drawn",
    "sparse.patterns.reached": "Most reached, layers: {n_layers}",
    "sparse.patterns.of_tokens": "of {n_tokens} tokens",
    "sparse.patterns.window_reach": "2nw + 1 = {reach} at most",
    "sparse.patterns.change": "Largest change of a weight",
    "sparse.patterns.change_below": "to full attention",
    "sparse.patterns.cosine": "Cosine of the embeddings",
    "sparse.patterns.cosine_below": "1 is unchanged",
    "sparse.patterns.no_answer": "This model gives no answer to this sentence that could change. Models with an output "
    "layer do: choose one in the sidebar, and write [MASK] where it should fill a gap.",
    "sparse.patterns.some": "The sidebar restricts masks to some layers or heads, and so this one too; the picture of its "
    "reach is drawn as if it acted in all.",
    "sparse.patterns.all": "**All patterns on this sentence, with the numbers chosen here**",
    "sparse.patterns.name": "Pattern",
    "sparse.patterns.share": "Share of cells",
    "sparse.patterns.reached_mean": "Tokens reached, layers: {n_layers}",
    "sparse.patterns.answer": "Likeliest answer",
    "sparse.patterns.answer.none": "none given",
    "sparse.patterns.answer.same": "stays",
    "sparse.patterns.answer.other": "changes",
    "sparse.patterns.all_caption": "Each pattern is a run of the model with the mask before the softmax, compared with the "
    "run that has only what the sidebar sets. The share counts that too. The model was made for full attention.",
    "sparse.patterns.layer": "Layer",
    "sparse.patterns.other_top": "Rows with another strongest key",
    "sparse.patterns.by_layer": "Later layers read what earlier ones made of fewer keys: their weights change also where "
    "nothing is hidden.",
    "sparse.patterns.difference": "The head without the pattern, with it, and the difference. Hatched cells are hidden in "
    "one of the two runs.",
    "sparse.patterns.difference_alt": "Layer {layer}, head {head} without the pattern, with it, and the difference.",
    # Buckets
    "sparse.buckets.what": "Reformer computes only pairs of tokens whose vectors fall into one bucket: the largest of "
    "[xR; −xR], with a random matrix R for each round. Queries and keys are one vector, the key at length 1.",
    "sparse.buckets.picture": "**L{layer} H{head}: what shares a bucket**",
    "sparse.buckets.curve": "**What more rounds keep**",
    "sparse.buckets.alt": "The softmax of shared queries and keys, drawn where two tokens share a bucket.",
    "sparse.buckets.caption": "Weights of the full softmax with shared queries and keys. Hatched: no bucket in common, so "
    "left out. A token does not look at itself.",
    "sparse.buckets.curve_alt": "Share of the softmax and share of the pairs kept against the number of rounds, for this "
    "head and for random vectors.",
    "sparse.buckets.mass": "Softmax kept",
    "sparse.buckets.pairs": "Pairs computed",
    "sparse.buckets.random_mass": "Random: kept",
    "sparse.buckets.random_pairs": "Random: computed",
    "sparse.buckets.rounds": "rounds",
    "sparse.buckets.share": "share",
    "sparse.buckets.random": "Good hashing keeps the solid line far above its dashed one. With random unit vectors ({n} of "
    "width {d_k}, {buckets} buckets, scores {sharp} times the cosine) there is little to find: 1 / 2 / 4 / 8 rounds keep "
    "{mass} of the softmax at {pairs} % of the pairs.",
    "sparse.buckets.after": "rounds: {rounds}",
    "sparse.buckets.gain": "Better than chance",
    "sparse.buckets.gain_below": "kept over computed",
    "sparse.buckets.moved": "Moved by sharing alone",
    "sparse.buckets.moved_below": "of a row's weight",
    "sparse.buckets.untrained": "This is what hashing would do to this model, which was not trained for it: its keys are other "
    "vectors than its queries, and sharing them changes the weights before any bucket does. Masks of the sidebar are left "
    "out here.",
    "sparse.buckets.one": "Here nearly all pairs are computed: this head's queries all point much the same way and share a "
    "bucket, so that hashing saves nothing. Try another head, more buckets or fewer rounds.",
    # Segments
    "sparse.segments.what": "Transformer-XL reads segment by segment and keeps the keys and values of the segments before. "
    "That gives what one masked attention over everything gives, without ever holding everything.",
    "sparse.segments.reach": "**The mask that says the same, and its reach**",
    "sparse.segments.alt": "Segments with what is kept, as a mask on the sentence, with the layer after which each token is "
    "reached.",
    "sparse.segments.lost": "**Layer {layer}: what is lost if nothing is kept**",
    "sparse.segments.lost_line": "largest difference of the heads' outputs",
    "sparse.segments.token": "token",
    "sparse.segments.lost_axis": "difference",
    "sparse.segments.lost_alt": "For each token the largest difference between outputs with and without what was kept.",
    "sparse.segments.lost_caption": "The first segment loses nothing. Every later token loses what it would have read in the "
    "segments before its own.",
    "sparse.segments.kernel": "Recurrence less this app's kernel",
    "sparse.segments.kernel_below": "float64, largest",
    "sparse.segments.sdpa": "Recurrence less PyTorch's SDPA",
    "sparse.segments.sdpa_below": "float64, largest",
    "sparse.segments.without": "If nothing is kept",
    "sparse.segments.without_below": "largest difference",
    "sparse.segments.keys": "Most keys at once",
    "sparse.segments.keys_below": "of {n_tokens} tokens",
    "sparse.segments.back": "The last token's reach back",
    "sparse.segments.back_below": "layers: {n_layers}; at most {formula}",
    "sparse.segments.limits": "Computed in this run from the queries, keys and values of the layer. They were made by a "
    "model that read the sentence at once: across several layers a recurrent model's vectors differ. Recurrence needs "
    "relative positions, since a kept key would else carry the position of its own segment.",
    # Measured cost
    "sparse_speed.longest": "Longest text in tokens",
    "sparse_speed.what": "A mask hides cells after they were computed. Time and memory fall only where cells are never "
    "computed.",
    "sparse_speed.about": "About {seconds} s on a usual computer, most of it at the longest text.",
    "sparse_speed.kind.eager": "Full",
    "sparse_speed.kind.masked": "Full + mask",
    "sparse_speed.kind.sdpa": "SDPA",
    "sparse_speed.kind.sdpa_masked": "SDPA + mask",
    "sparse_speed.kind.window": "Window",
    "sparse_speed.kind.blocks": "BigBird",
    "sparse_speed.kind.buckets": "Buckets",
    "sparse_speed.time": "**Time of one pass**",
    "sparse_speed.memory": "**Memory of the weights**",
    "sparse_speed.milliseconds": "milliseconds",
    "sparse_speed.megabytes": "megabytes",
    "sparse_speed.tokens": "tokens",
    "sparse_speed.alt": "{what} of each way to attend against the number of tokens.",
    "sparse_speed.time_caption": "Window: a radius of {block} tokens, alone or as a mask over all cells. The fastest of "
    "several passes on one thread, forward only; both axes in powers. A straight line's slope is the exponent in the table.",
    "sparse_speed.memory_caption": "The weights that one pass holds, in float32. SDPA hands none out and keeps only tiles, "
    "so it has no line.",
    "sparse_speed.way": "Way",
    "sparse_speed.share": "Share of cells",
    "sparse_speed.time_at": "ms at {tokens}",
    "sparse_speed.memory_at": "MB at {tokens}",
    "sparse_speed.time_growth": "Time grows with power (from {start})",
    "sparse_speed.memory_growth": "Memory grows with power (from {start})",
    "sparse_speed.told": "At {tokens} tokens the window as a mask takes **{masked}** times the time of full attention and "
    "holds **{memory}** times its weights: what is hidden has been computed all the same. The same window in blocks is "
    "**{window}** times faster than full attention and holds a **{held}**th of the weights.",
    # BigBird and Longformer
    "sparse_models.what": "Both models as the library transformers computes them, small and with random weights: one layer, "
    "one head. What a query reads is found by gradients: whether its output changes with a token's vector.",
    "sparse_models.block": "BigBird: tokens in a block",
    "sparse_models.random": "BigBird: random blocks",
    "sparse_models.radius": "Longformer: radius",
    "sparse_models.about": "About {seconds} s on a usual computer, most of it to load the library.",
    "sparse_models.length": "Tokens of the picture",
    "sparse_models.wait": "The pictures come with the first results.",
    "sparse_models.bigbird": "BigBird",
    "sparse_models.bigbird_train": "BigBird, training",
    "sparse_models.longformer": "Longformer",
    "sparse_models.row_sum": "Smallest row sum",
    "sparse_models.random_told": "Unless it is being trained, this BigBird draws no random blocks: the first block stands in "
    "their place, and its keys count twice. At {tokens} tokens it reads {share} % of the cells, in training mode {trained} "
    "%; rows of the weights that it hands out then sum to as little as **{row_sum}**, not 1.",
    "sparse_models.kind.original_full": "full attention: {share} % of the cells",
    "sparse_models.kind.block_sparse": "in blocks: {share} % of the cells",
    "sparse_models.kind.longformer": "window and global: {share} % of the cells",
    "sparse_models.mode.original_full": "full",
    "sparse_models.mode.block_sparse": "in blocks",
    "sparse_models.mode.longformer": "window",
    "sparse_models.alt": "What {model} reads at {tokens} tokens: queries in rows, keys in columns.",
    "sparse_models.pictures": "Rows are queries, columns keys; what is read is filled. BigBird's first and last blocks are "
    "global, and so is Longformer's first token here.",
    "sparse_models.share": "Share of cells read",
    "sparse_models.chart": "Up to its shortest sparse text BigBird reads everything, at the dashed line; beyond, the share "
    "falls with the length.",
    "sparse_models.chart_alt": "Share of all cells that BigBird and Longformer read against the number of tokens.",
    "sparse_models.fallback": "BigBird with blocks of {block} and {random} random reads texts of **{longest}** tokens with "
    "full attention, though it was set to read in blocks; the shortest text here that it reads in blocks has "
    "**{shortest}**. Its rule: full up to (5 + 2 · {random}) · {block} = {limit} tokens.",
    "sparse_models.after.original_full": "The same object stays so: after a text of {short} tokens it reads one of {tokens} "
    "with full attention too ({share} % of the cells), and hands out no weights when asked (maps: {maps}).",
    "sparse_models.after.block_sparse": "After a text of {short} tokens the same object reads one of {tokens} in blocks "
    "again ({share} % of the cells, maps: {maps}).",
    "sparse_models.padded": "Longformer works in multiples of its window of {window}: {tokens} tokens are padded to {padded}.",
    "sparse_models.model": "Model",
    "sparse_models.mode": "Reads",
    "sparse_models.keys": "Keys of a query",
    "sparse_models.maps": "Layers with maps",
    "sparse_models.weighed": "Weights above 0",
    "sparse_models.padded_to": "Padded to",
    "sparse_models.table": "Where maps are handed out, the weights above 0 are as many as the cells found by gradients. Full "
    "attention hands out none: its default kernel keeps no weights.",
}
