"""The functions that Python code and the commands call; `parapluie_gui` exports each under one name."""
