"""English: the page lines. ``{name}`` is a place for a value."""

LINES: dict[str, str] = {
    "page.lines": "Lines",
    "page.lines.door": "Follow lines between tokens",
    "page.lines.help": "Several heads at once as lines between tokens: two columns, or arcs over one line.",
    # Controls
    "lines.layout": "Layout",
    "lines.layout.sides": "Two sides",
    "lines.layout.arcs": "One line",
    "lines.layout.help": "Two sides: queries on the left, keys on the right. One line: the sentence once, arcs above it for keys "
    "before the query, below it for keys after it; takes less room, and suits Chinese and long sentences.",
    "lines.heads": "Heads",
    "lines.heads.help": "Heads of any layer, drawn over each other. If none is chosen, it is the head of the sidebar.",
    "lines.heads.sidebar": "{head}, as in the sidebar",
    "lines.all_heads": "All heads of L{layer}",
    "lines.all_heads.help": "Draws all heads of the layer that is chosen in the sidebar. Up to {most} heads can be told apart.",
    "lines.this_head": "Only {head}",
    "lines.this_head.help": "Draws only the head that is chosen in the sidebar, and follows that choice.",
    "lines.least": "Smallest weight drawn",
    "lines.least.help": "Weaker weights have no line. If more lines pass than can be told apart, {most:,}, only the strongest "
    "are drawn, and the caption says so.",
    "lines.strongest": "Keys per query",
    "lines.strongest.help": "Only so many keys of each query in each head, the strongest. 0 draws all that pass the threshold.",
    "lines.elsewhere": "{name} has no {heads}: not drawn here, and drawn again in a model that has it.",
    "lines.heads_more": "{heads} and {more} more",
    "lines.first_heads": "Keep the first {most}",
    "error.lines_heads": "{got} heads are chosen, and lines of at most {most} can be told apart. Choose fewer.",
    # Caption
    "lines.drawn": "{drawn:,} of {possible:,} lines of {heads}: weight {least} or more.",
    "lines.n_heads": "{n_heads} heads",
    "lines.only_strongest": "Of each query and head only the strongest keys: {most}.",
    "lines.raised": "Too many lines to tell apart: the threshold is raised to {raised}, and {left_out:,} lines of that weight or "
    "less are left out.",
    "lines.nothing": "Nothing reaches that; the largest weight is {highest}.",
    "lines.nothing_to_see": "There is nothing to draw: no key is allowed here.",
    "lines.followed_from": "Only lines from {query}.",
    "lines.followed_to": "Only lines to {key}.",
    "lines.followed_both": "Only lines from {query} and lines to {key}.",
    "lines.followed_hidden": "Token {position} is followed, but this reading leaves it out.",
    # The picture
    "lines.name": "Lines between {n_tokens} tokens: a query attends to a key. Heads: {n_heads}.",
    "lines.queries": "query",
    "lines.keys": "key",
    "lines.line": "“{query}” ({q}) attends to “{key}” ({k}): {weight}, {head}",
    "lines.from": "“{query}” ({q}) attends to {ends}",
    "lines.to": "“{key}” ({k}) is attended to by {ends}",
    "lines.end": "“{token}” ({at}) {weight} {head}",
    "lines.more": "and {more} more",
    "lines.none_from": "“{query}” ({q}) as query: no line is drawn.",
    "lines.none_to": "“{key}” ({k}) as key: no line is drawn.",
    "lines.no_key": "“{query}” ({q}): no key allowed, so it has no weights.",
    "lines.padding": "“{query}” ({q}) is padding: its row means nothing.",
    "lines.hint_sides": "Point at a line or a token. Click a query or a key for its lines alone, again or Esc for all. Keys: "
    "arrows move, Enter chooses.",
    "lines.hint_arcs": "Above: keys before the query. Below: keys after it. Point at a line or a token. Click a token for its "
    "lines as query, with Shift as key; again or Esc for all. Keys: arrows move, Enter chooses.",
    "lines.show_all": "Show all",
    "lines.show_all_help": "Lets go of the chosen token, and shows hidden heads again (Esc)",
    "lines.toggle": "Hide or show the lines of {head}",
    "lines.scale": "weight",
}
