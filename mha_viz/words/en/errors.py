"""English: errors: what was wrong, what was got, what is allowed, what to do next. ``{name}`` is a place for a value."""

ERRORS: dict[str, str] = {
    "error.colour": "There is no colour scale called {got}. There are: {allowed}.",
    "error.runs_differ": "The runs have weights of the shapes {before} and {after}; only runs of one model on one "
    "sentence can be compared. Run both on the same sentence.",
    "error.reading": "There is no reading {got}. There are: {allowed}.",
    "error.only_special": "This sentence has special tokens only, and they are left out, so that nothing is left to show. Show "
    "special tokens, or type some words.",
    "error.empty_text": "Type a sentence above, or take one of the examples.",
    "error.no_tokens": "{name} finds nothing to read in this text: it holds only characters that it skips. Type "
    "some words.",
    "error.too_many_characters": "The text has {got:,} characters; at most {limit:,} are read. Shorten it, or let "
    "it be cut.",
    "error.too_many_tokens": "The text has {got:,} tokens; the model reads at most {limit:,}. Shorten it, or let it "
    "be cut.",
    "error.sequence_too_long": "The sequence has {got:,} tokens; the model reads at most {limit:,}. Tokenize with "
    "cut=True.",
    "error.heads_divide": "{n_heads} heads cannot share d_model = {d_model} evenly. Head counts that can: {allowed}.",
    "error.spec_positive": "{what} is {got}; it must be at least 1.",
    "error.d_model": "d_model is {got}; the toy allows {low} to {high}. Choose one of these.",
    "error.seed": "The seed is {got}; it must be a whole number from 0. Choose one of these.",
    "error.toy_weights": "The toy has no weights called {got}. It has: {allowed}.",
    "error.temperature": "The temperature is {got}; it must be a number from 0 to infinity. 1 changes nothing.",
    "error.mask_kind": "The mask is a {got}; it must be one of the mask records, or several of them joined with &.",
    "error.painted": "The painted mask {got}… cannot be read. Paint it again, or take it out of the link.",
    "error.mask_parameter": "The mask {mask} got {parameter} = {got}; whole numbers from {low} to {high} are allowed.",
    "error.below_0": "Layers and heads count from 0; {got} is none. Choose a number from 0.",
    "error.no_such_head": "{got}: {name} has layers 0 to {layers} and heads 0 to {heads}. Choose one of these.",
    "error.no_such_layer": "There is no layer {got}: {name} has layers 0 to {last}. Choose one of these.",
    "error.no_such_token": "There is no token at position {got}; positions go from 0 to {last}. Choose one of these.",
    "error.heads_kept": "Heads to keep: {got}. At least one is needed, from 0 to {last}.",
    "error.no_such_source": "There is no model source called {got}. There are: {allowed}. A model of the Hugging Face Hub is "
    'opened as "hub", with its id as model.',
    "error.no_such_option": "The source {name} has no option {got}. It has: {allowed}.",
    "error.model_unreadable": "{name} cannot be read: {reason}. Check its files, or choose another model.",
    "error.layers_recorded": "{name} sent {got} attention layers through the kernel; it should have been "
    "{expected}. This model is not supported; choose another.",
    "error.lengths": "{what} has {got} entries for {expected} tokens. This is a mistake of the program; please "
    "report it.",
    "error.shape": "{what} has the shape {got}; it should be {expected}. This is a mistake of the program; please "
    "report it.",
    "error.projection_partial": "The layer's record has {got} of x, W_Q, W_K, W_V and W_O; it should have all {expected} or "
    "none. This is a mistake of the program; please report it.",
    "error.projection_differs": "x times {what} differs by {got:.1e} from what the layer computed, whose largest entry "
    "is {size:.1e} (allowed share {tolerance:.0e}). Nothing is shown, since it would be wrong; please report it.",
    "error.stroke": "The stroke {got} is no rectangle of cells: first and last query and key from 0 to {last} are "
    "needed, and whether to hide them. Paint it again.",
    "error.checks_failed": "The weights of this run are not right: rows miss 1 by up to {row_sum_error:.1e} "
    "(allowed {tolerance:.0e}), {hidden_weight:.1e} of weight on hidden cells, {not_numbers} values that are not "
    "numbers, mode {mode}. Nothing is shown, since it would be wrong; please report it.",
}
