"""The toy: one real multi-head attention layer whose heads can be set by hand."""
