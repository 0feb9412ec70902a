"""Corpora of more pairs than one computer scores: cut into parts, each scored by itself, and put together again."""
