"""The traits that errors share, what is special about a set of them, and labels that may be wrong."""
