"""Collects the load test only if SOAK_SECONDS sets its duration, because it uses the whole machine."""

import os

collect_ignore = [] if "SOAK_SECONDS" in os.environ else ["test_a_complete_installation_survives_faults_under_load.py"]
