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
}
