"""A tenant's logo and header picture: fetched from where its file says, checked, kept, and served by us alone.

fetching     an https address → bytes, within bounds, and never from a private network
checking     bytes → a Picture that is safe to show, or why not
raster       PNG, JPEG, WebP and GIF, drawn anew without anything beside their pixels
svg          SVG, written anew from a list of what may be in it
keeping      what is due, what is stored, what is shown
tables       one row a picture
"""
