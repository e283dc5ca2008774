"""English: heads one after another, and a net that teaches another."""

DEPTH: dict[str, str] = {
    "depth_part.depth": "Depth against width",
    "depth_part.distil": "Distilling",
    # Depth against width
    "depth.heads": "Heads in all",
    "depth.about": "About {seconds} s on a usual computer.",
    "depth.arrangement": "{layers} × {heads}",
    "depth.usual": "usual rate",
    "depth.faster": "{times}-fold rate",
    "depth.places": "layers × heads in each, {heads} heads in all",
    "depth.alt": "What {heads} heads reach side by side and one after another",
    "depth.caption": "Left: all heads side by side in one layer. Right: one head a layer, one after another; the query token "
    "adds what it fetched to its vector and attends again. The dashed line: so many heads fetch at most so many of the four "
    "values. Colours: the rate of learning.",
    "depth.courses": "How the trainings go on at the {rate}, one line a seed. A line that leaves the picture "
    "has an R² far below 0: the training went astray.",
    "depth.equal": "Every arrangement has exactly as many parameters: **{parameters}**, counted. A head is 32 / heads wide "
    "wherever it stands, and a layer has nothing but its heads: no biases, no scale in LayerNorm, no network behind it.",
    "depth.change": "At the {rate} of learning, {deep} less {wide}, seed by seed: {change}.{near}",
    "depth.counts": " Within {within} of the best possible: {deep} of {n} trainings against {wide} of {n}.",
    "depth.claim.few": "Train with more seeds to see whether the arrangement makes a difference.",
    "depth.claim.no": "“That is why multi-head rather than stacked single heads” is not borne out here: no difference beyond the "
    "noise at any rate that was tried.",
    "depth.claim.steadier": "At the lowest rate of learning a stack of single heads does what heads side by side do. Where the "
    "rate is raised, fewer of its trainings get there; with so few seeds that can be chance, as the interval says. It would "
    "agree with Liu, Liu and Han (2021), who find the gain of multi-head attention in a steadier training of fewer layers, not "
    "in what can be computed.",
    "depth.claim.worse": "The stack falls short here at the lowest rate of learning too.",
    "depth.claim.better": "The stack falls short at no rate of learning here, and is ahead at some.",
    "depth.arranged": "layers × heads",
    "depth.rate": "rate of learning",
    "depth.lowest": "lowest seed",
    "depth.near": "within {within} of the best possible",
    "depth.of": "{n} of {total}",
    "depth.slots": "**Which head fetches which slot.** Mean weight of each head on the token that each slot asks for, at the "
    "{rate}, one seed.",
    "depth.slot": "slot {number}",
    # Distilling
    "distil.heads": "Heads of the student",
    "distil.about": "About {seconds} s on a usual computer.",
    "distil.aim": "learns",
    "distil.aim.teacher": "teacher",
    "distil.aim.truth": "true answers",
    "distil.aim.answers": "teacher's answers",
    "distil.aim.maps": "answers and maps",
    "distil.place.truth": "truth",
    "distil.place.answers": "answers",
    "distil.place.maps": "+ maps",
    "distil.student": "{heads}-head student",
    "distil.teacher": "its {heads}-head teacher",
    "distil.best": "the best possible with {heads} heads",
    "distil.places": "what the student learns",
    "distil.alt": "What {heads}-head students reach",
    "distil.caption": "The student learns the true answers, or what a trained net with more heads says (softened by a "
    "temperature), or also where it looks: the mean maps of groups of its heads. Same steps, same cases, same beginning.",
    "distil.change": "Learning the {aim} instead of the true answers, seed by seed: {change}.",
    "distil.cannot": "No teacher can lift a {heads}-head student above R² {best}: what its heads did not fetch it cannot know.",
    "distil.gap": "The teacher is {gap} ahead of a student that learns the {aim}; that is all there is to win.",
    "distil.n_heads": "heads",
    "distil.range": "lowest … highest seed",
}
