"""What people say of pairs: schemes of questions, records of answers, and columns made of them."""
