"""English: what a number of heads costs, and what others recommend and use."""

BUDGET: dict[str, str] = {
    "budget.what": "One layer of attention, d_model wide. More heads of it are narrower heads: the parameters and the "
    "multiply-adds stay what they are, and only the maps take more memory.",
    "budget.d_model": "d_model",
    "budget.heads": "Heads",
    "budget.tokens": "Tokens",
    "budget.batch": "Batch",
    "budget.dtype": "Numbers",
    "budget.memory": "Memory, GB",
    "budget.memory.help": "1 GB is 1,000,000,000 bytes.",
    "budget.numbers": "{heads} heads",
    "budget.d_k": "d_k",
    "budget.d_k.how": "d_model / heads",
    "budget.parameters": "Parameters",
    "budget.parameters.how": "counted; 4 d² + 4 d",
    "budget.work": "Multiply-adds",
    "budget.work.how": "batch (4 L d² + 2 L² d)",
    "budget.maps": "Maps",
    "budget.maps.how": "batch × heads × L²",
    "budget.largest": "Largest batch",
    "budget.largest.how": "that fits the memory",
    "budget.lines.alt": "What each number of heads costs, as a multiple of one head: the maps grow, parameters and "
    "multiply-adds do not",
    "budget.lines.caption": "Maps need {times} times the memory with {most} heads; parameters and multiply-adds lie on one flat "
    "line. Fused attention never keeps the maps, and then this cost is gone too.",
    "budget.lines.uneven": "The counted parameters are not the same for every number of heads: {counts}.",
    "budget.table.caption": "Every number of heads that divides {d_model}. Parameters are counted in real layers; the formula "
    "gives {formula}. The largest batch is what fits until the backward pass: maps and {vectors} vectors a token (what is read, "
    "Q, K, V, the heads' outputs) beside the parameters. Gradients and an optimizer take more.",
    "budget.amount.trillion": "{n} trillion",
    "budget.amount.billion": "{n} billion",
    "budget.amount.million": "{n} million",
    "budget.published": "What others recommend, and what they use",
    "budget.published.rule": "A common rule asks for a d_k of at least {least}. Of the {n} entries that tutorials recommend, "
    "{broken} break it: {which}.",
    "budget.published.models": "Of the {n} models below, these break it: {which}.",
    "budget.published.no_models": "None of the {n} models below breaks it.",
    "budget.recommended": "Recommended by tutorials",
    "budget.used": "Used by models",
    "budget.model": "model",
    "budget.source": "source",
    "budget.rule": "d_k ≥ {least}",
    "budget.rule.holds": "yes",
    "budget.rule.broken": "no",
    "budget.tasks": "The same tutorials recommend by task: {binary} heads for a binary classification, {sentiment} for the "
    "sentiment of a text. Their own example, whether a film review is good or bad, is both. No measurement stands behind either "
    "table.",
    "budget.tasks.span": "{low} to {high}",
    "budget.scores": "Published: one comparison at equal compute",
    "budget.scores.alt": "BLEU and perplexity of translators with {heads} heads",
    "budget.scores.caption": "{source}: English to German, newstest2013, d_model 512. One head is {less} BLEU below the best; "
    "{most} heads are {too_many} below it. Filled dots are the best. One training each, so no interval is known.",
    "figure.budget_heads": "heads",
    "figure.budget_times": "times one head",
    "figure.budget_hover": "{name}<br>{heads} heads: <b>× {times}</b><extra></extra>",
    "figure.bleu": "BLEU",
    "figure.perplexity": "perplexity, lower is better",
    "figure.score_hover": "{name}: <b>{value}</b><extra></extra>",
}
