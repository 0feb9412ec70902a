"""The version of the program, which signatures and files carry."""

__version__ = "0.1.0"
