"""English: models that cannot be used, devices, settings. ``{name}`` is a place for a value."""

MODELS: dict[str, str] = {
    "error.setting": "The setting {name} is {got}; allowed: {allowed}. Change it in the environment and start the app "
    "again.",
    "error.setting_unknown": "There is no setting {got}, so it would change nothing. There are: {allowed}. Correct it in the "
    "environment and start the app again.",
    "error.setting_folder": "The setting MHA_VIZ_FOLDERS names {got}, which is no folder. Change it in the environment "
    "and start the app again.",
    # What a config.json says
    "error.config_unreadable": "{name} has no readable config.json, so nothing is known of it. Choose a model saved by "
    "transformers.",
    "error.remote_code": "{name} needs program code of its own, which is never run here. Choose a model that "
    "transformers knows by itself.",
    "error.encoder_decoder": "{name} ({model_type}) is an encoder with a decoder; only models with one of them can be "
    "shown. Choose a BERT, RoBERTa, ELECTRA, ALBERT, DistilBERT or GPT-2.",
    "error.not_attention": "{name} ({model_type}) has no attention heads that its config.json tells of. Choose a BERT, "
    "RoBERTa, ELECTRA, ALBERT, DistilBERT or GPT-2.",
    "error.own_attention": "{name} ({model_type}) computes its attention in a way of its own, so that no mask or temperature "
    "could act inside it. Choose a BERT, RoBERTa, ELECTRA, ALBERT, DistilBERT or GPT-2.",
    "error.head_width": "{name} has {n_heads} heads of width {got}, which together are not d_model = {d_model}. "
    "Only models whose heads share d_model evenly can be shown; choose another.",
    "error.config_limit": "{name} has {what} = {got:,}; at most {limit:,} can be shown. Choose a smaller model.",
    "error.config_numbers": "The config.json of {name} cannot be right. {reason} Choose another model.",
    # Where it runs
    "error.device": "There is no device called {got}. Allowed: {allowed}.",
    "error.dtype": "There is no precision called {got}. Allowed: {allowed}.",
    "error.toy_dtype": "The toy calculates in float32 only, not in {got}: the scores of its designed heads are too large "
    "for half the precision. Choose float32.",
    "error.no_such_device": "This computer has no device {got}. It has: {allowed}. Choose one of these.",
    "error.out_of_memory": "There is not enough memory for this run, not even on the CPU; what it had taken is free again. "
    "Shorten the text, choose a smaller model, or close other programs.",
    "error.too_big": "{name} needs about {needed:.1f} GB of memory, and {device} has {free:.1f} GB free. Choose a smaller "
    "model or another device, or close other programs.",
    "error.not_here": "{name} is not on this computer yet. Fetch it first: in the app with a click, from Python with "
    "mha_viz.fetch_model.",
    # Loading and proving
    "proof.text": "The cat sat on the mat, and it was 42.",
    "error.tokenizer_unreadable": "The tokenizer of {name} cannot be read: {reason}. Check its files, or choose another "
    "model.",
    "error.weights_missing": "{name} lacks {count} of the weights that its attention needs, {first} for one; made-up "
    "ones would show heads that nobody trained. Choose another model.",
    "error.vocabulary": "The tokenizer of {name} knows the token number {got}, and its weights end at {last}: the two do not "
    "belong together. Choose another model.",
    "error.cannot_run": "{name} cannot be run on a plain text: {reason}. Choose another model.",
    "error.no_weights": "{name} gives no attention weights in Hugging Face's own eager run, so nothing here could be "
    "checked. This model is not supported; choose another.",
    "error.differs": "{name} does something of its own in its attention: its weights differ by {got:.1e} from Hugging "
    "Face's eager run ({tolerance:.0e} is allowed). It would be shown wrong, so it is not shown; choose another.",
    "error.own_mask": "{name} hides tokens by a rule of its own, for example all that are far away, and not only what comes "
    "after a token. This model is not supported; choose another.",
    "error.no_merge": "In {name} no matrix takes the joined output of the heads, so that a layer could not be explained "
    "to its end. This model is not supported; choose another.",
    "error.no_answers": "{name} has no output layer, so it has no answers to name.",
    "check.eager": "Hugging Face's eager attention",
    "check.torch": "torch.nn.MultiheadAttention",
    # Checked against the code of others
    "agreement.hugging_face": "Check against Hugging Face",
    "agreement.hugging_face.help": "Runs the same sentence through Hugging Face's own eager attention, on the same "
    "weights, and shows the largest difference over all layers and heads.",
    "agreement.toy": "Check against PyTorch",
    "agreement.toy.help": "Runs the same vectors through PyTorch's own attention module, with the same matrices, and shows "
    "the largest difference over all heads.",
    "agreement.running": "Running it there",
    "agreement.equal": "{reference}: the same weights to the last digit, in all layers and heads; the output differs by "
    "{output}.",
    "agreement.passed": "{reference}: the weights differ by at most {weights} (in {head}; allowed {tolerance}), the output by "
    "{output}.",
    "agreement.failed": "{reference}: the weights differ by up to {weights} (in {head}), more than the {tolerance} allowed; the "
    "output by {output}. Please report it.",
    "agreement.masked": "The mask acted in both.",
    "agreement.unchanged": "Compared was the model without your controls: the other code has nothing to set them with.",
    # The device
    "place.title": "Runs on {device}",
    "place.title_in": "Runs on {device}, {dtype}",
    "place.auto": "Chosen by itself: {device}",
    "place.device": "Device",
    "place.dtype": "Precision",
    "place.float32": "Rows sum to 1 within a millionth. The reference.",
    "place.bfloat16": "Half the memory. Weights are right to about 1 part in 250: rows may miss 1 by 0.004, and the "
    "badge allows that.",
    "place.float16": "Half the memory. Weights are right to about 1 part in 2,000, but large scores can overflow: then "
    "nothing is shown.",
    # Choosing and fetching
    "controls.later": "The controls follow as soon as a model is here.",
    "hub.pick": "Model of the Hugging Face Hub",
    "hub.placeholder": "Choose one, or type an id",
    "hub.help": "Models on this computer come first. Any other id of huggingface.co can be typed; nothing is fetched "
    "before you say so.",
    "hub.list": "**Choose a model.** Its weights are fetched once, from the Hugging Face Hub, and stay on this computer; "
    "your sentences never leave it. Any other BERT, RoBERTa, ELECTRA, ALBERT, DistilBERT, GPT-2 or Llama can be typed into the "
    "field in the sidebar.",
    "hub.choose": "Choose",
    "hub.size": "about {megabytes} MB",
    "hub.is_here": "on this computer",
    "hub.language.en": "English",
    "hub.language.zh": "Chinese",
    "hub.language.many": "104 languages",
    "hub.asking": "Asking the Hugging Face Hub",
    "hub.again": "Ask again",
    "hub.other_version": "Use another version",
    "hub.facts": "{model_type}: {n_layers} layers of {n_heads} heads, d_model = {d_model}; up to {limit} tokens are read.",
    "hub.files": "{size} in all · version {revision} · {free} of disk free",
    "hub.kept": "{kept} of {size} are here already.",
    "hub.fetch": "Fetch {size}",
    "hub.fetch_again": "Fetch it again",
    "hub.connecting": "{done} of {total}, waiting for the Hub",
    "hub.cancelled": "Fetching was cancelled, here or by somebody else who uses this app. What has arrived is kept.",
    "hub.cancel": "Cancel",
    "hub.progress": "{done} of {total}, {speed} a second",
    # The commands
    "command.what": "See what multi-head attention does. The app itself starts with: make run",
    "command.doctor": "versions, devices, models, limits, and what can be reached",
    "doctor.python": "Python",
    "doctor.missing": "not installed; run: make setup-again",
    "doctor.browser": "draws pictures",
    "doctor.no_browser": "no Chromium or Chrome found: pictures leave as HTML only; install one, or name it in BROWSER_PATH",
    "doctor.cores": "cores",
    "doctor.memory": "memory",
    "doctor.free_of": "{free} of {all} free",
    "doctor.wrong": "WRONG",
    "doctor.device": "device",
    "doctor.free": "{free} free",
    "doctor.chosen": "runs on",
    "doctor.threads": "threads",
    "doctor.hub": "may be fetched",
    "doctor.folders": "folders",
    "doctor.none": "none",
    "doctor.resident": "models in memory",
    "doctor.largest": "largest model",
    "doctor.own": "own weights in the app",
    "doctor.limits": "limits",
    "doctor.limits_are": "{layers} layers, {heads} heads, {tokens} tokens",
    "doctor.model": "model",
    "doctor.no_minilm": "none in the package {package}; to retry: make setup-again",
    "doctor.version": "{size}, version {revision}",
    "doctor.cache": "fetched models",
    "doctor.free_on": "{place}, {free} of disk free",
    "doctor.reach": "Hugging Face Hub",
    "doctor.offered": "reachable; {name} has {size}",
}
