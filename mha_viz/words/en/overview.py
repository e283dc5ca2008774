"""English: the page overview. ``{name}`` is a place for a value."""

OVERVIEW: dict[str, str] = {
    "page.overview": "Overview",
    "page.overview.door": "See all heads at a glance",
    "page.overview.help": "Every head of every layer in one picture, ranked by any metric, as numbers, and as a map.",
    "overview_view.all": "All heads",
    "overview_view.matrix": "Numbers",
    "overview_view.types": "Types",
    "overview_view.map": "Map",
    # All heads
    "overview.metric": "Metric",
    "overview.order": "Order",
    "overview.order.place": "By layer",
    "overview.order.high": "Highest first",
    "overview.order.low": "Lowest first",
    "overview.filter": "Only heads with {metric} between",
    "overview.filtered": "{n_left} of {n_heads} heads are in this range; the others are drawn pale.",
    "overview.name": "All heads: {n_layers} layers of {n_heads}. Arrow keys move, Enter looks at a head.",
    "overview.hint": "Click a head, or reach it with the arrow keys and press Enter. The bar under each head is the metric, from "
    "the smallest to the largest value of this run.",
    "overview.head": "{head}: {metric} {value}, {note}",
    "overview.own_end": "{note}, colours up to {highest}",
    "overview.own_high": "each head's own largest",
    "overview.even": "Even attention would give {even}.",
    "overview.even_range": "Even attention would give {low} to {high}, depending on what a head may see.",
    "overview.range": "It lies between {low} and {high}.",
    "overview.no_end": "a limit that grows with the sentence",
    "overview.no_metric": "{metric} cannot be computed for this sentence and model: there is nothing that it counts.",
    # Numbers
    "overview.matrix_alt": "{metric} of every head: a row a layer, a column a head.",
    "overview.by_layer": "**{metric} against the layers:** every head as a dot, their mean as a line",
    "overview.by_layer_alt": "{metric} of every head against its layer.",
    "overview.table": "**Every head in numbers:** click a column's name to sort",
    "overview.download": "Download as CSV",
    "overview.head_column": "Head",
    "overview.type_column": "Type",
    "figure.layer_mean": "mean of",
    "figure.even": "even attention:",
    "figure.layer_axis": "layer",
    # Sink
    "sink.notice": "Sink: {key} gets at least half of the weight in {n_found} of {n_heads} heads ({share} on average). Much "
    "weight need not mean much effect: what these heads read there may be small.",
    "sink.log": "Log colours",
    "sink.hide": "Hide special tokens",
    "sink.norms": "See norm-based weights",
}
