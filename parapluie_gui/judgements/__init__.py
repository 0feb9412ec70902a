"""People's judgements of pairs: schemes of questions, records of answers, and columns made of them."""
