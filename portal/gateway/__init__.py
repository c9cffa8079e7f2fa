"""WSGI layer in front of an application, the same for the portal and for the tracking service.

It caches responses, compresses them, buffers request bodies, limits concurrency and writes the access log. Requests go
in through `serving` (RSGI, the production server) or through `layer.Gateway` (any WSGI server). It depends on neither
Flask nor a database, and communicates with the application through keys of the WSGI environment (constants in
`access_log`, `response_cache`, `request_bodies` and `buffered_body`). Start with `layer`.

    layer            the steps of a request: cache, body, concurrency limit, application, compression
    serving          the layer on the production server
    response_cache   responses that are sent repeatedly without calling the application
    response         one response in one content coding
    compression      content codings: brotli, zstd, gzip or none
    request_bodies   receives a body before a concurrency slot is taken for it
    buffered_body    stores a body in memory, then in a file
    concurrency      how many requests run at once, how many wait and for how long
    access_log       access log, request ids and observers of finished requests
    connections      closes connections whose client reads nothing, and those beyond a network's limit
    health_server    health checks on a separate socket
    metrics_access   access control of the metrics
    security_txt     the contact for reports of vulnerabilities
    parent_watch     stops a process when its parent has ended
"""

from portal.gateway.layer import Gateway

__all__ = ["Gateway"]
