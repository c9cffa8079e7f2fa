"""What the pages are by the judgement of programs and rules that nobody here wrote."""
