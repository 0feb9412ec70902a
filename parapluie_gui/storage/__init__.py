"""Storage in SQLite: the session document, the store of scores, working copies, and repair."""
