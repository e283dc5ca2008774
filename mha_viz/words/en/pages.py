"""English: the pages, the sentence and its tokens, heads, checks. ``{name}`` is a place for a value."""

PAGES: dict[str, str] = {
    "app.title": "mha_viz: what multi-head attention does",
    # Pages
    "page.start": "Start",
    "page.start.help": "What this is, one live heatmap, and the doors to the other pages.",
    "page.heads": "Heads",
    "page.heads.door": "See every head",
    "page.heads.help": "All heads of a layer at once, one of them large, and what it does in words and numbers.",
    "start.title": "See what attention heads read",
    "start.what": "Type a sentence, and a model reads it. Each row of the picture is a token that asks, each column "
    "a token that may answer; the brighter the cell, the more of the row's weight goes there.",
    "start.promises": "- Every number is of this run, and checked on it.\n"
    "- Masks, temperature and silenced heads act inside the model, so all that follows changes too.\n"
    "- Your sentences never leave this computer.",
    "start.caption": "Layer {layer}, head {head}, live. Change the sentence above or the controls in the sidebar, "
    "and watch it.",
    "start.caption_designed": "Live: head {head} of the toy, built for “{name}”. Change the sentence above or the "
    "controls in the sidebar, and watch it.",
    "page.masks": "Masks and temperature",
    "page.masks.door": "Hide keys, change the temperature",
    "page.masks.help": "Every kind of mask and one painted by hand, temperature inside the model and as a repaint, "
    "and every stage from scores to weights.",
    "view.title": "What to show",
    "view.mask": "Mask",
    "view.temperature": "Temperature",
    "view.stages": "Stages",
    "view.difference": "Before and after",
    # The sentence
    "sentence.first": "Sentence",
    "sentence.second": "Second sentence",
    "sentence.optional": "optional",
    "sentence.examples": "Examples",
    "sentence.source": "Model",
    "source.toy": "Toy",
    "source.minilm": "BERT",
    "source.hub": "Other",
    "example.coreference": "The animal didn't cross the street because it was too tired.",
    "example.coreference.title": "What does “it” mean?",
    "example.repeated": "the cat sat on the mat. the cat lay on the rug.",
    "example.repeated.title": "Repeated words",
    "example.pair": "A man is playing a guitar on the stage.",
    "example.pair.pair": "Someone performs music for an audience.",
    "example.pair.title": "A pair of sentences",
    "example.chinese": "猫追老鼠",
    "example.chinese.title": "猫追老鼠: what chases what?",
    "example.mask": "My name is [MASK].",
    "example.mask.title": "A masked word",
    # Tokens
    "tokens.title": "Tokens",
    "tokens.counts": "{n_tokens} of {limit} tokens · {special} special · {unknown} unknown",
    "tokens.more": "and {more} more",
    "tokens.position": "position {position}",
    "tokens.special": "special token, added by the model",
    "tokens.unknown": "unknown: the model has no entry for it",
    "tokens.padding": "padding",
    "tokens.second": "second sentence",
    "tokens.surface": "typed “{surface}”",
    "tokens.read_special": "Read {names} as special tokens",
    "tokens.read_special.help": "Off: they are text like any other. On: the model reads them as its own special "
    "tokens.",
    # Before and during a run
    "run.loading": "Getting {name} ready",
    "run.cut": "Read only the part that fits",
    "run.uncut": "Do not cut",
    "run.was_cut": "The model reads {read} of {total:,} tokens; the rest is left out. Your text is unchanged.",
    "run.was_cut_characters": "The model reads the first {read:,} of {total:,} characters. Your text is unchanged.",
    "run.unreadable": "{name} does not know {unknown} of {total} tokens of this text, and all of those look the same to it. "
    "Choose a model for this language, or the toy, which reads any text.",
    "run.use_toy": "Use the toy",
    "run.use_fastest": "Use the fastest device here",
    "run.choose_another": "Choose another model",
    "run.given_up": "The memory of {device} was not enough for this. It was freed, and the same run was made on the CPU.",
    "run.not_located": "This model's tokenizer does not say which part of the text a token stands for. Tokens are shown as "
    "the model writes them, each as a word of its own.",
    "run.not_linked": "The link in the address bar holds the view without the sentence: it has more than {most:,} "
    "characters.",
    "run.no_key": "No key allowed in row {rows}: every token is hidden from it, so it has no weights.",
    "run.no_key_more": "No key allowed in rows {rows} and {more} more: every token is hidden from them, so they "
    "have no weights.",
    "run.link_refused": "The link says {name} = {got}, which is not possible. Shown instead: {shown}.",
    "run.link_unknown": "The link says {name} = {got}; there is no such setting, and nothing was changed by it.",
    "run.link_nothing": "the usual",
    # Heads
    "heads.all": "**Layer {layer}, all {n_heads} heads:** click one",
    "heads.one": "**Layer {layer}, head {head}**",
    "heads.pooled": "Each cell of this picture stands for {step} × {step} tokens and shows the value farthest from 0.",
    "heads.reads": "The picture shows where a head reads, not why the model decides.",
    "figure.weight": "weight",
    "figure.hover_cell": "{query} attends to {key}: <b>{weight}</b>",
    "figure.hover_no_key": "{query}: no key allowed",
    "figure.no_key": "no key allowed",
    "figure.key_axis": "key: attended to",
    "figure.query_axis": "query: attends",
    "figure.silenced": "{head}, silenced",
    "figure.grid_alt": "Heatmaps of all {n_heads} heads of layer {layer}, each {n_tokens} queries by {n_tokens} keys.",
    "figure.head_alt": "Heatmap of layer {layer}, head {head}: {n_tokens} queries in rows, {n_tokens} keys in "
    "columns, from {first} to {last}.",
    "focus.title": "Token to follow",
    "focus.none": "Follow a token: choose it, or click its row",
    "focus.sentence": "{query} looks mostly at {key}: {weight}.",
    "focus.strongest": "Strongest: {query} looks at {key}: {weight}.",
    "focus.even": "{query} looks evenly at {n_keys} tokens: {weight} each.",
    "focus.then": "Then {keys}.",
    "focus.only": "{query} may look at one key only: {key}.",
    "focus.no_key": "{query} may look at no key: all are hidden from it.",
    "focus.nothing": "No query of this sentence has a key.",
    # Designed heads
    "job.previous": "previous",
    "job.next": "next",
    "job.first": "first",
    "job.itself": "itself",
    "job.same_word": "same word",
    "job.local": "local average",
    "job.even": "evenly",
    "job.back": "{distance} back",
    "job.ahead": "{distance} ahead",
    "job.how_title": "How H{head} ({name}) is built, and whether it keeps its promise",
    "job.previous.how": "Each token carries its position as cosines and sines of four frequencies. W_Q turns them "
    "back by one token, W_K leaves them alone: the product is largest where the key stands one before the query.",
    "job.next.how": "As the head for the previous token, but W_Q turns the position ahead by one token.",
    "job.first.how": "W_Q ignores who asks and always asks for position 0, from the column that is 1 for every "
    "token; W_K gives each key's position.",
    "job.itself.how": "W_Q and W_K both give the position as it is: the product is largest where key and query are "
    "one token.",
    "job.same_word.how": "Half of the columns compare the words' vectors, which are equal for equal words; the "
    "others subtract the position's product, so that a token does not find itself. A word that stands alone still "
    "finds itself. With few columns the vectors of different words lie close together, and the gain must be large.",
    "job.local.how": "As the head for itself, with less gain on the fast frequencies: a bell about two tokens wide "
    "on each side. It promises the token and its two neighbours on each side.",
    "job.even.how": "W_Q is 0: all scores are equal, and the softmax spreads the weight evenly over all allowed keys.",
    "job.back.how": "As the head for the previous token, but W_Q turns the position back by {distance} tokens.",
    "job.ahead.how": "As the head for the next token, but W_Q turns the position ahead by {distance} tokens.",
    "job.kept": "It puts **{share}** of its weight on the promised keys, over all tokens that have one (at "
    "temperature 1, without a mask). With the controls as they are now: **{now}**. Its value is its own slice of "
    "the token's vector, and W_O leaves every slice in its place.",
    "job.no_promise": "In this sentence no token has the key that this head looks for.",
    "job.failing": "With d_k = {d_k} some heads can no longer do their job on this sentence: {named} of the weight "
    "reaches the promised keys. Too many heads leave each too few columns to tell positions and words apart.",
    "job.and_more": " and {more} more",
    # Checks and times
    "checks.title": "Numbers checked",
    "checks.help": "Measured on the weights of this very run, all layers and heads.",
    "checks.rows": "rows sum to 1 (error ≤ {error}, allowed {tolerance})",
    "checks.no_key": "{rows:,} rows without a key, over all layers and heads, are 0 and marked",
    "checks.hidden": "{cells:,} hidden cells exactly 0",
    "checks.nothing_hidden": "nothing hidden",
    "checks.numbers": "no NaN",
    "checks.eval": "no dropout (eval mode)",
    "checks.revision": "{name}, version {revision}",
    "checks.own_mask": "the model itself hides what comes after a token: that mask is its own",
    "checks.device": "{device} ({name}), {dtype}",
    "time.forward": "forward pass {milliseconds} ms",
    "time.cached": "cached",
    "time.fresh": "just run",
    "time.figure": "figures {milliseconds} ms",
}
