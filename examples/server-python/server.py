"""A ticket API with live updates. It needs Python 3.9 or newer, and nothing else.

Run it with `python3 server.py`, and open http://localhost:3000. `Hub` is the whole stream server; the rest is the application.
"""

import json
import os
import random
import re
import threading
import time
import uuid
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from urllib.parse import parse_qs, urlsplit

HEARTBEAT_SECONDS = 15
MAX_AGE_SECONDS = 15 * 60
LOG_LENGTH = 1000


class Hub:
    """Numbers the changes of one audience, keeps the newest, and delivers them to every open stream."""

    def __init__(self):
        self.lock = threading.Lock()
        # A new count starts from the clock, so it never reaches a number that a client remembers from before a restart.
        self.seq = time.time_ns() // 1000
        self.started = time.time()
        self.log = deque(maxlen=LOG_LENGTH)  # (time, envelope)
        self.dropped_at = None  # When the newest dropped envelope was emitted.
        self.dropped_seq = self.seq
        self.streams = set()

    def emit(self, directives, source=None):
        """Sends what changed. Returns the same directives with number and key, for the response of the mutation."""
        with self.lock:
            self.seq += 1
            sent = [
                {
                    **directive,
                    "idempotency_key": str(uuid.uuid4()),
                    "seq": self.seq,
                    "audience": "global",
                    "source": source,
                }
                for directive in directives
            ]
            envelope = {"type": "directives", "seq": self.seq, "audience": "global", "directives": sent}
            if len(self.log) == LOG_LENGTH:
                self.dropped_at, oldest = self.log[0]
                self.dropped_seq = oldest["seq"]
            self.log.append((time.time(), envelope))
            for stream in self.streams:
                stream.put(envelope)
            return sent

    def subscribe(self, last_seq, since_ms):
        """A queue that starts with the missed envelopes and the greeting. Nothing emitted meanwhile is lost or repeated."""
        with self.lock:
            missed, recovered = self._missed(last_seq, since_ms)
            stream = SimpleQueue()
            for envelope in missed:
                stream.put(envelope)
            greeting = self.position()
            greeting["recovered"] = recovered
            greeting["heartbeat_ms"] = HEARTBEAT_SECONDS * 1000
            stream.put(greeting)
            self.streams.add(stream)
            return stream

    def unsubscribe(self, stream):
        with self.lock:
            self.streams.discard(stream)

    def position(self):
        return {"type": "directives", "seq": self.seq, "audience": "global", "directives": []}

    def _missed(self, last_seq, since_ms):
        if last_seq is not None:
            if not self.dropped_seq <= last_seq <= self.seq:
                return [], False
            return [envelope for _, envelope in self.log if envelope["seq"] > last_seq], True
        if since_ms == 0:
            return [], True
        if since_ms is None:
            return [], False
        reach_at = self.started if self.dropped_at is None else self.dropped_at
        since = time.time() - since_ms / 1000
        if since < reach_at:
            return [], False
        # Two seconds more cover a request that took time to arrive.
        return [envelope for at, envelope in self.log if at >= since - 2], True


hub = Hub()
tickets = {
    number: {"id": number, "title": title, "status": "open"}
    for number, title in enumerate(["Printer on fire", "Password lost", "Invoice is wrong"], start=1)
}
tickets_lock = threading.Lock()


class Refused(Exception):
    def __init__(self, status, code, message, **more):
        self.status = status
        self.body = {"error": {"code": code, "message": message, **more}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        try:
            if url.path == "/api/events":
                return self.stream(parse_qs(url.query, keep_blank_values=True))
            if url.path == "/api/tickets":
                return self.send_json(200, list(tickets.values()))
            if found := re.fullmatch(r"/api/tickets/(\d+)", url.path):
                return self.send_json(200, tickets.get(int(found[1])))
            if url.path in FILES:
                return self.send_file(*FILES[url.path])
            raise Refused(404, "not_found", f"There is nothing at {url.path}.")
        except Refused as refused:
            self.send_json(refused.status, refused.body)

    def do_POST(self):
        # The body is not used, but has to be read before the next request on this connection.
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        if path == "/api/events":
            body = {"error": {"code": "method_not_allowed", "message": "Read the stream with GET."}}
            return self.send_json(405, body, Allow="GET")
        found = re.fullmatch(r"/api/tickets/(\d+)/solve", path)
        with tickets_lock:
            ticket = tickets.get(int(found[1])) if found else None
            if ticket is None:
                return self.send_json(404, {"message": "There is no such ticket."})
            ticket["status"] = "solved"
            # First the change, then the directives. The response contains them for the author's client.
            directives = hub.emit(
                [
                    {"op": "refresh_item", "name": "ticket", "id": ticket["id"]},
                    {"op": "refresh_collection", "name": "tickets"},
                ],
                source=self.headers.get("X-Service-Client-ID"),
            )
        self.send_json(200, {**ticket, "directives": directives})

    def stream(self, query):
        audiences = query.get("audience", ["global"])
        names = audiences + query.get("client_id", [])
        if not all(re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,128}", name) for name in names):
            raise Refused(400, "bad_parameters", "A name has 1 to 128 characters, and no control characters.")
        once = [query.get(name, []) for name in ("client_id", "last_seq", "since_ms")]
        if len(set(audiences)) < len(audiences) or any(len(values) > 1 for values in once):
            raise Refused(400, "bad_parameters", "A parameter is repeated.")
        if audiences != ["global"]:
            refused = next((one for one in audiences if one != "global"), "global")
            raise Refused(403, "audience_refused", f"The audience {refused} is not allowed.", audience=refused)
        last_event_id = self.headers.get("Last-Event-ID")
        if last_event_id:  # An `EventSource` repeats it without end, so an unreadable one is a miss instead of an error.
            last_seq = int(last_event_id) if re.fullmatch(r"\d{1,16}", last_event_id, re.ASCII) else -1
        else:
            last_seq = number(query.get("last_seq", [""])[0], "last_seq")
        since_ms = number(query.get("since_ms", [""])[0], "since_ms")
        stream = hub.subscribe(last_seq, since_ms)
        ends = time.monotonic() + MAX_AGE_SECONDS * random.uniform(0.8, 1.2)
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Cache-Control", "no-cache, no-store, no-transform")
            self.send_header("X-Accel-Buffering", "no")
            self.send_header("X-Service-Heartbeat-Ms", str(HEARTBEAT_SECONDS * 1000))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            while time.monotonic() < ends:
                try:
                    envelope = stream.get(timeout=HEARTBEAT_SECONDS)
                except Empty:
                    with hub.lock:  # A position must not overtake an envelope.
                        if not stream.empty():
                            continue
                        envelope = hub.position()
                self.send_frame(envelope)
            self.wfile.write(f"retry: {random.randrange(1000)}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # The client left.
        finally:
            hub.unsubscribe(stream)

    def send_frame(self, envelope):
        self.wfile.write(f"id: {envelope['seq']}\nevent: message\ndata: {json.dumps(envelope)}\n\n".encode())
        self.wfile.flush()

    def send_json(self, status, body, **headers):
        self.send_body(status, "application/json", json.dumps(body).encode(), **headers)

    def send_file(self, path, content_type):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), path), "rb") as file:
            self.send_body(200, content_type, file.read())

    def send_body(self, status, content_type, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def number(text, name):
    """A whole number of at most 2^53 - 1, or None for an empty text."""
    if text == "":
        return None
    if not re.fullmatch(r"\d{1,16}", text, re.ASCII) or int(text) > 2**53 - 1:
        raise Refused(400, "bad_parameters", f"{name} must be a whole number, not {text!r}.")
    return int(text)


FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/edict.js": ("node_modules/@edict/core/dist/index.global.js", "text/javascript"),
}

if __name__ == "__main__":
    port = int(os.environ.get("PORT", "3000"))
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    print(f"http://localhost:{port}", flush=True)
    server.serve_forever()
