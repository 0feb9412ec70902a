"""The program's features: a folder for each capability, with all that it has; see `parapluie_gui.feature`."""
