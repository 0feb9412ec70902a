"""The program's features: a folder for each capability, with everything that it needs; see `parapluie_gui.feature`."""
