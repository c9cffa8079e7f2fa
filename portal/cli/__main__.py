"""`python -m portal.cli`: the `portal` command, for processes that start others."""

from portal.cli import main

main()
