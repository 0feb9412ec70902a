"""Training a small judge: corpora and rules in, a masked language model and its card out."""
