"""English: exports, own weights and the command line. ``{name}`` is a place for a value."""

EXPORT: dict[str, str] = {
    # Own weights
    "own.name": "own weights",
    "error.own_tokens_kind": "The tokens are given as {got}; a list of texts, one for each token, is needed. Split a sentence "
    "first, for example with text.split().",
    "error.own_no_tokens": "There are no tokens. Give one text for each query.",
    "error.own_special": "special has {got} entries for {expected} tokens. Give one for each token, or none at all.",
    "error.own_no_weights": "There are no weights. If they come from a Hugging Face model, load it with "
    'attn_implementation="eager" and call it with output_attentions=True.',
    "error.own_kind": "The weights are of the kind {got}, which is no array of numbers. Give an array of NumPy or PyTorch, or "
    "nested lists of one length.",
    "error.own_axes": "The weights have the shape {got}; (layer, head, query, key) is needed, (head, query, key) for one "
    "layer, or (query, key) for one head. Take one sentence out of a batch, and leave out other axes.",
    "error.own_layers_differ": "The layers have weights of different shapes, {first} and {other}. All must have as many heads, "
    "queries and keys.",
    "error.own_batch": "The weights are of a batch of {got} sentences; one is shown at a time. Take one, for example "
    "[layer[:1] for layer in attentions].",
    "error.own_shape": "The weights have the shape {shape}: {n_query} queries and {n_key} keys, but there are {queries} and "
    "{keys} tokens for them. Give one token for each query, special ones too, and key_tokens if the keys are other tokens.",
    "error.own_too_many": "There are {got:,} tokens; at most {limit:,} can be shown. Give a shorter part.",
    "error.own_too_large": "There are {got:,} weights; at most {limit:,} can be shown. Give fewer layers or heads.",
    "error.own_not_number": "{count:,} weights of one layer are not numbers; the first is {got} at {where}. Weights are needed "
    "as they are after the softmax; a row without a key must be all 0.",
    "error.own_negative": "{count:,} weights of one layer are below 0; the first is {got:.3g} at {where}. Weights are needed "
    "as they are after the softmax, not the scores before it.",
    "error.own_row_sum": "{count:,} of {rows:,} rows do not sum to 1; the worst, {where}, sums to {got:.6g}, which is "
    "{apart:.2g} away (allowed: {tolerance:.0e}). Weights are needed as they are after the softmax, without dropout; a row "
    "without a key must be all 0.",
    "error.own_visible": "visible has the shape {got}, which does not fit the weights' {expected}. Give it as (query, key), or "
    "with the axes of the weights.",
    "error.own_hidden_weight": "There is a weight of {got:.3g} at {where}, where visible says that attending is not allowed. "
    "Correct one of them.",
    "error.own_output": "output has the shape {got}; ({n_tokens}, d_model) is needed, with a d_model that {n_heads} heads "
    "divide.",
    # Files of numbers
    "error.npz_file": "The file {name} cannot be opened: {reason}. Check its name and place.",
    "error.npz_unreadable": "The file {name} cannot be read as NPZ: {reason}. It may be damaged, of another kind, or hold "
    "pickled objects, which are never opened. Write it with numpy.savez, or export it again.",
    "error.npz_too_large": "The arrays of {name} take {got:,} bytes; at most {limit:,} are read. Store fewer layers.",
    "error.npz_arrays": "The file {name} has of the arrays that are known only: {got}. It needs at least weights (layer, head, "
    "query, key) and tokens (one text each).",
    "error.npz_masks": "The masks of this file stand within one another more than {most} deep; no view needs so many. "
    "Export it again.",
    "error.npz_contradicts": "The parts of {name} contradict one another: {what} has not the shape or the numbers that the "
    "others ask for. Export it again, or leave out all but weights and tokens.",
    "error.npz_not_numbers": "The array {what} of the file holds NaN or infinity. Leave the array out, or export the run again.",
    "error.npz_newer": "The file {name} is of the format {got}, and this version reads {known}. Use the version that wrote it.",
    "error.npz_reading": "The file {name} holds a reading ({level}, {specials}), whose rows need not sum to 1, and no run. "
    "Open it with read_npz, or export the run itself.",
    "error.export_file": "The file {path} cannot be written: {reason}. Nothing is left of it. Choose another place, or make "
    "room.",
    "error.export_ending": "The name {got} does not say which kind of file it is to be. Let it end with one of: {known}.",
    "error.export_rows_csv": "This table would have {got:,} rows; a spreadsheet takes {limit:,}. Choose fewer layers, heads or "
    "queries, or take NPZ or Parquet, which are smaller too.",
    "error.export_rows_parquet": "This table would have {got:,} rows; at most {limit:,} are written. Choose fewer layers or "
    "heads, or take NPZ.",
    "error.export_rows_json": "This file would have {got:,} weights; JSON is written with at most {limit:,}. Choose fewer "
    "layers, heads or queries, or take NPZ or Parquet.",
    "error.export_view": "There is no view called {got} to write in Python. There are: {allowed}.",
    "error.lines_layout": "There is no layout of lines called {got}. There are: {allowed}.",
    # Pictures
    "error.picture_scale": "The scale is {got}; {low} to {high} are allowed. 2 suits most papers and slides.",
    "error.picture_large": "The picture would be {got:,} pixels long; a browser draws at most {limit:,}. Take a scale of at "
    "most {scale:.2g}, or SVG, PDF or HTML.",
    "error.no_kaleido": "PNG, SVG and PDF need the package kaleido, which is not installed. Run make setup-again, or take HTML.",
    "error.no_chromium": "PNG, SVG and PDF are drawn by Chromium or Chrome, and none was found here. Install one (on Debian: "
    "apt-get install chromium), name one in BROWSER_PATH, or take HTML, which needs none.",
    "error.picture_failed": "The browser could not draw the picture: {reason}. Try once more, or take HTML, which needs none.",
    "print.title": "Where heads read",
    # Captions
    "caption.model": "{name}, revision {revision}",
    "caption.head": "{head} of {model}; rows are queries, columns are keys.",
    "caption.layer": "All heads of L{layer} of {model}; rows are queries, columns are keys.",
    "caption.all": "All heads of {model}; rows are queries, columns are keys.",
    "caption.heads": "{heads} of {model}.",
    "caption.text": "Sentence: “{text}”.",
    "caption.pair": "Sentences: “{text}” and “{pair}”.",
    "caption.temperature": "Temperature: {temperature}.",
    "caption.mask": "Mask: {mask}.",
    "caption.no_mask": "none",
    "caption.and": " and ",
    "caption.or": " or ",
    "caption.not": "not ({mask})",
    "caption.painted": "Painted ({count} cells hidden)",
    "caption.where": "Mask and temperature act in: {where}.",
    "caption.silenced": "Silenced: {heads}.",
    "caption.uniform": "Made uniform: {heads}.",
    "caption.more": "{names} and {more} more",
    "caption.read.words.raw": "By words: to a word the sum over its pieces, from a word their mean.",
    "caption.read.words.hidden": "By words, without special tokens; rows do not sum to 1.",
    "caption.read.words.renormalised": "By words, without special tokens, rows divided by what is left.",
    "caption.read.pieces.hidden": "Without special tokens; rows do not sum to 1.",
    "caption.read.pieces.renormalised": "Without special tokens, rows divided by what is left.",
    "caption.made": "{name} {version}.",
    # Print twins
    "print.own_end": "own largest",
    "print.more_heads": "and {count} more",
    # Commands
    "command.run": "run a model on a sentence and write a picture or the numbers",
    "command.run.what": "Runs a model on a sentence and writes what its heads read into a file: all heads as thumbnails, all "
    "heads of a --layer, or one --head of it; or the numbers.",
    "command.run.model": "{sources}, a model's id on the Hugging Face Hub that is on this computer, or folder:NAME (toy)",
    "command.run.revision": "commit of a model of the Hub",
    "command.run.text": "the sentence",
    "command.run.pair": "a second sentence",
    "command.run.cut": "read the first part of a text that is too long",
    "command.run.out": "where to; the ending says what: {known}",
    "command.run.layer": "layer, from 0; of numbers only this one",
    "command.run.head": "head, from 0; of numbers only this one",
    "command.run.temperature": "scores are divided by it, 0 to inf (1)",
    "command.run.mask": "a mask, such as causal, window:2 or dilated:radius=2,step=3; not- before it turns it round; may be "
    "given several times",
    "command.run.join": "whether all of several masks must let a key be seen, or any one (all)",
    "command.run.silence": "heads whose output is 0, such as L0H3",
    "command.run.level": "rows and columns as pieces or as words (pieces)",
    "command.run.specials": "special tokens as they are, hidden, or hidden with rows renormalised (raw)",
    "command.run.scale": "of PNG: screen pixels for each pixel (2)",
    "command.run.device": "auto, cpu, cuda, cuda:1 or mps (auto)",
    "command.app": "start the app",
    "command.app.what": "Starts the app in a browser; Ctrl+C stops it.",
    "command.app.port": "its port; the next free one from 8501 if none is given",
    "command.app.address": "where it can be reached from (localhost: this computer only)",
    "command.app.headless": "open no browser",
    "command.written": "Wrote {path} ({size}).",
    "command.stopped": "Stopped.",
    "error.command_text": "The text is empty. Give a sentence with --text.",
    "error.command_mask": "There is no mask called {got}. There are: {allowed}; not- before one turns it round.",
    "error.command_mask_value": "The mask {mask} cannot take {got}. It takes numbers for: {allowed}, in this order or each "
    "with its name, as in dilated:radius=2,step=3.",
    "error.command_head": "{got} is no head. Write its layer and its number, both from 0, as in L3H7.",
    "error.command_layer": "Head {head} of which layer? Give --layer as well.",
    "error.command_folder": "There is no folder {folder}. Make it first, or write elsewhere.",
    "error.command_revision": "{name} has no revisions. Leave --revision out, or give a model of the Hub.",
    "error.command_app": "The app's own file {path} is not here: only the package was copied. Take the whole repository.",
    "error.command_port": "The port is {got}; {low} to {high} are allowed. Leave it out to have the next free one.",
    # Citation and Python
    "cite.plain": "{name}, version {version} ({year}). Software that shows multi-head attention.",
    "cite.title": "{name}: software that shows multi-head attention",
    "python.import": "import mha_viz",
}
