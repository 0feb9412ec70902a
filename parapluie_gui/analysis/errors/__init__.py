"""Analyses of errors: the traits that they share, what distinguishes a set of them, and labels that may be wrong."""
