"""The edits between the two sentences of a pair, and the kind of change that each of them is."""
