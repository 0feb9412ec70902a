"""Why a score is what it is: the edits between two sentences, and what each of them did to the score."""
