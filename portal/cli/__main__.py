"""`python -m portal.cli`: the same as the `portal` command, for processes that start others."""

from portal.cli import main

main()
