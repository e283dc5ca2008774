"""English: the page one_head. ``{name}`` is a place for a value."""

ONE_HEAD: dict[str, str] = {
    "page.one_head": "One head",
    "page.one_head.door": "Look into one head",
    "page.one_head.help": "What a head reads and what it writes, its metrics, the heads nearest to it, its queries and keys.",
    "head_view.reads": "Reads and writes",
    "head_view.stages": "Stages",
    "head_view.vectors": "Queries and keys",
    "one_head.name": "**{head}**",
    "one_head.before": "{head}",
    "one_head.after": "{head}",
    "one_head.reads": "**What it reads:** the weights",
    "one_head.writes": "**What it writes:** the length ‖αf(x)‖ of what it takes",
    "one_head.writes_alt": "What layer {layer}, head {head} takes from each key, as the length of a vector.",
    "one_head.writes_pieces": "This picture is by pieces and with all tokens, whatever the other is: lengths do not add up.",
    "one_head.weights": "weight",
    "one_head.norms": "‖αf(x)‖",
    "one_head.hover_norm": "{query} takes from {key}: <b>{norm}</b>",
    "one_head.writes_nothing": "This head writes nothing: it is silenced, or all that it takes has length 0.",
    "one_head.same_most": "{key} gets the largest share of the weight, {weights}, and {norms} of what is written.",
    "one_head.other_most": "{key} gets the largest share of the weight, {weights}, but {norms} of what is written. Most is taken "
    "from {other}: {share}.",
    "one_head.type": "**Type: {type}.**",
    "one_head.type_why": "{rule} Here: {share}; even attention would give {even}.",
    "one_head.output_share": "It makes **{share}** of the output of layer {layer} (equal heads would make {even} each): its "
    "share of the heads' lengths, whose sum is not the length of their sum.",
    "one_head.pair": "{query} → {key} {weight}",
    "one_head.pairs": "Strongest: {pairs}.",
    "one_head.no_vectors": "This run holds no queries and keys.",
    "one_head.vectors_alt": "Queries and keys of layer {layer}, head {head} in a plane.",
    "one_head.vectors_what": "Each token has a query, what it asks with, and a key, what it is found by. The farther a key lies "
    "in the direction of a query, the larger the score. Lines join the followed query with the {n_lines} keys it weighs "
    "most; click a query to follow it.",
    "one_head.keeps": "The plane holds {share} of what varies in the scores; products in it and the scores have a correlation of "
    "{correlation}.",
    "figure.query_point": "query",
    "figure.key_point": "key",
    "figure.hover_point": "<b>{token}</b><br>{kind}<extra></extra>",
    # Heads like this one
    "relatives.near": "**Reads most like it**",
    "relatives.far": "**Reads least like it**",
    "relatives.line": "JS {distance}, {type}",
    "relatives.outputs": "· outputs alike: {likeness}",
    "relatives.what": "JS: Jensen-Shannon divergence of the rows in nats, at most 0.69; 0 is the same. Outputs alike: linear "
    "CKA, 1 is the same up to a rotation. Heads may read alike and hand on different things. "
    "Always of the run itself, by pieces and with all tokens.",
}
