"""Client of the recruitment tracking service (§4).

TrackerClient has one method for each operation. Methods take typed values and return models of portal/contract; every
failure is a leaf class of errors. Start with client.

client         TrackerClient: what the portal calls, and how many pages wait for a service
wire           one request and its response: limits, headers, which requests carry the API key
deadline       connections on which a request ends when its time is up, whatever the other side does
outcome        status codes → errors; JSON bodies
errors         what can go wrong, and whether it is retried
page           a page of records: which of their fields are read; unreadable ones, reported separately
"""
