"""Inspection of uploaded files: the true type by the content, and whether the file may be accepted.

In: an uploaded file. Out: its media type and number of pages, or UploadRefused with a reason; on request also the
details in the CV. A confined process does the work. Start with inspection.

inspection           called by the portal; checks the confined process's answer
sandboxed            runs in the confined process; checks plain text itself
pdf archive compound markup rtf    checks of one format each: PDF, DOCX and ODT, DOC, their XML, RTF
pdf_objects          reads the objects of a PDF
active_content       whether a Word field runs or fetches something
scanner              ClamAV
"""
