"""Whether accepting and delivering can go on, part by part: one place for /readyz, /metrics and `portal check`.

part     what is said of one part
looking  asking in the background: a part that hangs costs who wants to know a moment, and nobody twice
asked    what each part is asked
standing all of them
"""
