"""Reads the candidate's details from a CV, to save typing.

In: a file that passed inspection, and its extension. Out: CvDetails with name, email address, phone numbers and
profile; uncertain facts are left out. It knows no tenant, and runs in a process in which a malicious file can do no
harm. Start with cv.

cv                   a file → CvDetails
result               CvDetails
text_lines           the lines and links of a file of any format
pdf_text office_text    the text of PDF; of DOCX, ODT, DOC, RTF and plain text
contact_details      email addresses, phone numbers, links to profiles
names                finds the candidate's name
name_splitting       full name → given and family name
sections             which lines are about other people, and which about contact details
vocabulary           words of CVs in eight languages
"""
