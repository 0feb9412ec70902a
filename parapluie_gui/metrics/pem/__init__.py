"""PEM, the paraphrase metric of Liu, Dahlmeier and Ng (EMNLP 2010), with a second language as the pivot."""
