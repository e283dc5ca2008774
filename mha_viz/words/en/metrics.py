"""English: metrics, types of heads, the sentences they are counted on. ``{name}`` is a place for a value."""

METRICS: dict[str, str] = {
    "metrics.even": "even: {even}",
    "metrics.group.spread": "How focused it is",
    "metrics.group.where": "How far it looks",
    "metrics.group.kind": "What it looks at",
    "metrics.group.weight": "What weighs most",
    "metrics.nats": "{value} nats",
    "metrics.tokens": "{value} tokens",
    "metrics.help": "{meaning} {denominator}",
    "metrics.all": "All heads of layer {layer} in numbers",
    "metrics.head": "Head",
    "metrics.even_row": "even",
    "metrics.note": "First row: what a head would have if every token attended evenly to all keys it may see. "
    "Shares are of all the head's weight; rows without a key and rows of padding are left out. The first token has "
    "no previous one, the last no next, so that a perfect head for them stays a little below 1. A dash: this sentence or "
    "this model has nothing to compute the number from.",
    # Each metric: its title, what it means, over which rows the mean is taken and of what a share is.
    "metric.entropy": "Entropy",
    "metric.entropy.meaning": "How spread a row's weight is, in nats: 0 if one key gets everything, ln(n) if n keys get "
    "the same.",
    "metric.entropy.denominator": "Mean over all rows that have a key.",
    "metric.entropy_share": "Entropy share",
    "metric.entropy_share.meaning": "Each row's entropy divided by the most it could have, ln(number of allowed keys).",
    "metric.entropy_share.denominator": "Mean over the rows with at least two allowed keys: with a single one there is "
    "no choice.",
    "metric.effective": "Effective tokens",
    "metric.effective.meaning": "exp(entropy) of each row: so many keys with equal weights would be as spread.",
    "metric.effective.denominator": "Mean over all rows that have a key; it is not the exp of the mean entropy.",
    "metric.distance": "Distance",
    "metric.distance.meaning": "How many tokens lie between a query and what it looks at, |query − key| weighed by the "
    "weights.",
    "metric.distance.denominator": "Mean over all rows that have a key, special tokens among them: a head that rests on "
    "the first token seems to look far.",
    "metric.offset": "Offset",
    "metric.offset.meaning": "Where a head looks on the whole, key minus query in tokens: below 0 it looks back, above 0 "
    "ahead.",
    "metric.offset.denominator": "Mean over all rows that have a key; looking back and looking ahead cancel.",
    "metric.distance_plain": "Plain distance",
    "metric.distance_plain.meaning": "The distance without special tokens: between ordinary tokens alone.",
    "metric.distance_plain.denominator": "Mean over the rows of ordinary tokens; in each, the weight on ordinary tokens "
    "is scaled to 1, and a row with none is left out.",
    "metric.self": "Itself",
    "metric.self.meaning": "Share of the weight that tokens put on themselves.",
    "metric.self.denominator": "Of the weight of all n rows that have a key.",
    "metric.previous": "Previous",
    "metric.previous.meaning": "Share of the weight on the token just before.",
    "metric.previous.denominator": "Of the weight of all n rows, also of the first, which has no previous token: a "
    "perfect head reads (n − 1)/n, not 1.",
    "metric.next": "Next",
    "metric.next.meaning": "Share of the weight on the token just after.",
    "metric.next.denominator": "Of the weight of all n rows, also of the last, which has no next token: a perfect head "
    "reads (n − 1)/n, not 1.",
    "metric.first": "First",
    "metric.first.meaning": "Share of the weight on the first token of the sequence, whatever it is.",
    "metric.first.denominator": "Of the weight of all rows that have a key, the first token's own row among them.",
    "metric.special": "Special",
    "metric.special.meaning": "Share of the weight on special tokens such as [CLS] and [SEP].",
    "metric.special.denominator": "Of the weight of all rows, those of special tokens among them; none if there is no "
    "special token.",
    "metric.cls": "CLS",
    "metric.cls.meaning": "Share of the weight on the special token that begins the sequence, [CLS] or its like.",
    "metric.cls.denominator": "Of the weight of all rows that have a key; none if no special token begins the sequence.",
    "metric.sep": "SEP",
    "metric.sep.meaning": "Share of the weight on all other special tokens, [SEP] or its like; padding is none.",
    "metric.sep.denominator": "Of the weight of all rows that have a key; none if there is no such token. A pair has two "
    "of them, a single sentence one.",
    "metric.punctuation": "Punctuation",
    "metric.punctuation.meaning": "Share of the weight on tokens that are only punctuation or symbols.",
    "metric.punctuation.denominator": "Of the weight of all rows that have a key; none if the text has no punctuation.",
    "metric.same_word": "Same word",
    "metric.same_word.meaning": "Share of the weight on other places where the same word stands, capitals or not; all "
    "pieces of that word count.",
    "metric.same_word.denominator": "Of the weight of the rows that have such a key alone; none if no word is repeated.",
    "metric.confidence": "Confidence",
    "metric.confidence.meaning": "The largest weight of each row (Voita et al. 2019).",
    "metric.confidence.denominator": "Mean over all rows that have a key; Voita et al. leave the end token out, here it "
    "counts.",
    "metric.sink": "Sink",
    "metric.sink.meaning": "The largest share that one single key gets, whichever it is.",
    "metric.sink.denominator": "Of the weight of all rows that have a key.",
    "metric.output_share": "Output share",
    "metric.output_share.meaning": "How much of what the layer puts out comes from this head: the length of its part after "
    "W_O over the sum of all heads' lengths.",
    "metric.output_share.denominator": "Mean over all tokens whose heads put out anything; even is 1 / heads. Not known "
    "where the model's W_O is not.",
    # Types of heads: title, rule, where it comes from.
    "type.previous": "previous",
    "type.previous.rule": "At least {threshold} of the weight is on the token just before, over the tokens that have one, and "
    "at least {times} times what even attention would put there.",
    "type.previous.source": "{idea}: more than half of the weight. They divide by all tokens; here by those that have a "
    "previous one.",
    "type.next": "next",
    "type.next.rule": "At least {threshold} of the weight is on the token just after, over the tokens that have one, and "
    "at least {times} times what even attention would put there.",
    "type.next.source": "{idea}: more than half of the weight. They divide by all tokens; here by those that have a next one.",
    "type.sink": "sink",
    "type.sink.rule": "One single key, the first token for instance, gets at least {threshold} of the weight of all rows, and "
    "at least {times} times what even attention would give it.",
    "type.sink.source": "The threshold is {idea}; that such keys exist is known as attention sinks.",
    "type.same_word": "same word",
    "type.same_word.rule": "At least {threshold} of the weight is on other places of the same word, over the tokens that have "
    "one, and at least {times} times what even attention would put there.",
    "type.same_word.source": "The rule is {idea}.",
    "type.itself": "itself",
    "type.itself.rule": "At least {threshold} of the weight is on the token itself, and at least {times} times what even "
    "attention would put there.",
    "type.itself.source": "The rule is {idea}.",
    "type.special": "special",
    "type.special.rule": "All special tokens together get at least {threshold} of the weight, no single one of them is a sink, "
    "and it is at least {times} times what even attention would give them.",
    "type.special.source": "{idea} use this threshold for [CLS] and for [SEP]; that it is their sum that counts is ours.",
    "type.block": "block",
    "type.block.rule": "In a pair: the weight within a token's own sentence, without special tokens, is at least {threshold} "
    "above what even attention would put there. A head that only looks nearby reaches that too.",
    "type.block.source": "{idea} describe the type and sort by eye; the rule and its threshold are ours.",
    "type.broad": "broad",
    "type.broad.rule": "The entropy of the rows is on average at least {threshold} of the most it could be.",
    "type.broad.source": "{idea} describe broad heads, above 3.8 nats on 128 tokens; a share of the possible entropy, which "
    "does not depend on the length, is ours.",
    "type.mixed": "mixed",
    "type.untold": "no type",
    "type.idea.clark": "Clark et al. 2019",
    "type.idea.kovaleva": "Kovaleva et al. 2019",
    "type.idea.ours": "ours",
    "error.tally_empty": "There are no types of heads to count: give those of one sentence at least.",
    # The sentences that types are counted on, one a line; a tab stands before the second sentence of a pair.
    "types.sentences": """The old baker opened his shop before the sun came up.
Rain fell on the hills all night, and the river rose.
Nobody in the village remembered who had planted the oak tree.
She put the letter in a drawer and forgot about it.
When the lights went out, everyone on the train stopped talking.
The museum was closed on Monday because the roof was leaking.
Where did you leave the keys to the garden shed?
Why is the water in this bay warmer than in the next?
Could anyone tell me when the last bus leaves?
The dog chased the cat, and the cat chased the mouse.
A friend of a friend of mine knows a friend of yours.
The more you read, the more you know, and the more you forget.
We bought apples, pears, plums, bread, butter, and two kinds of cheese.
Red, green, blue, yellow: four paints, three brushes, one wall.
My sister told her neighbour that she had found his wallet.
The boy gave his mother the book that she had lent him.
In 1997 the bridge cost 42 million, twice as much as in 1985.
Flight 316 leaves at 7:45 from gate 12, not from gate 21.
The child closed the window.	It was cold outside, and the wind was strong.
A woman is slicing an onion.	Someone is preparing food in a kitchen.
Who wrote this song?	It was written by a teacher from a small town.
The shop sells bicycles and helmets.	No bicycles were sold there last year.
The team won the final.	The team lost the final.
He waters the plants every morning.	Every morning the plants are watered by him.""",
}
