"""raw.py - requests byte by byte, for input that no HTTP client would send."""
import socket
import sys

failed = []


def check(ok, what):
    """Counts a check; reports it if it fails."""
    failed.append(not ok)
    if not ok:
        print(f"FAILED: {what}")
    return ok


def verdict(*servers):
    """Prints the numbers of checks and ends the program with their exit status."""
    for server in servers:
        check(not server.complaints(), server.complaints())
    print(f"{failed.count(False)} passed, {failed.count(True)} failed")
    return sys.exit(1 if any(failed) or not failed else 0)


def opened(server, timeout=60):
    return socket.create_connection(("127.0.0.1", server.port), timeout)


def head(server, length, path="/api/v1/uploads", more=""):
    """Returns the head of an upload of this many bytes; chunked if length is None."""
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"{size}\r\n{more}\r\n").encode()


def answer(sock):
    """Reads an answer up to its end or that of the connection; returns (status, headers
    and body)."""
    data = b""
    try:
        while True:
            piece = sock.recv(65536)
            if not piece:
                break
            data += piece
            top, sep, body = data.partition(b"\r\n\r\n")
            for line in top.lower().split(b"\r\n"):
                if sep and line.startswith(b"content-length:") and \
                        len(body) >= int(line.split(b":")[1]):
                    return int(data.split()[1]), data.decode()
    except OSError:
        pass
    return (int(data.split()[1]) if data.startswith(b"HTTP/") else 0), data.decode()


def closed(sock):
    """Returns whether the server closes the connection without sending more."""
    try:
        return sock.recv(65536) == b""
    except ConnectionError:
        return True
