"""Applications to vacancies, one kind of delivery. Start with kind.

payload  the fields of an application; one model for storing, sending, showing and exporting them
kind     the request that an application becomes (§4.8), and the names of its emails
"""
