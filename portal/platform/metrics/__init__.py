"""Metrics of a process for /metrics; the processes of one server add up.

Log events and finished requests come in, Prometheus metrics go out. Start with `definitions`.

shared       the folder through which processes add up, including those that have ended
definitions  every metric
listeners    counts log events and finished requests
serving      measures how busy a server is, every few seconds
"""
