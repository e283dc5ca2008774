"""English: several look-ups at once."""

LOOKUPS: dict[str, str] = {
    "lookups.what": "Each of {n_tokens} tokens is a name with a value. A query asks for the values of {n_slots} names, in order, "
    "and each head hands it one weighted mean of the tokens.",
    "lookups.case.tokens": "Tokens",
    "lookups.case.asked": "Asked for",
    "lookups.case.alt": "One case: {n_tokens} tokens with a name and a value, and the {n_slots} that are asked for.",
    "lookups.task": "Values",
    "lookups.task.values": "numbers",
    "lookups.task.classes": "classes",
    "lookups.task.values.help": "Each value is {width} independent Gaussian numbers. {n_slots} of them cannot be told from fewer "
    "weighted means: h heads explain at most min(h, {n_slots}) / {n_slots} of their variance (R²).",
    "lookups.task.classes.help": "Each value is one of {kinds} classes, and a small network reads the answers. There is no such "
    "limit: one mean of few classes can be taken apart. Guessing gets {chance} right.",
    "lookups.heads": "Heads",
    "lookups.no_heads": "No number of heads is chosen, so there is nothing to train. Choose at least one.",
    "lookups.seeds": "Seeds",
    "lookups.steps": "Steps",
    "lookups.about": "About {seconds} s on a usual computer.",
    "lookups.none": "None of these results is about {task}. Run it here to see some.",
    "lookups.reached": "mean of the seeds",
    "lookups.best": "the best possible",
    "lookups.chance": "guessing",
    "lookups.axis.heads": "heads",
    "lookups.axis.steps": "steps of training",
    "lookups.score.values": "R²",
    "lookups.score.classes": "right answers",
    "lookups.scores.alt": "What each number of heads reaches on the look-ups",
    "lookups.scores.seeds": "Bars are 95% intervals of the mean of {n} seeds; small dots are seeds.",
    "lookups.scores.no_seeds": "One seed: nothing is known of the spread, so there is no interval.",
    "lookups.scores.wait": "A point stands here as soon as a net is trained.",
    "lookups.equal": "Every net has exactly {n} parameters, whatever its number of heads.",
    "lookups.unequal": "The nets do not have equally many parameters: {counts}.",
    "lookups.counts": "{n} with {heads}",
    "lookups.courses.alt": "The score on held-out cases as training goes on",
    "lookups.heads.one": "1 head",
    "lookups.heads.several": "{heads} heads",
    "lookups.courses.caption": "On {n} cases that no training sees; one line a seed.",
    "lookups.maps": "What each head looks at, of a net with so many heads",
    "lookups.maps.seed": "Seed",
    "lookups.maps.none": "This net is not trained yet.",
    "lookups.maps.alt": "Mean weight of each head on the token that each slot asks for",
    "lookups.maps.slot": "slot {n}",
    "lookups.maps.other": "not asked",
    "lookups.maps.weight": "mean weight",
    "figure.slot_hover": "{head} on {slot}: <b>{weight}</b><extra></extra>",
    "lookups.maps.caption": "Mean weight of each head on the token that each slot asks for; the last column is what it gives all "
    "others together. Heads stand in the order of the slot that they look at most: on a diagonal each has its own. Here "
    "{n_taken} of {n_slots} slots have a head that gives them more than half of its weight.",
    "lookups.table.d_k": "d_k",
    "lookups.table.seeds": "seeds",
    "lookups.table.half": "± (95%)",
    "lookups.table.best": "best possible",
    "lookups.table.parameters": "parameters",
    "lookups.table.seconds": "s of processor",
    "lookups.caveats": "What this does and does not show",
    "lookups.caveats.values": "- No net whose weights come from the names alone can pass the line, however it is trained. "
    "Scores are taken on {held_out} held-out cases, so one may lie a hair above it.\n"
    "- The task is made so that heads matter: h heads give h weighted means. It tells nothing "
    "of how many heads a text needs.\n- The line does not ask how wide a head is. 32 heads have a d_k of 1: their keys lie on a "
    "line, and of those a sharp head can pick only the two ends. They stay below.",
    "lookups.caveats.classes": "- One head can cheat: it gives the tokens different weights, and the network behind it takes the "
    "sum apart. A score far above guessing does not mean that one head looks up four things; with numbers there is no such "
    "way round.\n- Narrow heads are slow: with a d_k of 2 the eight keys are hard to tell apart, and 400 steps do not suffice. "
    "Ask for 1,600 and see what 16 heads reach then: that they fall here is no limit of 16 heads.\n- Scores are taken on "
    "{held_out} held-out cases.",
}
