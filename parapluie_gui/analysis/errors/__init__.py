"""What errors have in common: traits of pairs, what is special about a set of them, and labels that may be wrong."""
