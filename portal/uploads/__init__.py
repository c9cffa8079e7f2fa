"""A CV between the browser and what it is sent with: inspected, stored, claimed once, let go. Owns its table.

tables      the tables
asking      a file that a browser sends by itself: asked for, received in quarantine, checked
storing     check a file and store it; find it again for its form; delete what nobody claimed
forgetting  what was sent and never checked is deleted
space       whether there is room on disk for another file
orphans     rows and objects that have lost each other
claims      a stored file becomes part of a delivery, or is given back
"""
