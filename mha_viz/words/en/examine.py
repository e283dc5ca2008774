"""English: the page that examines an attention module."""

EXAMINE: dict[str, str] = {
    "page.examine": "Examine a module",
    "page.examine.door": "Examine your own attention module",
    "page.examine.help": "Shapes, masks, rows, parity, gradients and number formats of your own module, of BERT and "
    "of the toy.",
    "lab.examine": "checks of attention modules",
    "labs.text": "a text of at most {longest} characters in one line",
    "doctor.examine": "own modules in the app",
    # The page
    "examine.what": "Name a module of your own, and the same checks run on it as on those that come with the app. It "
    "is imported and run in a process of its own, with a limit of time and memory.",
    "examine.path": "Your module",
    "examine.path.help": "What `import` finds: `package.module:Class`. The class is made with the arguments beside it; a "
    "function that returns a module is allowed too.",
    "examine.path.example": "my_package.attention:MultiHeadAttention",
    "examine.arguments": "Its arguments",
    "examine.arguments.help": "As in a call, or as JSON. Without any, those are tried that usually fit: d_model 32 "
    "and 4 heads under their usual names, then in the first two places.",
    "examine.arguments.example": "d_model=32, n_heads=4",
    "examine.folder": "Folder to import from",
    "examine.folder.help": "Where imports are looked for first. Without one it is the folder in which the app was "
    "started.",
    "examine.folder.example": "the app's own folder",
    "examine.seconds": "Seconds at most",
    "examine.about.own": "Your module is examined in about 10 s, most of them to start PyTorch.",
    "examine.about.none": "Name your module above to examine it. Without one, those that come with the app are examined again.",
    "examine.about.ours": "Those that come with the app are examined again, in about 10 s.",
    "examine.alt": "Checks of {n} modules: {told}",
    "examine.alt.module": "{module} {counts}",
    "examine.caption": "✓ passed, ✗ failed, – not possible: the module has not what the check needs.",
    "examine.counts": "{passed} passed, {failed} failed, {impossible} not possible.",
    "examine.choose": "Module",
    "examine.todo": "What to do",
    "examine.together": "{n} other checks",
    "examine.outcome.passed": "Passed",
    "examine.outcome.failed": "Failed",
    "examine.outcome.impossible": "Not possible",
    "examine.hover": "{module} · {check}: <b>{outcome}</b>",
    "examine.module.own": "Yours",
    "examine.module.torch": "torch",
    "examine.module.toy": "Toy",
    "examine.module.minilm": "BERT",
    "examine.module.own.what": "{name}, as you named it.",
    "examine.module.torch.what": "{name}, with 4 heads on 32 numbers a token, batch_first=True and dropout.",
    "examine.module.toy.what": "The toy's weights, set by hand and not trained, in the app's kernel. Its scores are "
    "far larger than those of a trained model, so that some tokens get all of the weight.",
    "examine.module.minilm.what": "The first layer of {name}, a BERT, in the app's kernel; without the residual "
    "connection and the LayerNorm around it.",
    "examine.check.called": "Can be called",
    "examine.check.shapes": "Shapes",
    "examine.check.masks": "Masks hide",
    "examine.check.polarity": "What True means",
    "examine.check.no_key": "Query without a key",
    "examine.check.batch_heads": "Batch equal to heads",
    "examine.check.rows": "Rows sum to 1",
    "examine.check.parity": "Parity with PyTorch",
    "examine.check.gradients": "Gradients arrive",
    "examine.check.float16": "float16",
    "examine.check.bfloat16": "bfloat16",
    "examine.check.device": "Any device",
    "examine.check.repeat": "Same answer twice",
    "examine.check.training": "Training as eval",
    # What cannot be examined
    "error.examine_path": "No module is named. Write one as package.module:Class, for instance "
    "--path my_package.attention:MultiHeadAttention.",
    "error.examine_off": "Modules of your own are not examined by this app: the person who started it has set "
    "MHA_VIZ_EXAMINE=off. The command python -m mha_viz lab examine does it without the app.",
    "error.examine_local": "Naming a module runs its code, so it is examined only where the app can be reached from "
    "its own computer alone, and this one listens on {got}. Start your own with make run, or use the command python "
    "-m mha_viz lab examine.",
    "examine.no.folder": "There is no folder {got}.",
    "examine.no.path": "{got} is no import path. Allowed are names with dots between them: package.module:Class.",
    "examine.no.module": "No module {got} is found for {path}.",
    "examine.no.package": "It was found, but imports {got}, which is not installed here ({where}).",
    "examine.no.import": "Importing {module} ended with {reason}.",
    "examine.no.name": "{module} has no {got}. The classes in it: {names}.",
    "examine.no.name_at_all": "{module} has no {got}, and defines no class.",
    "examine.no.class": "{got} is no torch.nn.Module.",
    "examine.no.arguments": "The arguments {got} cannot be read. Allowed are numbers, texts, True, False and lists "
    "of them, as in a call or as JSON.",
    "examine.no.made": "It could not be made with {tried}: {reason}.",
    "examine.no.call": "Called with vectors of shape {shape}, it ended with {reason}.",
    "examine.no.output": "It returned {got} where an output of shape {wanted} was expected.",
    "examine.no.called": "The module could not be called.",
    "examine.no.check": "It ended with {reason}.",
    "examine.no.mask": "forward has no argument for a mask.",
    "examine.no.mask_honoured": "No mask was found that the module honours.",
    "examine.end.time": "It was not done after {seconds} s, and was ended.",
    "examine.end.memory": "It took more than {most} GiB of memory, and was ended.",
    "examine.end.gone": "Its process ended by itself, without an error that could be caught: by os._exit or a crash "
    "in native code.",
    "examine.end.after": "Not reached: the process ended in the check before.",
    "examine.todo.folder": "Write the folder that holds your package, from / on or from the folder in which the app "
    "was started.",
    "examine.todo.path": "Write it as in an import, with a colon before the class.",
    "examine.todo.module": "Check the spelling, and name the folder that holds it.",
    "examine.todo.package": "Install it for the Python that runs the app, or move the attention into a file that "
    "does not need it.",
    "examine.todo.import": "Run python -c with this import in a terminal to see all of the error.",
    "examine.todo.name": "Name one of its classes; upper and lower case count.",
    "examine.todo.class": "Name a class derived from torch.nn.Module, or a function that returns one.",
    "examine.todo.arguments": "Write for instance d_model=32, n_heads=4.",
    "examine.todo.made": "Write the arguments that it needs, for instance d_model=32, n_heads=4.",
    "examine.todo.call": "forward must take vectors (batch, token, d_model): one for all, or queries, keys and "
    "values. Write the arguments if d_model was not recognised.",
    "examine.todo.divides": "The number of heads does not divide d_model. Choose two that fit, for instance d_model=32, "
    "n_heads=4.",
    "examine.todo.output": "Return the output first, (batch, token, d_model), and the weights after it.",
    "examine.todo.check": "Call it this way yourself; the line that is named is yours.",
    "examine.todo.time": "Look for a loop that does not end, or ask for more seconds and smaller sizes.",
    "examine.todo.memory": "Make it with smaller sizes.",
    "examine.todo.gone": "Leave out what ends the process; if there is nothing of the kind, look at the terminal of "
    "the app.",
    # Can be called
    "examine.called.batch_first": "Made with {made}, called as {call} with the batch first. d_model {d_model}, heads "
    "{heads}, arguments for masks: {masks}.",
    "examine.called.causal": "Made with {made}, called as {call} with the batch first; later tokens are "
    "never read. d_model {d_model}, heads {heads}, arguments for masks: {masks}.",
    "examine.called.length_first": "Made with {made}, called as {call} with the tokens first and the batch second. "
    "d_model {d_model}, heads {heads}, arguments for masks: {masks}.",
    "examine.called.apart": "It can be called with {d_model} numbers a token, but no token reads another: a change of one "
    "changes its own output only.",
    "examine.todo.apart": "This is no attention. Name the class that holds queries, keys and values.",
    # Shapes
    "examine.shapes.passed": "Batches of {batches} with {lengths} tokens: each output as large as its input, and "
    "each sample as it is alone.",
    "examine.shapes.both": "Batches of {batches} with {lengths} tokens, and 3 queries on 5 keys: each output as "
    "large as its queries, and each sample as it is alone.",
    "examine.shapes.raises": "With vectors {given} it ended with {reason}.",
    "examine.shapes.numbers": "With a batch of {batch} and {n} tokens the output holds NaN or infinite numbers.",
    "examine.shapes.width": "The output has {got} numbers a token, what it reads has {d_model}.",
    "examine.shapes.mixed": "The first sample of a batch differs from itself alone by {far} of the largest number.",
    "examine.todo.shapes": "Take batch, number of queries and number of keys from the tensors themselves, and fix "
    "none of them when the module is made. A LayerNorm on the scores fixes the number of keys.",
    "examine.todo.mixed": "Keep samples apart: check where dimensions are turned before view and reshape, and "
    "whether the batch comes first.",
    # Masks
    "examine.masks.passed": "A hidden key changes nothing and a visible one does, in {n} forms of the mask: {forms}.",
    "examine.masks.failed": "{n} forms of a mask were taken without an error, and in each a hidden key still changed "
    "the output, or all keys were hidden. In the best one it changed by {far} of its largest number.",
    "examine.masks.numbers": "{n} forms of a mask were taken without an error; in each the output held NaN, or no "
    "key was read.",
    "examine.masks.refused": "No usual mask was taken without an error. Arguments tried: {name}.",
    "examine.todo.masks": "Hide before the softmax with scores.masked_fill(hidden, -inf), and check that your "
    "comparison finds the hidden cells: a mask of 1 and -inf holds no 0.",
    "examine.todo.masks_rows": "See to the weights first: their rows do not sum to 1, as the check of the rows tells. The "
    "mask may well be right.",
    "examine.todo.masks_mixed": "Look at the heads first: without any mask, too, a token's output depends on where the "
    "others stand. Unless positions are added within, a transpose(1, 2) is missing at the split or the merge, and no "
    "mask can hide a key.",
    "examine.todo.mask_none": "If sentences of different length share a batch, it needs one for padding.",
    "examine.todo.masks_refused": "Tried were masks (L, L), (batch, L, L), (batch, 1, L, L), (batch, L) and others, "
    "of bool and float.",
    "examine.polarity.passed": "True or 1 shows: {shows}. True or 1 hides: {hides}. Numbers to be added to the "
    "scores: {added}.",
    "examine.polarity.shows_wrongly": "The argument {name} shows where it is True or 1. In PyTorch True hides in an argument of "
    "this name.",
    "examine.polarity.hides_wrongly": "The argument {name} hides where it is True or 1. In Hugging Face's models 1 shows in an "
    "argument of this name.",
    "examine.polarity.silent": "The argument {name} takes numbers to be added to the scores. A mask of True and False is taken "
    "without an error, and hides nothing.",
    "examine.todo.polarity": "Turn it round, or give the argument another name: whoever knows the name hands over "
    "the opposite.",
    "examine.todo.silent": "Refuse masks of bool, or turn them into 0 and -inf.",
    "examine.no_key.passed": "The output of such a query depends on nothing that is hidden, and holds no NaN.",
    "examine.no_key.nan": "{n} of {all} numbers of the output are NaN or infinite.",
    "examine.no_key.raises": "It ended with {reason}.",
    "examine.no_key.open": "The output of such a query is as if nothing were hidden: other keys change it by {far} of "
    "its largest number.",
    "examine.no_key.even": "The output of such a query reads all keys that are hidden: others in their place change it by "
    "{far} of its largest number.",
    "examine.todo.no_key": "Softmax with -inf, then set the weights of such rows to 0; or see to it that every query "
    "has a key. Padding beside a causal mask or a window makes such rows.",
    # Batch and heads
    "examine.batch.passed": "With a batch of {n} and {n} heads each sample is as it is alone, with its own mask: "
    "{shapes}.",
    "examine.batch.wrong": "A mask of shape {shape} in the argument {name} is taken without an error if the batch equals "
    "the number of heads, {n}, and then reaches the wrong heads: samples differ from themselves alone by {far} of the largest "
    "number.",
    "examine.batch.mixed": "In a batch of {n}, samples differ from themselves alone by {far} of the largest number, "
    "without any mask.",
    "examine.batch.shared": "The argument {name} has no place for a mask of each sample.",
    "examine.batch.one": "It has one head, and no batch of at least 2 samples can be as large.",
    "examine.batch.unknown": "Nothing says how many heads it has. An argument or attribute such as n_heads would.",
    "examine.todo.batch": "Give a mask of three dimensions a place for the heads, mask.unsqueeze(1), or refuse it.",
    # Rows
    "examine.rows.passed": "Returned weights {shape}: sums from {least} to {most}.",
    "examine.rows.seen": "Weights within the module {shape}, which returns none: sums from {least} to {most}.",
    "examine.rows.columns": "The columns sum to 1, and the rows to {least} … {most}: the softmax runs over the queries.",
    "examine.rows.heads": "The heads sum to 1, and the rows to {least} … {most}: the softmax runs over the heads.",
    "examine.rows.failed": "The rows sum to {least} … {most}.",
    "examine.rows.none": "It returns no weights, and no softmax was seen within.",
    "examine.todo.rows_axis": "Take the softmax over the keys: dim=-1 of (batch, head, query, key).",
    "examine.todo.rows": "Scale and mask before the softmax, and leave the weights alone after it.",
    "examine.todo.rows_none": "Return the weights beside the output, or use torch.softmax. "
    "scaled_dot_product_attention shows none.",
    # Parity
    "examine.parity.blocks": "In float64 it differs from torch.nn.MultiheadAttention with its weights by {far} of "
    "the largest number, with {n} heads. Taken were {names}.",
    "examine.parity.by_head": "In float64 it differs from torch.nn.MultiheadAttention with its weights by {far} of "
    "the largest number, with {n} heads; query, key and value of a head stand together in one matrix. Taken were "
    "{names}.",
    "examine.parity.interleaved": "In float64 it differs from torch.nn.MultiheadAttention with its weights by {far} "
    "of the largest number, with {n} heads; columns are dealt out to the heads one by one, which is the same "
    "function. Taken were {names}.",
    "examine.parity.grouped": "In float64 it differs from torch.nn.MultiheadAttention with its weights by {far} of "
    "the largest number, with {n} heads. Heads of keys and values: {n_kv}, each repeated for the heads that share it. "
    "Taken were {names}.",
    "examine.parity.no_scale": "It differs by {far}, and agrees where the scores are not divided by sqrt(d_k), d_k = "
    "{d_k}: the division is missing.",
    "examine.parity.twice": "It differs by {far}, and agrees where the scores are divided by sqrt(d_k) twice, d_k = "
    "{d_k}.",
    "examine.parity.merged": "It differs by {far}, and agrees where the heads are merged without transposing them "
    "back: tokens and heads are mixed.",
    "examine.parity.split": "It differs by {far}, and agrees where the vectors are split with view(batch, heads, "
    "token, d_k): tokens and heads are mixed.",
    "examine.parity.queries": "It differs by {far}, and agrees where the softmax runs over the queries.",
    "examine.parity.heads": "It differs by {far}, and agrees where the softmax runs over the heads.",
    "examine.parity.failed": "It differs by {far} of the largest number, with {n} heads. Taken were {names}.",
    "examine.parity.none": "Not found among its parameters: {missing}. It has: {names}.",
    "examine.parity.shapes": "W_Q, W_K, W_V and W_O were found, but their shapes do not fit {n} heads on d_model "
    "{d_model}: {names}.",
    "examine.parity.raises": "It does not run in float64: {reason}.",
    "examine.todo.parity_scale": "Divide the scores by sqrt(d_k) once, and not by sqrt(d_model).",
    "examine.todo.parity_merged": "Write head_output.transpose(1, 2).reshape(batch, token, d_model).",
    "examine.todo.parity_split": "Write view(batch, token, heads, d_k).transpose(1, 2).",
    "examine.todo.parity_shapes": "Compared are W_Q and W_O of d_model × d_model, with W_K and W_V as large, or smaller "
    "by whole heads that the others can share evenly.",
    "examine.todo.parity": "If more is meant than softmax(Q K^T / sqrt(d_k)) V and W_O, such as rotated positions, a "
    "residual or a LayerNorm, it must differ. Otherwise compare step by step: projections, scores, weights, merged "
    "heads.",
    "examine.todo.parity_none": "Names such as W_q, q_proj, query or in_proj and W_o, out_proj or dense are found. A "
    "module without W_O cannot be compared.",
    # Numbers
    "examine.gradients.passed": "Gradient to weight of {n} matrices, for a random target: from {least} "
    "({least_name}) to {most} ({most_name}).",
    "examine.gradients.dead": "No gradient arrives at {n} of the matrices: {names}.",
    "examine.gradients.nan": "NaN or infinite gradients: {names}.",
    "examine.gradients.vanished": "Gradient to weight reaches {most} ({most_name}), but only {least} at {least_name}.",
    "examine.gradients.raises": "It ended with {reason}.",
    "examine.gradients.none": "It has no matrices that learn.",
    "examine.todo.gradients": "Look for detach, no_grad, .data or item() on the way, for parameters that forward "
    "never uses, and for scores so large that the softmax saturates.",
    "examine.todo.gradients_nan": "Look for rows of -inf before the softmax and for a division by 0.",
    "examine.half.passed": "It runs in {dtype} and differs from float32 by {far} of the largest number. No mask was "
    "tried.",
    "examine.half.masked": "It runs in {dtype}, with a mask, and differs from float32 by {far} of the largest number.",
    "examine.half.raises": "In {dtype} it ended with {reason}.",
    "examine.half.nan": "In {dtype} {n} of {all} numbers of the output are NaN or infinite.",
    "examine.half.far": "In {dtype} it differs from float32 by {far} of the largest number; rounding explains {most}.",
    "examine.half.missing": "PyTorch cannot compute it here in {dtype}: {reason}.",
    "examine.todo.half": "Hide with -inf or torch.finfo(scores.dtype).min: -1e9 is too large for float16. Keep "
    "scores small: float16 ends at 65,504. Make new tensors with the dtype of the input.",
    "examine.device.meta": "All that it keeps and makes lies where its input does. Tried on PyTorch's device meta, "
    "for there is no GPU here.",
    "examine.device.cuda": "All that it keeps and makes lies where its input does: it runs on the GPU.",
    "examine.device.value": "Without a mask all lies where the input does. With one the code asks for a value, which "
    "the device {place} does not hold.",
    "examine.device.mixed": "The operation {operation} got tensors of different devices: {places}.",
    "examine.device.raises": "On the device {place} it ended with {reason}.",
    "examine.device.needs_value": "The code asks for a value, which PyTorch's device meta does not hold: {reason}.",
    "examine.todo.device": "Keep tensors with register_buffer, and make new ones with device=x.device.",
    "examine.repeat.passed": "The same input three times in eval gives the same output to the last digit.",
    "examine.repeat.failed": "The same input three times in eval gives outputs that differ by {far} of the largest "
    "number.",
    "examine.todo.repeat": "Drop only while training: nn.Dropout as a part of the module, or functional.dropout with "
    "training=self.training.",
    "examine.training.passed": "With every dropout off, training and eval differ by {far}; with it by {dropped} of "
    "the largest number.",
    "examine.training.no_dropout": "Training and eval differ by {far} of the largest number; it drops nothing.",
    "examine.training.failed": "With every dropout off, training and eval still differ by {far} of the largest number.",
    "examine.todo.training": "Look for what asks self.training, and for layers such as BatchNorm that act otherwise "
    "in eval.",
}
