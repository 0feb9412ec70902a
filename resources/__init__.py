"""Files that ship with ParaPLUIE Inspector; installed as `parapluie_gui.resources`."""
