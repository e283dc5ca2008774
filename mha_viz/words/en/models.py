"""English: models that cannot be used, devices, settings. ``{name}`` is a place for a value."""

MODELS: dict[str, str] = {
    "error.setting": "The setting {name} is {got}; allowed: {allowed}. Change it in the environment and start the app "
    "again.",
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
    "error.head_width": "{name} has {n_heads} heads of width {got}, which together are not d_model = {d_model}. "
    "Only models whose heads share d_model evenly can be shown; choose another.",
    "error.config_limit": "{name} has {what} = {got:,}; at most {limit:,} can be shown. Choose a smaller model.",
    "error.config_numbers": "The config.json of {name} cannot be right. {reason} Choose another model.",
}
