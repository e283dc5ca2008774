"""English: probe sentences and what came of them. ``{name}`` is a place for a value."""

PROBING: dict[str, str] = {
    "probe.kind.coreference": "Who is meant",
    "probe.kind.meaning": "Two meanings",
    "probe.kind.agreement": "Agreement",
    "probe.kind.determiner": "Determiner, noun",
    "probe.kind.object": "Object, verb",
    "probe.kind.passive": "Passive",
    "probe.kind.possessive": "Possessive",
    "probe.kind.preposition": "Preposition",
    "probe.kind.particle": "Particle, verb",
    "probe.kind.repeated": "Repeated words",
    "probe.kind.position": "Position",
    "probe.kind.special": "Special tokens",
    "probe.kind.own": "Your own",
    "probe.verdict.holds": "holds",
    "probe.verdict.not": "does not hold",
    "probe.verdict.untried": "untried",
    "probe.summary": "{holds} hold, {fails} do not, {untried} could not be tried here.",
    "probe.own": "Some head gives at least {times} times chance from {query} to {key}.",
    "probe.own.source": "Yours",
    # What was found
    "probe.found.pair": "In {head} of {model}, {query} attends to {keys} with {weight}, its key number {rank} by "
    "weight: {measured} times chance, where at least {expected} were expected. Other heads that reach that: {others}.",
    "probe.found.margin": "In {head} of {model}, {query} gives {key} {measured} more weight here than in the other "
    "sentence, where at least {expected} was expected. Other heads that reach that: {others}.",
    "probe.found.meaning": "The cosine of {word}'s output vectors in {model} is larger by {measured} between two "
    "sentences with one meaning than between two meanings; more than {expected} was expected.",
    "probe.found.metric": "{metric} is {measured} in {head} of {model}, {times} times what even attention gives; at "
    "least {expected} was expected. Other heads that reach that: {others}.",
    "probe.found.layers": "{metric}, a mean over the heads of each of {layers}, is at least {measured} in {model}; "
    "{expected} was expected.",
    "probe.found.offset": "In {head} of {model}, the strongest key stands at {offset} for a share of {measured} of the "
    "words; at least {expected} was expected. Other heads that reach that: {others}.",
    "probe.luck.pairs": "Among all {n} pairs of words of the sentence, each with the head that suits it best of "
    "{heads}, this pair is number {rank}.",
    "probe.luck.same_offset": "Among the {n} pairs whose words stand equally far apart it is number {rank}.",
    "probe.luck.margin": "Among all {n} pairs of words that both sentences have, each with the head that suits it best "
    "of {heads}, this difference is number {rank}.",
    "probe.context": "In sentence {number} it attends most, as a mean over all heads and besides itself, to: {words}.",
    "probe.elsewhere": "Published for {published}, run on {model}: other heads, other training.",
    # What fell short
    "probe.short.below": "That is less than expected.",
    "probe.short.common": "Too many other pairs of words come out as strong: with many heads some do by luck, and to a "
    "neighbour some head leads almost always.",
    "probe.short.rival": "The rival word gets more in its best head.",
    "probe.short.not_top": "Another word gets more in that head.",
    "probe.short.even": "That is less than twice what even attention gives.",
    # Why it was not tried
    "probe.untried.toy": "The heads of {model} were set by hand or drawn at random; it has learnt no language.",
    "probe.untried.other_model": "This is about heads or layers of {published} by their numbers; {model} has others.",
    "probe.untried.no_head": "{model} has no {head}: its layers go from 0 to {layers}, its heads from 0 to {heads}.",
    "probe.untried.no_layer": "{model} has no layer {layer}: its layers go from 0 to {last}.",
    "probe.untried.missing": "{model} reads no tokens that make up just {word}.",
    "probe.untried.unknown": "{model} does not know {word}: its vocabulary has no entry for it.",
    "probe.untried.unknown_share": "{model} does not know {share} of the words of this sentence.",
    "probe.untried.hidden": "{model} does not let {query} attend to {key}.",
    "probe.untried.no_offset": "No word of the sentence may attend to one at {offset} in {model}.",
    "probe.untried.no_metric": "{metric} has no value in {model} on this sentence.",
    "probe.untried.no_output": "There is no output of {model} to compare.",
    "probe.untried.error": "It could not be run: {error}",
    # Figure
    "figure.probe_axis": "times chance",
    "figure.probe_best": "best head, filled where all of the claim holds",
    "figure.probe_expected": "expected at least",
    "figure.hover_probe": "{probe}: {head}, <b>{times}</b> times chance, expected {expected}",
    # Errors
    "error.probe_file": "The probes cannot be read: {reason}. Put that line right; probes.toml shows the form.",
    "error.probe_twice": "Two probes are called {id}. Give one of them another id.",
    "error.probe_field": "The probe {id} has no {field}, which it needs. Add it.",
    "error.probe_unknown_field": "The probe {id} has a field {got}, which its claim does not know. It knows: {allowed}.",
    "error.probe_claim": "The probe {id} claims {got}; there are: {allowed}. Choose one of these.",
    "error.probe_source": "The probe {id} has the source {got}; there are: {allowed}. Choose one of these, or add yours "
    "to [sources].",
    "error.probe_kind": "The probe {id} is of the kind {got}; there are: {allowed}. Choose one of these.",
    "error.probe_head": "The probe {id} names the head {got}; it must be written as papers do, layer and head from 1: "
    "8-11.",
    "error.probe_word_missing": "The word {word} is not in the sentence: {sentence} Whole words count, capitals do not. "
    "Choose a word that is there.",
    "error.probe_word_twice": "The word {word} is there {n} times. Say which is meant: {choices}.",
    "error.probe_word_nth": "Number {got} of the word {word} was asked for; it is there {n} times. Choose 1 to {n}.",
    "error.probe_empty": "A probe needs a sentence, the word that attends and the word attended to. Fill in all three.",
    "error.probe_times": "{got} is no number of times chance; it must be a number above 0, such as 2. Type one.",
    "error.probe_same_word": "Both words are {word}. Choose two different ones; of a repeated word, say which: cat#1, "
    "cat#2.",
    "error.probe_line": "The line {got} cannot be read. Write: sentence | word that attends -> word attended to | times "
    "chance.",
}
