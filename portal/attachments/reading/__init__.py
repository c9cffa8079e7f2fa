"""What a CV says of its person, to save them typing. Knows no tenant; runs where a hostile file can harm nothing.

cv         a file → what it says; where it is not sure, nothing; said is the shape of that
written    a file → its first lines in reading order, its links; pdf_text, office_text and word_text know a format each
mails phones names places profiles    one kind of fact each
sections   which lines speak of somebody else, and which speak of contact
vocabulary words of CVs in eight languages
"""
