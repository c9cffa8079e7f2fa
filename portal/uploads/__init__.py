"""A CV between the browser and what it is sent with: inspected, stored, claimed once, let go. Owns its table.

tables    the table
storing   check a file and store it; find it again for its form; delete what nobody claimed
space     whether there is room on disk for another file
claims    a stored file becomes part of a delivery, or is given back
"""
