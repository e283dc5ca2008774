"""English: which heads matter, and heads removed."""

MATTER: dict[str, str] = {
    "lab.worth": "what each head is worth: by mean weight, by gradient, by taking it out, on look-up nets and MiniLM",
    "lab.pruned": "heads removed from the matrices: what is left, how large it is and how fast",
    "error.prune_shared": "Heads that share W_Q, W_K or W_V cannot be removed one by one. Give a net in which every head has "
    "its own.",
    "error.prune_layout": "Heads cannot be removed from {name}: its layers do not keep query, key and value as three "
    "matrices beside W_O. Silence them instead, or choose a BERT, RoBERTa or ELECTRA.",
}
