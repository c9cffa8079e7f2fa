"""Bad input for every route of portal, operators' console, service and hiring pages.

values      tables of bad values: path, query, header, cookie, method, text of a field
bodies      tables of bad bodies: forms, multipart, JSON, files
routes      the routes of the four applications, what their parameters are filled with, what their forms hold
corpus      routes × tables → cases
premises    the applications with data in them, and people who are signed in
judging     sends one case and says what is wrong with the answer
"""
