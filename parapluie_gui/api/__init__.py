"""What Python code and the commands call: `parapluie_gui` offers these functions, each under one name."""
