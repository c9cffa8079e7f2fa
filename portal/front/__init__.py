"""What stands before an application: a WSGI layer, the same for the portal and for the service.

    serving  the layer on the server
    layer    a request's way: kept answer, body, room, application, coding
    kept     answers that are sent again and again without the application
    coding   brotli, zstd, gzip or nothing: what a browser takes
    bodies   a body is received before any room is taken for it
    visits   each request as it is told of when it is over: to the access log, and to whoever counts
    monitors who may see figures
    room     how many requests run at once; who waits, and who waits no longer

It knows neither Flask nor a database. What it tells the application stands in the WSGI environment (`layer`, `bodies`).
"""

from portal.front.layer import Front

__all__ = ["Front"]
