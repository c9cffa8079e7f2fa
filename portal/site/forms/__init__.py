"""What the features' forms share: fields, request bodies, CV uploads, rejections, rate limits.

A posted body goes in (request_body); parsed values come out, or a message for each wrong field. Start reading at
request_body and fields/typed.
"""
