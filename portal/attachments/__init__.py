"""CV files: what may be taken, and where it is kept.

inspection   what a file is, by its content, asked of a process that can harm nothing
looking      what that process does; pdf, archive, compound, text and strange know one family of formats each
filenames    a name that is safe to show
scanner      ClamAV
bucket       a bucket's own rules, and the least policy
store        the protocol; local and s3 keep it; address opens the one that the settings name
"""
