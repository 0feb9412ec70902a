"""Why a score is what it is: what each of the edits between two sentences did to it."""
