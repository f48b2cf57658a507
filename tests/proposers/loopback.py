"""An OpenAI-compatible endpoint on the loopback interface that does what a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(text: str | None, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """The document of an ordinary answer."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": text, **message},
    }
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


@dataclass
class Loopback:
    """What the endpoint was sent, and whether it is to go on waiting."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


Behaviour = Callable[[BaseHTTPRequestHandler, Loopback], None]


def says(document: Any, status: int = 200, content_type: str = "application/json") -> Behaviour:
    """Answer with this text, or this document as JSON."""

    def behave(handler: BaseHTTPRequestHandler, _: Loopback) -> None:
        body = (document if isinstance(document, str) else json.dumps(document)).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return behave


def hangs(_: BaseHTTPRequestHandler, server: Loopback) -> None:
    """Take the question and say nothing until the test is over."""
    server.over.wait(30)


def drips(handler: BaseHTTPRequestHandler, server: Loopback) -> None:
    """Send one blank after another, so that no single read ever waits long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not server.over.wait(0.02):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return


def breaks_off(handler: BaseHTTPRequestHandler, _: Loopback) -> None:
    """Promise more than comes."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


@contextmanager
def loopback(*behaviours: Behaviour) -> Iterator[Loopback]:
    """Serve: the first question meets the first behaviour, and so on; the last one repeats."""
    served = Loopback()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            served.bodies.append(json.loads(self.rfile.read(length)))
            served.keys.append(self.headers.get("Authorization"))
            behaviours[min(len(served.bodies), len(behaviours)) - 1](self, served)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.over.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
