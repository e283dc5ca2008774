"""English: heads that share their matrices, and the cache of keys and values."""

SHARING: dict[str, str] = {
    # What the views of the look-ups have in common
    "lookup_parts.task": "Values to look up",
    "lookup_parts.seeds": "Seeds",
    "lookup_parts.absent": "What you chose is not in this result, which shows something near it. Run it here to see yours.",
    "lookup_parts.score.values": "R²",
    "lookup_parts.score.classes": "right answers",
    "lookup_parts.best": "the best possible",
    "lookup_parts.steps": "steps",
    "lookup_parts.courses_alt": "How the trainings go on",
    "lookup_parts.parameters": "parameters",
    "lookup_parts.n_seeds": "seeds",
    "lookup_parts.half": " ± {half}",
    "lookup_parts.difference": "**{mean}{half}** ({verdict})",
    "lookup_parts.verdict.more": "more, beyond the noise",
    "lookup_parts.verdict.less": "less, beyond the noise",
    "lookup_parts.verdict.same": "no difference beyond the noise",
    "lookup_parts.verdict.few": "one seed, which cannot tell noise from a difference",
    # Sharing
    "sharing.heads": "Heads",
    "sharing.about": "About {seconds} s on a usual computer.",
    "sharing.kind.full": "all own",
    "sharing.kind.grouped": "{kv} W_K, W_V",
    "sharing.kind.multi": "1 W_K, W_V",
    "sharing.kind.query": "1 W_Q",
    "sharing.width.same": "same width",
    "sharing.width.wider": "wider, about equal parameters",
    "sharing.live": "{heads} heads, {kind}, d_k {d_k}, seed {seed}",
    "sharing.places": "what {heads} heads have",
    "sharing.alt": "What {heads} heads reach on the look-ups when they share matrices",
    "sharing.caption": "One query token looks up four values. Left: every head has its own W_Q, W_K and W_V. Middle: heads share "
    "W_K and W_V, in groups (grouped-query attention, Ainslie et al. 2023) or all (multi-query, Shazeer 2019). Right: all share "
    "one W_Q. Diamonds: heads made wider by what sharing saves. Large marks are means with 95% intervals, small ones the seeds.",
    "sharing.pairs": "**Shared W_K and W_V.** The lowest of these, {place}, against heads with all of their own: {change}.",
    "sharing.helps": "Sharing even helps here: {place} against heads with all of their own: {change}, after equally many steps.",
    "sharing.saves": "With {place} the net has {saved} % fewer parameters, and the cache of keys and values is {times} times "
    "smaller.",
    "sharing.query": "**One W_Q.** Against heads with all of their own: {change}. All heads then read the same d_k numbers of "
    "the query, in which it has to name four tokens, and nothing of the cache is saved. Reached: {reached}.",
    "sharing.reached": "{score} with {heads} heads (d_k {d_k})",
    "sharing.shared": "heads have",
    "sharing.width": "width",
    "sharing.cache": "cache of a token",
    "sharing.cache.help": "2 · pairs of W_K and W_V · d_k · 4 bytes (float32), one layer. The widened heads keep more.",
    "sharing.less_full": "less all own",
    # The cache
    "cache.title": "The cache of a large model",
    "cache.what": "A model that writes a text token by token keeps the keys and values of every token before. That memory, not "
    "the parameters, is why large models let heads share W_K and W_V. The sizes begin with those of a model with d_model 4096.",
    "cache.heads": "Heads",
    "cache.d_k": "d_k",
    "cache.layers": "Layers",
    "cache.tokens": "Tokens",
    "cache.dtype": "Numbers",
    "cache.pairs": "pairs of W_K and W_V",
    "cache.kind": "name",
    "cache.size": "cache of one text",
    "cache.full": "multi-head: all own",
    "cache.grouped": "grouped-query: {each} heads a pair",
    "cache.multi": "multi-query: one pair for all",
    "cache.formula": "2 (keys and values) · pairs · d_k · layers · tokens · bytes of a number. First line: "
    "2 · {n_kv} · {d_k} · {layers} · {tokens} · {size} = {mib} MiB.",
}
