"""The version of the program, which signatures and files record."""

__version__ = "0.1.0"
