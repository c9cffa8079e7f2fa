"""CV files from the browser to the delivery they belong to: inspected, stored, claimed once, deleted. Owns its tables.

A file comes in through the portal (storing) or straight from the browser to the file storage (direct). A delivery
claims it in its own transaction (claims). Start with storing.

    tables          the tables
    direct          a file that a browser sends directly: announced, received in quarantine, checked
    cpu_budget      limits the CPU time that files of one network may take
    storing         check a file and store it; find it for its form; delete unclaimed files
    announcements   bytes that networks have announced but not sent
    disk_space      whether there is enough disk space for another file
    orphans         rows without a file, and files without a row
    claims          a stored file becomes part of a delivery, or is released
    refusal_counts  the number of rejected files, by day and reason

The reasons why a file is rejected are in `UploadReason` (platform/errors.py).
"""
