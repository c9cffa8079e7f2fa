"""Performance figures as ratios against a baseline in the same run; `make bench` prints them as a table."""
