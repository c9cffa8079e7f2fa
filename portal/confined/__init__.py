"""Strangers' texts and files are worked on in processes that can harm nothing: not this one, nor each other.

asking    the side of who asks: one helper process, which is started when it is needed, and asked by any thread
serving   the side of the helper: it forks a process of its own for each file, and ends those that take too long
walls     what such a process may still do: read the one file, count, answer
"""
