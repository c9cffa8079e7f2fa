"""A tenant's pictures: fetched from the URLs in its file, checked, stored, and served only from here.

Start with stored_pictures.

    fetching         an https URL → bytes, within limits, and never from a private network
    checking         bytes → a Picture that is safe to show, or the reason why not; SVG, rewritten from a list of
                     allowed elements and attributes
    drawing          PNG, JPEG, WebP and GIF, re-encoded from nothing but their pixels, in a sandboxed process
    stored_pictures  which are due, stored and shown
    tables           one row per picture
"""
