"""English: cards of the page of pitfalls: mean weights, checks, temperature, the untrained toy."""

PITFALL_CLAIMS: dict[str, str] = {
    "pitfalls.tried": "Claim",
    # Mean weight as importance
    "pitfalls.mean.claim": "The mean of a head's weights over queries and keys says how important the head is.",
    "pitfalls.mean.flat": "All {n} heads get the same number: {least:.6f}, which is 1/{keys}, to {off:.0e}. Rows sum "
    "to 1, so their mean over {keys} keys is 1/{keys} whatever the head does. How much the loss depends on each head "
    "differs: on the one that matters most {times:.0f} times as much as on a middling one.",
    "pitfalls.mean.apart": "Heads get different numbers, {least:.4f} to {most:.4f}: this measure tells them apart.",
    "pitfalls.mean.instead": "Put a gate of 1 before each head's output and take the slope of the loss in it (Michel "
    "et al. 2019), or take the head out and see what changes.",
    "pitfalls.mean.tried.minilm": "MiniLM, 72 heads",
    "pitfalls.mean.tried.toy": "the toy, 8 heads",
    "pitfalls.mean.tried.unpack": "unpacked weights",
    "pitfalls.mean.words": "Words of the sentence",
    "pitfalls.mean.axis": "Share of all heads, %",
    "pitfalls.mean.told": "mean weight",
    "pitfalls.mean.right": "slope in the gate",
    "pitfalls.mean.alt": "Share of the mean weight and of the slope in the gate of {n} heads",
    "pitfalls.mean.caption": "Each head's share of the sum over all heads. The mean weight is one flat line of bars "
    "for any model and any sentence; the slope is large for few heads. Loss: how far the sentence's embedding is "
    "from what even weights would give.",
    "pitfalls.mean.table.head": "Head",
    "pitfalls.mean.table.mean": "Mean weight",
    "pitfalls.mean.table.slope": "Slope in the gate",
    "pitfalls.mean.unpack.claim": "_, weights = model(batch) gives the weights of the classifier, to take the mean of.",
    "pitfalls.mean.silent": "At batch {batch} it runs without an error, and what is called weights has shape {shape}: "
    "the answer for the second text. Python unpacked the two texts of the batch. At batch {failed} there is a "
    "ValueError.",
    "pitfalls.mean.error": "At batch {batch} there is an error: “{error}”. The classifier answers with one tensor, "
    "and Python unpacks its texts; only at batch 2 it does so without a word.",
    "pitfalls.mean.weights": "At batch {batch} they are the weights, of shape {shape}.",
    "pitfalls.mean.unpack.instead": "Ask for the weights by name, and check that what comes back has the axes head, "
    "query and key and rows that sum to 1.",
    "pitfalls.mean.batch": "Texts in the batch",
    "pitfalls.mean.unpack.axis": "Value",
    "pitfalls.mean.unpack.class": "class {number}",
    "pitfalls.mean.unpack.text": "answer for text {number}",
    "pitfalls.mean.unpack.weights": "“weights”",
    "pitfalls.mean.unpack.alt": "The classifier's answers, and what is called weights",
    "pitfalls.mean.unpack.caption": "At two texts the bars of “weights” are those of the second text's answer. At any "
    "other number there are none: an error.",
    "pitfalls.mean.unpack.batches": "Batch",
    "pitfalls.mean.unpack.got": "Shape of “weights”, or the error",
    # Tests and comparisons
    "pitfalls.checks.tried.shapes": "A check of shapes",
    "pitfalls.checks.tried.order": "A classifier and the order of words",
    "pitfalls.checks.tried.padding": "A classifier and padding",
    "pitfalls.checks.tried.parameters": "One head against several",
    "pitfalls.checks.tried.head_mask": "head_mask in transformers",
    "pitfalls.checks.tried.maps": "output_attentions in transformers",
    "pitfalls.checks.words": "Words",
    "pitfalls.checks.heads": "Heads",
    "pitfalls.checks.d_model": "d_model",
    "pitfalls.checks.off": "Heads of layer 0 that are switched off",
    "pitfalls.checks.shapes.claim": "A module whose output has the shape of its input has passed the test of an "
    "attention module.",
    "pitfalls.checks.shapes.wrong": "{wrong} of {n} verdicts are wrong. Passed: {passed}. Failed: {failed}, which "
    "takes three inputs; the caught exception hides why. A check that asks whether tokens hear of one another is "
    "right on {better} of {n}.",
    "pitfalls.checks.shapes.sound": "It is right on all {n} modules. Passed: {passed}. Failed: {failed}.",
    "pitfalls.checks.shapes.instead": "Test what attention does: change the last token and see the first one's output "
    "move, hide it with a mask and see it stay; compare with torch.nn.MultiheadAttention on equal weights. Let "
    "exceptions through.",
    "pitfalls.checks.shapes.axis": "Change of the first token's output",
    "pitfalls.checks.shapes.passes": "passed",
    "pitfalls.checks.shapes.fails": "failed",
    "pitfalls.checks.shapes.moved": "when the last token changes",
    "pitfalls.checks.shapes.alt": "How far the first token's output moves when the last token changes, for {n} modules",
    "pitfalls.checks.shapes.caption": "Below each name: what the check of shapes says. Only attention lets the first "
    "token hear of the last one. The check of shapes passes the two that do not, and fails the one that does.",
    "pitfalls.checks.order.claim": "A classifier of embedding, multi-head attention and the mean over tokens "
    "understands the order of words and relations over long distances.",
    "pitfalls.checks.order.blind": "{n} other orders of the same {words} words give the same logits, to "
    "{difference:.0e}: without positions it sees a bag of words. With positions the logits move by {positions:.3f}.",
    "pitfalls.checks.order.sees": "{n} other orders of the same {words} words move the logits by {difference:.3f}: it "
    "sees the order.",
    "pitfalls.checks.order.instead": "Add positions to the token vectors, and shuffle the words of a text as a test: "
    "the answer has to move.",
    "pitfalls.checks.order.at": "Order of the words (0 as written)",
    "pitfalls.checks.order.told": "without positions",
    "pitfalls.checks.order.right": "with positions",
    "pitfalls.checks.order.caption": "One untrained net; no training can change the flat line, since the sum over "
    "tokens has no order.",
    "pitfalls.checks.padding.claim": "Texts are filled up to one length, and the classifier's answers stay what they "
    "are.",
    "pitfalls.checks.padding.moves": "With {n} paddings the first logit of the same text goes from {first:.3f} to "
    "{last:.3f}, and some logit moves by {difference:.3f}. With a mask it is {masked:.0e}.",
    "pitfalls.checks.padding.same": "With {n} paddings no logit moves by more than {difference:.0e}.",
    "pitfalls.checks.padding.instead": "Hide padding as a key, and leave it out of the mean. Test: a text alone and "
    "in a batch with a longer one must get the same answer.",
    "pitfalls.checks.padding.at": "Paddings after the text",
    "pitfalls.checks.padding.told": "without a mask",
    "pitfalls.checks.padding.right": "with a mask",
    "pitfalls.checks.padding.caption": "The same text, the same weights. Without a mask the answer depends on the "
    "longest text of the batch.",
    "pitfalls.checks.logit": "First logit",
    "pitfalls.checks.alt": "The first logit of one text, as told and done right",
    "pitfalls.checks.parameters.claim": "A single head and several heads of the same structure are compared, so what "
    "differs in the result is due to the number of heads.",
    "pitfalls.checks.parameters.unequal": "The single head has {one:,} parameters and {heads} heads have {several:,}, "
    "{more:.0%} more: the single one has no W_O. With it there are {single:,}.",
    "pitfalls.checks.parameters.equal": "Both have {several:,} parameters.",
    "pitfalls.checks.parameters.instead": "Build one head with the module that builds several, and count parameters "
    "before comparing.",
    "pitfalls.checks.parameters.axis": "Parameters",
    "pitfalls.checks.parameters.one": "as told",
    "pitfalls.checks.parameters.single": "same module",
    "pitfalls.checks.parameters.head": "one head",
    "pitfalls.checks.parameters.several": "{n} heads",
    "pitfalls.checks.parameters.counted": "counted",
    "pitfalls.checks.parameters.alt": "Parameters of one head as told, one head of the same module and {n} heads",
    "pitfalls.checks.parameters.caption": "The dashed line is what one head of the same module has. The number of "
    "heads changes nothing about it.",
    "pitfalls.checks.head_mask.claim": "transformers switches heads off with head_mask.",
    "pitfalls.checks.head_mask.idle": "transformers {version} takes head_mask and ignores it. Heads of layer 0 "
    "switched off: {off}; the output moves by {told:g} (by {most:g} at most with any number of heads). With the same "
    "heads set to 0 before W_O it moves by {right:.2f}.",
    "pitfalls.checks.head_mask.acts": "transformers {version}: heads of layer 0 switched off: {off}; the output moves "
    "by {told:.2f} ({most:.2f} at most with any number), and by {right:.2f} with the same heads set to 0 before W_O.",
    "pitfalls.checks.head_mask.instead": "Set the columns of these heads to 0 where W_O reads them, with a hook or a "
    "gate, and check that the output moves. This app has its gates inside its kernel.",
    "pitfalls.checks.head_mask.axis": "Largest change of the output",
    "pitfalls.checks.head_mask.told": "head_mask",
    "pitfalls.checks.head_mask.right": "before W_O",
    "pitfalls.checks.head_mask.alt": "Change of the output against the number of heads switched off, by head_mask and "
    "before W_O",
    "pitfalls.checks.head_mask.caption": "A small random BERT of 2 layers and 4 heads. With no head off both are 0, "
    "as they must be.",
    "pitfalls.checks.maps.claim": "Pass output_attentions=True and every layer's map comes back.",
    "pitfalls.checks.maps.none": "Under sdpa, transformers' default, {got} of {layers} maps come back, and no "
    "exception says so (transformers {version}). With eager attention there are {eager}.",
    "pitfalls.checks.maps.there": "{got} of {layers} maps come back under sdpa (transformers {version}).",
    "pitfalls.checks.maps.instead": 'Load the model with attn_implementation="eager" where maps are wanted, and '
    "check how many came back.",
    "pitfalls.checks.maps.told": "sdpa",
    "pitfalls.checks.maps.right": "eager",
    "pitfalls.checks.maps.alt": "The map of L0 H0 under sdpa and under eager attention",
    "pitfalls.checks.maps.caption": "L0 H0 of a small random BERT; tokens by their numbers. Hatched red: no number at "
    "all.",
    # Temperature and heatmaps
    "pitfalls.temperature.tried.one_layer": "Repaint one layer",
    "pitfalls.temperature.tried.all_layers": "Repaint all layers",
    "pitfalls.temperature.tried.equal_maps": "Equal maps, made so",
    "pitfalls.temperature.tried.alike": "Like maps in MiniLM",
    "pitfalls.temperature.tried.darker": "Darker is larger",
    "pitfalls.temperature.tried.reversed": "Darker, scale reversed",
    "pitfalls.temperature.claim": "Putting recorded scores through the softmax again at another temperature shows "
    "what the model would do at that temperature.",
    "pitfalls.temperature.above": "At temperature {temperature:g} in {layers} it does up to layer {first}, where both "
    "agree to {same:.0e}. Above, other inputs arrive: in layer {layer} weights differ by up to {apart:.2f}, and the "
    "mean entropy is {inside:.2f} nats in the model, {painted:.2f} repainted ({plain:.2f} at temperature 1).",
    "pitfalls.temperature.equal": "Both agree in all layers, to {apart:.0e}.",
    "pitfalls.temperature.other": "They do not even agree up to layer {first}: weights differ by {same:.2f} there.",
    "pitfalls.temperature.instead": "Divide the scores inside the model where it is about the model; call a repaint a "
    "repaint.",
    "pitfalls.temperature.temperature": "Temperature",
    "pitfalls.temperature.layer": "Layer",
    "pitfalls.temperature.layers": "Layer",
    "pitfalls.temperature.entropy": "Mean entropy, nats",
    "pitfalls.temperature.plain": "temperature 1",
    "pitfalls.temperature.painted": "repainted",
    "pitfalls.temperature.inside": "in the model",
    "pitfalls.temperature.alt": "Mean entropy of each layer of MiniLM: at temperature 1, repainted, and with the "
    "temperature in the model",
    "pitfalls.temperature.caption": "MiniLM on “The animal didn't cross the street because it was too tired.” Where "
    "the lines part, the repaint shows something that the model does not do. Dashed: even weights.",
    "pitfalls.temperature.equal_maps.claim": "Two heads with the same heatmap do the same thing: one of them can go.",
    "pitfalls.temperature.equal_maps.other": "The maps are equal (distance {distance:g}), but with another W_V the "
    "heads write different things, up to {apart:.1f} apart: with one head in both places the output of the layer "
    "moves by {lost:.0%} of its length.",
    "pitfalls.temperature.equal_maps.same": "The maps are equal (distance {distance:g}) and so is what the heads "
    "write, to {apart:.0e}: with one head in both places the output moves by {lost:.0%}.",
    "pitfalls.temperature.equal_maps.instead": "A map says where a head reads, not what it takes along. Compare what "
    "heads write (CKA), and take one out before calling it redundant.",
    "pitfalls.temperature.equal_maps.map": "map of head {n}",
    "pitfalls.temperature.equal_maps.output": "head {n} writes",
    "pitfalls.temperature.equal_maps.value": "Value",
    "pitfalls.temperature.equal_maps.alt": "The equal maps of two heads, and what they write",
    "pitfalls.temperature.equal_maps.caption": "Above: where the two heads read, token by token. Below: what they "
    "write for the same tokens, 8 numbers each.",
    "pitfalls.temperature.seed": "Seed",
    "pitfalls.temperature.alike.claim": "In a trained model, heads whose maps look alike are redundant.",
    "pitfalls.temperature.alike.differ": "Over all {n:,} pairs of MiniLM's heads, the distance of the maps and that of "
    "the outputs have a rank correlation of {agreement:.2f}. The nearest two maps, {one} and {other} (distance "
    "{distance:.3f}), write outputs with a CKA of {likeness:.2f}; 1 would be the same.",
    "pitfalls.temperature.alike.agree": "Over all {n:,} pairs of MiniLM's heads, both distances rank alike "
    "(correlation {agreement:.2f}). The nearest two maps, {one} and {other} (distance {distance:.3f}), have a CKA of "
    "{likeness:.2f}.",
    "pitfalls.temperature.alike.maps": "Distance of the maps, nats",
    "pitfalls.temperature.alike.outputs": "Distance of the outputs, 1 − CKA",
    "pitfalls.temperature.alike.alt": "Distance of the outputs against distance of the maps, a point for each pair of "
    "heads",
    "pitfalls.temperature.alike.caption": "A point is a pair of heads, over the built-in pairs of sentences. If maps "
    "told what heads do, the points would lie on one rising line.",
    "pitfalls.temperature.darker.claim": "In a heatmap, the darker a cell, the larger its weight.",
    "pitfalls.temperature.reversed.claim": "In a heatmap with a reversed scale, the darker a cell, the larger its "
    "weight.",
    "pitfalls.temperature.darker.lighter": "Of {n} pairs of colours of this scale the darker one stands for more in "
    "{right}: luminance goes from {low:.2f} at weight 0 to {high:.2f} at the largest.",
    "pitfalls.temperature.darker.holds": "So it is in all {right} of {n} pairs of colours of this scale: luminance "
    "goes from {low:.2f} at weight 0 to {high:.2f} at the largest. Read the scale first.",
    "pitfalls.temperature.darker.instead": "Print the scale beside the picture, and say “larger”, not “darker”.",
    "pitfalls.temperature.palette": "Colours",
    "pitfalls.temperature.darker.shown": "this scale",
    "pitfalls.temperature.darker.turned": "the same map, scale reversed",
    "pitfalls.temperature.darker.alt": "One map on the chosen scale and on the reversed one",
    "pitfalls.temperature.darker.caption": "One and the same map twice, with the same numbers.",
    # The untrained toy
    "pitfalls.flat.claim": "A small example with random numbers is enough to see that each head reads in a way of its "
    "own.",
    "pitfalls.flat.flat": "All weights are {least:.2f} … {most:.2f} and the entropy is {share:.4f} of the largest: "
    "heads are {between:.4f} nats apart, random rows {chance:.2f}. They look alike because nothing was learnt. Heads "
    "of a trained look-up net put {trained:.3f} on their token.",
    "pitfalls.flat.chance": "At scale {scale:g} heads are {between:.2f} nats apart (random rows {chance:.2f}), but "
    "the same head with another seed is {again:.2f} from itself: the drawing of the numbers is seen, not a job.",
    "pitfalls.flat.kept": "Heads are {between:.2f} nats apart, and with another seed each stays what it is "
    "({again:.2f}): they do have a way of their own.",
    "pitfalls.flat.instead": "Show a trained model, or heads that are set by hand and said to be so; draw an "
    "untrained one beside it.",
    "pitfalls.flat.scale": "Scale of the random numbers",
    "pitfalls.flat.heads": "Heads",
    "pitfalls.flat.seed": "Seed",
    "pitfalls.flat.head": "H{head}",
    "pitfalls.flat.alt": "Weights of {n} heads with random numbers",
    "pitfalls.flat.designed.alt": "Weights of {n} heads that are set by hand",
    "pitfalls.flat.caption": "Four tokens. Above, heads that learnt nothing; below, heads of this app's toy, set by "
    "hand: the token before, the one after, the first one, itself. Move the scale: the maps above change, and still "
    "mean nothing.",
    "pitfalls.flat.curve.entropy": "entropy, share of the largest",
    "pitfalls.flat.curve.between": "distance of heads, nats",
    "pitfalls.flat.curve.chance": "distance of random rows, nats",
    "pitfalls.flat.curve.value": "Value",
    "pitfalls.flat.curve.alt": "Entropy and distance of heads against the scale of the random numbers",
    "pitfalls.flat.curve.caption": "Untrained throughout, means of 10 seeds: how sharp heads are and how far apart "
    "depends on the scale alone.",
}
