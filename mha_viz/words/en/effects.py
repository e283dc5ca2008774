"""English: which heads matter, what changes in the answer, and edits of tokens. ``{name}`` is a place for a value."""

EFFECTS: dict[str, str] = {
    # How much heads matter
    "importance.method.gradient": "Gradient",
    "importance.method.gradient.how": "How fast the loss changes with the head's gate, |dL/dgate|",
    "importance.method.zero": "Silenced",
    "importance.method.zero.how": "How much the loss changes when the head's output is 0",
    "importance.method.uniform": "Made even",
    "importance.method.uniform.how": "How much the loss changes when the head's weights are even",
    "importance.method.weight": "Mean weight",
    "importance.method.weight.how": "The mean of the head's weights; rows sum to 1, so that it is 1 / number of tokens for "
    "every head and tells nothing",
    "importance.loss.masked": "cross entropy of a masked word",
    "importance.loss.class": "cross entropy of the class that the model itself finds most likely",
    "importance.loss.pair": "1 − cosine of the mean-pooled embeddings of two sentences",
    "importance.loss.even": "1 − cosine of the mean-pooled embedding and that of the same sentence with all heads made even",
    "importance.loss.turned": "1 − cosine of the mean-pooled embedding and what it is with nothing changed",
    "importance.no_loss": "none",
    "importance.what": "{how}. Loss: {loss}. Samples: {n_samples}.",
    "importance.agreement": "“{one}” and “{other}” rank the heads with a correlation of {agreement:.3f} (Spearman: 1 is the "
    "same order, 0 none in common).",
    "importance.agreement.none": "“{one}” and “{other}” have no ranks to compare: one of them is the same for every head.",
    "curve.lost": "The embedding's cosine to that with all heads falls below {cosine:g} once {count} of {total} heads are "
    "gone.",
    "curve.kept": "The embedding's cosine to that with all heads stays {cosine:g} or more with {count} of {total} heads gone.",
    # What changed in the answer
    "effect.embedding.same": "The embedding of the sentence did not change.",
    "effect.embedding": "The embedding of the sentence has a cosine of {cosine:.4f} to what it was; 1 would be unchanged.",
    "effect.embedding.none": "Nothing is left of the embedding of the sentence: it is 0.",
    "effect.fill.same": "Token {position} is still most likely {after}: {p_before:.3f} before, {p_after:.3f} now.",
    "effect.fill.other": "Token {position} was most likely {before} ({p_before:.3f}); now it is {after} ({p_after:.3f}).",
    "effect.next.same": "After token {position} still {after} is most likely: {p_before:.3f} before, {p_after:.3f} now.",
    "effect.next.other": "After token {position} {before} was most likely ({p_before:.3f}); now {after} is ({p_after:.3f}).",
    "effect.class.same": "The class is still {after}: {p_before:.3f} before, {p_after:.3f} now.",
    "effect.class.other": "The class was {before} ({p_before:.3f}); now it is {after} ({p_after:.3f}).",
    # A classifier on MiniLM's embeddings
    "spam.class.ham": "no spam",
    "spam.class.spam": "spam",
    "spam.what": "Spam or not, by a logistic regression on the mean-pooled embedding of {model}, trained for this app on "
    "{n_train:,} short messages in English. On {n_test:,} others: accuracy {accuracy:.3f}, balanced accuracy {balanced:.3f}, "
    "F1 of spam {f1:.3f}; always saying “no spam” would have an accuracy of {always:.3f}.",
    # Edits of tokens
    "edit.mask": "{token} (token {position}) is masked",
    "edit.drop": "{token} (token {position}) is left out",
    "edit.put": "“{word}” stands in place of {token} (token {position})",
    "edit.swap": "{token} (token {position}) and {other} (token {place}) change places",
    # Errors
    "error.importance_empty": "There is no run to measure the heads on. Give at least one.",
    "error.importance_partly": "{count} of {total} heads are not measured yet. Let the work finish, then order the heads.",
    "error.order": "There is no order {got}. There are: {allowed}.",
    "error.how": "A head cannot be taken out by {got}. There are: {allowed}.",
    "error.keep_count": "{got} heads cannot be kept; 0 to {most} can. Choose one of these.",
    "error.curve_step": "{got} heads cannot go at a time; at least 1 must. Choose a number from 1.",
    "error.samples": "The samples must be of one loss; they are of: {got}. Make them with one loss, at least one sample.",
    "error.loss": "The loss {got} cannot be measured on {name}. It has: {allowed}. Choose one of these.",
    "error.loss_pair": "The loss between two sentences needs a second sentence everywhere. Type it, or choose another loss.",
    "error.loss_flat": "The loss {got} has no slope where nothing is changed, so that no gradient tells heads apart. Take "
    "heads out instead, or choose another loss.",
    "error.loss_nothing": "There is no token to measure on in these sentences. Type words that the model knows.",
    "error.loss_masks": "Only the first {limit} masked tokens of a text get an answer. Mask fewer of them.",
    "error.effect_no_output": "The run of {name} holds weights only and no output, so that nothing can be said of the answer. "
    "Open a model.",
    "error.effect_models": "The runs are of {before} and {after}; only runs of one model can be compared. Run both on one.",
    "error.spam_file": "The trained classifier cannot be read: {reason}. Train it again with tools.train_spam, or put the "
    "file of the repository back.",
    "error.spam_width": "An embedding of {got} numbers was given to a classifier of {expected}. It is for {model} only; open "
    "that model.",
    "error.edit_position": "Tokens count from 0; {got} is no position. Choose one from 0.",
    "error.edit_word": "The word has {got} characters; 1 to {limit} are allowed. Type a word.",
    "error.edits_many": "At most {limit} changes of a sentence are made. Take some out.",
    "error.edits_unreadable": "The change {got} of the sentence cannot be read; allowed are mask-3, drop-3, swap-2-5 and "
    "put-4-cat, joined by dots. Take it out of the link.",
    "error.no_mask_token": "{name} has no mask token, so no token can be masked. Put a word there, or leave the token out.",
    "error.edit_special": "Token {position}, {token}, belongs to the model and must stay. Choose a token of the text.",
    "error.edit_skipped": "{name} finds nothing to read in {word}: it holds only characters that it skips. Type another word.",
    "error.edit_too_long": "With this change the sentence has {got:,} tokens; the model reads at most {limit:,}. Leave some "
    "out.",
    "error.edit_nothing_left": "Token {position} is the last of the text; something must be left to read. Put a word there "
    "instead.",
}
