"""Locations as people write them: towns, regions, countries and postal codes → position, and distance.

In: text, and countries where the tenant has jobs. Out: a Where (a circle around a town, a region, a country, or
remote). Data files are beside the modules; nothing is requested from a network. Start with place_lookup.

place_lookup    text → locations
gazetteer       towns with their coordinates
regions         regions, the first level below a country
postcodes       postal codes with their coordinates
country         country names → ISO 3166-1 alpha-2
places          different spellings of one town; towns in the language of a page
reach           where a remote job may be done from
sorted_lines    reading the data files; binary search in them
"""
