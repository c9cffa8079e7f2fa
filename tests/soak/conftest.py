"""The run takes the whole machine, so it is collected only where SOAK_SECONDS says for how long."""

import os

collect_ignore = [] if "SOAK_SECONDS" in os.environ else ["test_an_hour_of_everything_loses_nothing.py"]
