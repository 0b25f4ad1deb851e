"""`solve rna --page`: a local web page that designs RNA.

A server on the loopback answers the page (`app`, behind `guard`). A job is asked for by a typed
request (`request`), kept in a folder (`jobs`), and worked at by a process of its own (`worker`)
once there is a core (`queue`). The files of the browser are in `static`.
"""
