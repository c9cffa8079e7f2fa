"""Bad input for every route of portal, operators' console, service and hiring pages.

values      tables of bad values: path, query, header, cookie, method, text of a field
bodies      tables of bad bodies: forms, multipart, JSON, files
routes      the routes of the four applications, values of their parameters, contents of their forms
corpus      routes × tables → cases
premises    the applications with data in them, and signed-in users
judging     sends one case and checks the response
"""
