"""English: the page through. ``{name}`` is a place for a value."""

THROUGH: dict[str, str] = {
    "page.through": "Through layers",
    "page.through.door": "Follow attention through the layers",
    "page.through.help": "Rollout, attention flow, norm-based weights, and the average of any heads.",
    "through_view.rollout": "Rollout",
    "through_view.flow": "Flow",
    "through_view.norms": "Norm-based",
    "through_view.average": "Average",
    "through.layer": "After layer",
    "through.one_layer": "This model has one layer: what follows is after that one.",
    # Rollout
    "through.rollout_title": "**Rollout** after layer {layer}: how much of each input token is in each token",
    "through.rollout_alt": "Heatmap of rollout after layer {layer}: {n_tokens} tokens in rows, {n_tokens} input tokens in "
    "columns.",
    "through.hover": "{query} has of {key}: <b>{weight}</b>",
    "through.outshone": "The largest share is more than {times} times the middle one: most of the picture is nearly one colour.",
    "through.residual": "Each layer's heads are averaged, half of a token stays what it was (the residual connection), and the "
    "layers are multiplied. Only weights are followed: values, LayerNorm and the feed-forward layers are not in it.",
    "through.rows_one": "**{token}** after each layer: what it has of the input",
    "through.rows_all": "**All tokens, averaged**, after each layer: what they have of the input. Follow one token to see "
    "its own.",
    "through.rows_alt": "Heatmap of {n_layers} layers in rows, {n_tokens} input tokens in columns.",
    "through.rows_some": "Shown: the {shown} of {n_tokens} input tokens with the largest shares.",
    "through.alike": "Rows become alike with depth: they differ by {first} after layer 0, by {now} after layer {layer} (standard "
    "deviation within a column, averaged over the columns).",
    "through.not_alike": "Here rows have not become more alike: they differ by {first} after layer 0, by {now} after layer "
    "{layer} (standard deviation within a column, averaged over the columns).",
    "through.apart": "Rows differ by {now} (standard deviation within a column, averaged over the columns). With more layers "
    "they usually become alike.",
    "through.early": "No token sees what comes after it, so early tokens lie on more paths than late ones: rollout and flow "
    "favour them, whatever the words are.",
    # Flow
    "through.flow_title": "**Flow** after layer {layer}: how much of each input token can get to each token",
    "through.flow_alt": "Heatmap of attention flow after layer {layer}: {n_tokens} tokens in rows, {n_tokens} input tokens in "
    "columns.",
    "through.pipes": "The same layers as rollout, as pipes: the weights are their widths, and flow is the most that all paths "
    "between two tokens carry together. Each row is divided by its sum.",
    "through.even": "In {where}, entries go from {low} to {high}; even would be {even}.",
    "through.even_all": "all rows",
    "through.even_one": "the row of {token}",
    # Norms
    "norm_scope.head": "The chosen head",
    "norm_scope.layer": "The whole layer",
    "through.norms_head": "**Layer {layer}, head {head}:** how much a token is attended to, and how much is taken from it",
    "through.norms_layer": "**Layer {layer}, all heads:** how much a token is attended to, and how much is taken from it",
    "through.norms_alt": "Two heatmaps of layer {layer} side by side: weights, and norms of what is taken.",
    "through.weights": "weight α",
    "through.mean_weights": "mean weight α",
    "through.norms_of_head": "norm ‖α f(x)‖",
    "through.norms_of_layer": "norm ‖Σ α f(x)‖",
    "through.norms_what": "f(x) is what a head writes for a token: its value times the head's rows of W_O. A large weight on a "
    "short f(x) takes little. For the layer the heads' f(x) are added first, so heads can cancel. The residual connection is not "
    "in it.",
    "through.specials": "special tokens",
    "through.sink": "{token}, most attended",
    "through.share_weights": "{what}: share of the weights",
    "through.share_norms": "{what}: share of the norms",
    "through.share_even": "even: {even}",
    "through.less": "{what}: {weights} of the weights, but {norms} of the norms. What is handed over there is short, so a large "
    "weight takes little; Kobayashi et al. 2020 found this of special tokens in BERT.",
    "through.not_less": "{what}: {weights} of the weights and {norms} of the norms. Here short vectors do not undo the weight, "
    "as Kobayashi et al. 2020 found of special tokens in BERT.",
    "through.little": "{what}: {weights} of the weights, no more than their even share ({even}), and {norms} of the norms.",
    "through.no_share": "Nothing is taken from any token here, so there are no shares.",
    "through.no_matrix": "This model has no output matrix W_O of its own in each layer, so the norms of what a head writes "
    "cannot be computed. Rollout, flow and averages need only weights.",
    # Average
    "through.heads": "Heads to average",
    "through.heads_all": "All heads of layer {layer}",
    "through.average_title": "**Average of {n_heads} heads**",
    "through.average_layer": "**Average of all {n_heads} heads of layer {layer}**",
    "through.average_alt": "Heatmap of the average of {n_heads} heads: {n_tokens} queries in rows, {n_tokens} keys in columns.",
    "through.average_what": "The plain mean of the chosen heads' weights. Averaging hides what single heads do: a head that "
    "always reads the previous token fades among others.",
    "figure.share": "share",
    "figure.hover_after": "after {layer}, of {key}: <b>{weight}</b>",
}
