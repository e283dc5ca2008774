"""English: a file of weights in place of a model, on the pages. ``{name}`` is a place for a value."""

OWN: dict[str, str] = {
    "source.own": "Own",
    "own_page.none": "No file yet",
    "own_page.gone": "a file that is no longer here",
    "own_page.facts": "{n_layers} layers of {n_heads} heads, {n_tokens} tokens",
    "own_page.other": "Another file",
    "own_page.later": "The controls follow as soon as a file is here.",
    "own_page.close": "Close",
    "own_page.title": "**Weights of your own:** every view of them, without a model. They stay in the app's memory.",
    "own_page.upload": "One NPZ file",
    "own_page.upload.help": "It is read as numbers and text only: pickled objects, which could run code, are never opened.",
    "own_page.holds": "It holds `weights`, numbers after the softmax, (layer, head, query, key), each row of which sums to 1 or "
    "is all 0; and `tokens`, one text for each query, which are the keys too. It may hold `visible`, true where attending is "
    "allowed, and `output`, (query, d_model). Or it is an NPZ that was saved here with *Save or share*.",
    "own_page.example": """import numpy as np

tokens = ["the", "cat", "sat"]
weights = np.full((2, 4, 3, 3), 1 / 3, dtype=np.float32)  # 2 layers of 4 heads
np.savez("weights.npz", weights=weights, tokens=tokens)""",
    "own_page.hugging_face": 'Of a model of Hugging Face, loaded with `attn_implementation="eager"`:',
    "own_page.hugging_face.example": """found = model(**inputs, output_attentions=True)
weights = torch.cat(found.attentions).float().numpy()  # of one sentence: each is (1, head, query, key)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
np.savez("weights.npz", weights=weights, tokens=tokens)""",
    "own_page.counts": "{n_tokens} tokens · {special} special · {unknown} unknown",
    "own_page.from": "from the file {name}",
    "own_page.caption": "Layer {layer}, head {head}, from your file. Choose another head in the sidebar, or "
    "another page.",
    "own_page.link": "Opens this very view as long as the app runs and keeps the file; afterwards it asks for the file again. "
    "The button at the right copies it.",
    "own_page.link_inside": "The link says {name} = {got}, which needs a model; weights from a file hold none, and it "
    "is left out.",
    # What cannot be shown
    "own_page.no.masks": "Masks, temperature and the stages before the softmax act inside a model. Weights from a file hold "
    "none: they are shown as they are. What they hide is hatched on the other pages.",
    "own_page.no.change": "Heads are switched off, tokens changed and heads ranked by importance by running a model again. "
    "Weights from a file hold none.",
    "own_page.no.splitting": "The splitting shows X, the projections and the scores of a model's layer. Weights from a file hold "
    "none of them.",
    "own_page.no.probes": "Probes are sentences that a model reads. Weights from a file hold no model, and one sentence only.",
    "own_page.no.stages": "The stages begin with queries, keys and scores of a model's layer. Weights from a file hold none.",
    "own_page.no.vectors": "This file holds no queries and keys. An NPZ that was saved here with a model's run does.",
    "own_page.no.outputs": "This file holds no outputs of the heads, so that they can be placed by their weights only. An NPZ "
    "that was saved here with a model's run holds them.",
    "own_page.no.norms": "The norms of what a head writes need the output matrix W_O of a model. Weights from a file hold none.",
    "own_page.no.set": "Over other sentences a model must read them. Weights from a file hold no model.",
    "own_page.no.agreement": "as the file has them: there is no model to run them again",
    # Errors
    "error.own_none": "No file of weights is chosen.",
    "error.own_gone": "The file of this link ({digest}…) is not here: the app was started again since, or other files took its "
    "place. Give it once more, and the link shows the same view.",
    "error.own_off": "Files of weights are not opened by this app: the person who started it has set MHA_VIZ_OWN=off.",
    "error.own_local": "Files of weights are opened only where the app can be reached from its own computer alone, and this one "
    "listens on {got}. Start your own with make run; or whoever starts this one may set MHA_VIZ_OWN=any.",
    "error.own_no_model": "{name} is a file of weights: there is no model that could be run again. Choose a model at the top of "
    "the page.",
    "error.own_page_keys": "The keys of {name} are other tokens than its queries. The pages show attention of a sentence to "
    "itself only; from Python, head_heatmap and print_lines of mha_viz.figures draw both.",
    "error.own_page_size": "{name} has {layers:,} layers of {heads:,} heads and {tokens:,} tokens; the pages show at most "
    "{most_layers} layers of {most_heads} heads and {most_tokens} tokens. Store fewer.",
}
