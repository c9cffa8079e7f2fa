"""File storage for CVs: a folder or an S3 bucket behind one protocol.

In: a key, bytes, a media type and a file name. Out: streamed bytes, ETags, and forms with which browsers upload to the
storage directly. Start with store.

store      the Store protocol
local s3   its implementations; s3_errors: boto3's errors as those of the portal
opening    opens the storage that the settings name; reports its outages, and fails fast while it hangs
bucket     settings of a bucket, and the least IAM policy for the portal
"""
