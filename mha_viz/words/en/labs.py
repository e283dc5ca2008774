"""English: the labs, whatever they train."""

LABS: dict[str, str] = {
    "labs.start": "Run here",
    "labs.again": "Run again",
    "labs.help": "Runs in a process of its own on this server, at low priority: nobody's pages wait for it. It ends when you "
    "stop it or close the page, and keeps what is done. Loading the page anew forgets it: save it first.",
    "labs.running": "{percent} % done",
    "labs.waiting": "waiting for {n} other",
    "labs.so_far": "Results so far: {n}, after {seconds} s.",
    "labs.own": "Yours, in {seconds} s. Results: {n}.",
    "labs.own_part": "Yours, stopped after {seconds} s. Results: {n}.",
    "labs.other": "Another run of yours goes on, with other choices than these: {lab} ({percent} % done).",
    "labs.stop_other": "Stop it",
    "labs.save": "Save as JSON",
    "labs.stored": "Made before, seeds: {seeds}. {date}, {machine}, PyTorch {torch}. Your own stands here once you run it.",
    "trials.seed": "{name}, one seed",
    "trials.half": "± {half:.4f}",
    "trials.hover": "{name}: <b>{value}</b>{more}<extra></extra>",
    "command.lab": "trains or measures something and writes the figures",
    "command.lab.what": "Runs one of the labs. What the app shows before anybody has trained was made with these commands.",
    "command.lab.default": "by default: {values}",
    "command.lab.out": "a JSON file for the result; without it the rows are only told",
    "command.lab.written": "{path}: {n} rows",
    "error.lab": "There is no lab {got}. There are: {allowed}.",
    "error.lab_option": "{name} cannot be {got}. Allowed: {allowed}.",
    "error.lab_option_unknown": "This lab has no option {got}. It has: {allowed}.",
    "error.lab_file": "{place} holds no result of a lab. Make it again with the command python -m mha_viz lab.",
    "error.lab_out": "{path} is a folder. Name a file for the result, such as result.json.",
    "error.lab_stored": "The result that should come with the app, {file}, cannot be read. Run it here instead, or fetch the "
    "file again: it belongs to this project's repository. The command that makes it begins python -m mha_viz lab {lab}.",
    "error.lab_ended": "The process of the lab {lab} ended before it was done, perhaps for want of memory. What was done is "
    "kept; run it again, or ask for less.",
    "error.lab_heads": "{n_heads} heads do not divide d_model {d_model}. Possible: {allowed}.",
    "error.lab_kv": "{n_kv} pairs of keys and values cannot be shared evenly by {n_heads} heads. Possible: {allowed}.",
    "lab.sweep": "a number of heads chosen by validation split, seeds and confidence intervals, on noisy look-ups",
    "lab.texts": "real text: what each number of heads reaches, at equal parameters, beside counts of words",
    "lab.shuffled": "real text: whether a net notices that the words of a text were shuffled, with positions and without",
    "error.lab_student": "A student of {got} heads cannot take over groups of the teacher's {n_heads} heads that are equally "
    "large. Possible: {allowed}.",
    "error.lab_layers": "Heads {heads} cannot stand evenly in {layers} layers. Choose a number of layers that divides one of "
    "the numbers of heads; 1 always does.",
    "lab.sharing": "heads that share W_K and W_V, or W_Q, on the look-ups: what is saved and what it costs",
    "lab.depth": "the same heads side by side or one after another in layers, on the look-ups",
    "lab.distil": "a look-up net with many heads teaches one with few",
    "lab.pitfalls": "every claim of the page of pitfalls tried, one after another",
    "lab.lookups": "several look-ups at once: what each number of heads reaches, at equal parameters",
    "lab.alike": "heads that are alike: distances, clusters, and regularisers that keep heads apart",
}
