"""The edits between the two sentences of a pair, and their kinds of change."""
