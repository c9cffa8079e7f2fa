"""Client of the recruitment tracking service (§4).

TrackerClient has one method for each operation. Methods take typed values and return models of portal/contract; every
failure is a leaf class of errors. Start with client.

client         TrackerClient, which the portal calls; the limit of pages that wait for a service
wire           one request and its response: limits, headers, which requests carry the API key
deadline       connections on which a request ends by a deadline, regardless of the other side
outcome        status codes → errors; JSON bodies
errors         the possible errors, and whether they are retried
page           a page of records: which of their fields are read; unreadable ones, reported separately
"""
