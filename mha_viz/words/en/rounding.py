"""English: half precision and INT8."""

ROUNDING: dict[str, str] = {
    "lab.precision": "half precision: what bfloat16 and float16 do to the maps and embeddings of MiniLM, to its size and speed",
    "lab.int8": "INT8: MiniLM quantised by part and by scale, with torchao and with the function that it replaces",
    "rounding.measure": "Show",
    "rounding.measure.apart": "Largest difference",
    "rounding.measure.sums": "Row sums",
    "rounding.measure.changed": "Rows that look elsewhere",
    "rounding.sentences": "Sentences",
    "rounding.about": "About {seconds} s.",
    "rounding.none": "Nothing is measured yet. The first bar stands here soon.",
    "rounding.layer": "layer",
    "rounding.kind.float32": "float32",
    "rounding.kind.bfloat16": "bfloat16 weights",
    "rounding.kind.float16": "float16 weights",
    "rounding.kind.autocast_bfloat16": "bfloat16 autocast",
    "rounding.kind.autocast_float16": "float16 autocast",
    "rounding.axis.apart": "largest |difference| of a weight",
    "rounding.axis.sums": "row sum off 1, at most",
    "rounding.axis.changed": "rows with another largest weight, %",
    "rounding.axis.time": "time / time in float32",
    "rounding.table.kind": "Precision",
    "rounding.table.bytes": "parameters, MB",
    "rounding.table.cosine": "lowest cosine of an embedding",
    "rounding.ratio": "{ratio} ({low} – {high})",
    "rounding.api.torchao": "torchao",
    "rounding.api.quantize_dynamic": "quantize_dynamic",
    "precision.what": "MiniLM reads the same sentences with **16 bits a number instead of 32**: with its parameters rounded "
    "once, or under autocast, where the parameters stay and each product rounds what goes into it.",
    "precision.layers.alt": "A line for each kind of half precision: what rounding does to the maps, layer by layer.",
    "precision.caption.apart": "How far a weight moves at most, on a scale from 0 to 1. bfloat16 keeps 8 bits of a number's "
    "digits, float16 keeps 11: its lines lie about 8 times lower.",
    "precision.caption.sums": "A row of weights should sum to 1. Each weight is rounded on its own, so the sum is off; in "
    "float32 by about 2e-7.",
    "precision.caption.changed": "Share of rows (one query of one head) whose largest weight is at another key than in float32. "
    "Mostly the two largest were nearly equal.",
    "precision.times.alt": "Bars: the time of a pass in each kind of half precision beside float32.",
    "precision.caption.time": "One text of {length} tokens, one CPU thread, both passes in each of {rounds} or more rounds. "
    "Above the line is slower: half precision pays only where the processor multiplies 16-bit numbers itself, as GPUs do.",
    "precision.told": "Over {sentences} sentences, {tokens} tokens. The embedding hardly notices: its lowest cosine to the one "
    "in float32 is {cosine}. In the table, half of the rounds lie between the two times in brackets.",
    "precision.told.autocast": "Autocast saves no bytes of parameters: it keeps them in float32 and rounds again in each pass.",
    "int8.what": "Dynamic quantisation keeps the matrices of MiniLM as **whole numbers from −128 to 127 and a scale**, and "
    "rounds what goes into them to such numbers in each pass. Here it is done to one part of the model at a time.",
    "int8.times": "**Time beside float32** with all quantised, on the computer that this result was measured on: {times}.",
    "int8.times.one": "{api} × {ratio}",
    "int8.times.between": "{api} × {low} to {high}",
    "int8.apis": "Quantised with",
    "int8.no_apis": "Choose at least one function that quantises.",
    "int8.measure.embedding": "Embedding",
    "int8.measure.apart": "Maps",
    "int8.measure.changed": "Rows",
    "int8.measure.time": "Time",
    "int8.axis.bytes": "parameters, MB",
    "int8.axis.embedding": "1 − lowest cosine",
    "int8.axis.apart": "largest |difference| of a weight",
    "int8.axis.changed": "rows changed, %",
    "int8.axis.time": "time / time in float32",
    "int8.group.embeddings": "embeddings",
    "int8.group.qk": "W_Q, W_K",
    "int8.group.vo": "W_V, W_O",
    "int8.group.ffn": "FFN",
    "int8.group.rest": "rest",
    "int8.place.float32": "float32",
    "int8.place.all": "all|INT8",
    "int8.place.qk": "W_Q, W_K|INT8",
    "int8.place.vo": "W_V, W_O|INT8",
    "int8.place.ffn": "FFN|INT8",
    "int8.part.all": "all",
    "int8.part.qk": "W_Q, W_K",
    "int8.part.vo": "W_V, W_O",
    "int8.part.ffn": "FFN",
    "int8.grain.tensor": "per tensor",
    "int8.grain.channel": "per channel",
    "int8.series": "{api}, {grain}",
    "int8.sizes.alt": "Stacked bars: bytes of the embeddings, the attention matrices, the FFN and the rest, in float32 and "
    "quantised.",
    "int8.caption.sizes": "{embeddings} of {parameters} million parameters are embeddings: tables that are looked up, not "
    "multiplied, so they stay float32. The bars are parameters; the file, with their names, goes from {before} to {after} MB: "
    "{times} times smaller, not 4 times.",
    "int8.caption.embeddings": "{embeddings} of {parameters} million parameters are embeddings: tables that are looked up, not "
    "multiplied, so they stay float32. The file in float32 has {before} MB.",
    "int8.drifts.alt": "Groups of bars: the drift or the time of each quantised part, for each function and scale.",
    "int8.caption.embedding": "How far the embedding of the worst sentence turns away from the one in float32: 0 is not at all. "
    "Per channel every row of a matrix has a scale of its own, so one large row spoils no other.",
    "int8.caption.apart": "How far a weight of any map moves at most, on a scale from 0 to 1.",
    "int8.caption.changed": "Share of rows (one query of one head) whose largest weight is at another key than in float32.",
    "int8.caption.time": "One text of 128 tokens on one CPU thread; below the line is quicker than float32. torchao is made to "
    "be compiled (torch.compile); run as it is, on a CPU, its products of whole numbers are slow.",
    "int8.table.api": "Function",
    "int8.table.grain": "Scale",
    "int8.table.part": "Quantised",
    "int8.table.file": "file, MB",
    "int8.table.module": "Module",
    "int8.table.outcome": "Its output in eval mode",
    "int8.used": "Which function was used",
    "int8.used.torchao": "`torchao.quantization.quantize_` with `Int8DynamicActivationInt8WeightConfig` is what PyTorch names "
    "as the replacement. It rounds the inputs token by token.",
    "int8.used.quantize_dynamic": "`torch.ao.quantization.quantize_dynamic` is deprecated. It is here because its kernels "
    "for CPUs are quick without a compiler. It rounds the inputs of a whole text with one scale. Afterwards `layer.weight` is a "
    "method: code that reads `layer.weight.device` breaks.",
    "int8.outcome.error": "fails: {error}",
    "int8.outcome.nothing": "exactly as before: nothing is quantised",
    "int8.outcome.works": "off by {apart} at most",
    "int8.caption.modules": "Both functions leave nn.MultiheadAttention as it is: its W_Q, W_K and W_V are one parameter and no "
    "linear layer, and its W_O is of a kind that they skip.",
}
