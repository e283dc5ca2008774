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
    "sparse.measured": "Measured with vectors and texts of its own: sentence, model, heads, temperature and masks are not used "
    "here. What is chosen here is for a run of your own; without one you see the stored result, made with choices of its own.",
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
    "sparse_pattern.blocks": "BigBird",
    "sparse_pattern.blocks.undrawn": "A block sees its neighbours and the first block, which sees everything; with 0 random "
    "blocks nothing is drawn.",
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
    "sparse.patterns.cells.drawn": "{cells} of {whole}; partly drawn",
    "sparse.patterns.cells.counted": "{cells} of {whole}",
    "sparse.patterns.reached": "Most tokens reached, layers: {n_layers}",
    "sparse.patterns.of_tokens": "of {n_tokens} tokens",
    "sparse.patterns.window_reach": "2nw + 1 = {reach} at most",
    "sparse.patterns.change": "Largest change in any head",
    "sparse.patterns.change_layer": "Largest change of a weight in the layer",
    "sparse.patterns.change_below": "of a weight: in {top}; {head} of the pictures: {own}",
    "sparse.patterns.change_here": "of a weight, in {head} of the pictures",
    "sparse.patterns.cosine": "Cosine of the embeddings",
    "sparse.patterns.cosine_below": "1 is unchanged",
    "sparse.patterns.no_answer": "This model gives no answer to this sentence that could change. Models with an output "
    "layer do: choose one at the top of the page, and write [MASK] where it should fill a gap.",
    "sparse.patterns.some": "The sidebar restricts masks to some layers or heads, and so this one too; the picture of its "
    "reach is drawn as if it acted in all.",
    "sparse.patterns.all": "**All patterns on this sentence, with the numbers chosen here**",
    "sparse.patterns.name": "Pattern",
    "sparse.patterns.share": "Share of cells",
    "sparse.patterns.reached_mean": "Mean of tokens reached, layers: {n_layers}",
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
    "sparse.buckets.lone": "There is only one token. It looks at itself with weight 1, whatever the buckets, and there is no "
    "pair that hashing could leave out. Write a longer sentence.",
    "sparse.buckets.mass": "Softmax kept",
    "sparse.buckets.pairs": "Pairs computed",
    "sparse.buckets.random_mass": "Random: kept",
    "sparse.buckets.random_pairs": "Random: computed",
    "sparse.buckets.rounds": "rounds",
    "sparse.buckets.share": "share",
    "sparse.buckets.random": "Hashing finds something where a solid line stands above its dashed one. Random: as many vectors "
    "of the same lengths and the same buckets, in random directions (mean of {draws} draws).",
    "sparse.buckets.no_pairs": "Here no two tokens share a bucket; more rounds or fewer buckets bring some together.",
    "sparse.buckets.than_random.more": "After the chosen rounds ({rounds}) this head keeps {gain} times its share of the "
    "pairs, random directions {random} times theirs: hashing finds more in this head.",
    "sparse.buckets.than_random.less": "After the chosen rounds ({rounds}) this head keeps {gain} times its share of the "
    "pairs, random directions {random} times theirs: hashing finds less in this head.",
    "sparse.buckets.than_random.same": "After the chosen rounds ({rounds}) this head keeps {gain} times its share of the "
    "pairs, random directions {random} times theirs: hashing finds no more in this head than in vectors without a pattern.",
    "sparse.buckets.after": "rounds: {rounds}",
    "sparse.buckets.gain": "Kept over computed",
    "sparse.buckets.gain_below": "1 is chance",
    "sparse.buckets.moved": "Moved by sharing alone",
    "sparse.buckets.moved_below": "of a row's weight",
    "sparse.buckets.untrained": "This is what hashing would do to this model, which was not trained for it: its keys are other "
    "vectors than its queries, and sharing them changes the weights before any bucket does. The temperature of the sidebar "
    "acts here too. Masks and even heads are left out of this head, but act in the layers below it, if there are any.",
    "sparse.buckets.one": "Here nearly all pairs are computed, so hashing saves nothing. Two queries of this head have a mean "
    "cosine of {cosine} (1: all point the same way; random directions: about 0). Try another head, more buckets or fewer "
    "rounds.",
    "sparse.buckets.any": "Here nearly all pairs are computed, so hashing saves nothing. That would be so for random "
    "directions too: it comes from few buckets and many rounds, not from this head.",
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
    "sparse.segments.lost.later": "The first segment loses nothing. A later token loses what it would have read in the "
    "segments before its own.",
    "sparse.segments.lost.nothing": "Nothing is kept already (segments kept: 0), so there is nothing to lose: the line stays "
    "at 0. Keep a segment to see what it brings.",
    "sparse.segments.lost.one": "The whole text is one segment, so nothing is read from before: the line stays at 0. Choose "
    "fewer tokens in a segment.",
    "sparse.segments.kernel": "Recurrence less this app's kernel",
    "sparse.segments.kernel_below": "float64, largest",
    "sparse.segments.sdpa": "Recurrence less PyTorch's SDPA",
    "sparse.segments.sdpa_below": "float64, largest",
    "sparse.segments.without": "If nothing is kept",
    "sparse.segments.without.later": "largest difference",
    "sparse.segments.without.nothing": "nothing is kept already",
    "sparse.segments.without.one": "the text is one segment",
    "sparse.segments.sidebar": "Temperature and masks of the sidebar act in the layers below this one, if there are any; the "
    "attention that is compared here has neither. The picture of the reach has the masks.",
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
    "sparse_speed.powers": "The multiply-adds of what looks at all cells grow with the power 2. The powers of its times have "
    "no interval, since only the fastest of {rounds} passes is kept at each length.",
    "sparse_speed.powers.above": "Above 2, by more than 0.1: {ways}.",
    "sparse_speed.powers.near": "Within 0.1 of 2: {ways}.",
    "sparse_speed.powers.below": "Below 2, by more than 0.1: {ways}.",
    "sparse_speed.powers.why": "One cell of {way} takes {few} ns at {start} tokens and {many} ns at {end}. Three things can "
    "make cells dearer, and this measurement does not tell them apart: numbers that no longer fit into the caches, memory "
    "that is found anew for large arrays, and other work of the computer.",
    "sparse_speed.told": "At {tokens} tokens the window as a mask takes **{masked}** times the time of full attention and "
    "holds **{memory}** times its weights: what is hidden has been computed all the same. The same window in blocks takes "
    "**{window}** times the time of full attention and holds **{held}** times its weights.",
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
    "%. Rows of the weights that it hands out sum to as little as **{row_sum}** (at {least_at} tokens), not 1.",
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
    "sparse_models.chart": "At the dashed line all is read.",
    "sparse_models.chart.full": "BigBird does so up to {longest} tokens.",
    "sparse_models.chart.first": "At {tokens} tokens it reads {share} % in blocks.",
    "sparse_models.chart.last": "At {tokens} tokens it reads {share} %.",
    "sparse_models.chart.rise.padded": "The share rises from {share} % at {shorter} tokens to {more} % at {longer}: the last "
    "block, which all queries read and which reads all, is not full at {shorter} tokens (padded to {padded}).",
    "sparse_models.chart.rise.other": "The share rises from {share} % at {shorter} tokens to {more} % at {longer}.",
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
