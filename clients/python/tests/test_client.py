"""Tests the client against a server whose answers each test sets: python3 -m unittest"""

import json
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

from sendloom import Cancelled, Sendloom, SendloomError


class Server(HTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.requests = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def client(self, *answers, **options):
        """A client whose requests get these (status, headers, body); the last one repeats."""
        self.answers, self.requests = list(answers), []
        return Sendloom("token", f"http://127.0.0.1:{self.server_port}", **options)


class Handler(BaseHTTPRequestHandler):
    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        answers = self.server.answers
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any

    def log_message(self, *_):
        pass


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def fails(self, client, name="GET /v2/groups", **values):
        with self.assertRaises(SendloomError) as raised:
            client.call(name, **values)
        return raised.exception

    def test_a_request_has_the_token_the_path_the_query_and_one_key_for_all_attempts(self):
        client = self.server.client((503, {}, {}), (200, {}, {"ok": True}))
        params = {"id": "a/b ü"}
        answer = client.call(
            "POST /v2/message/{id}/send", params=params, query={"a": [1, 2], "b": None, "c": True}, body={"x": 1}
        )
        self.assertEqual(answer, {"ok": True})
        first, second = self.server.requests
        self.assertEqual(first[:2], ("POST", "/v2/message/a%2Fb%20%C3%BC/send?a=1&a=2&c=true"))
        self.assertEqual(first[2]["Authorization"], "Bearer token")
        self.assertEqual(first[2]["Idempotency-Key"], second[2]["Idempotency-Key"])
        self.assertEqual(json.loads(first[3]), {"x": 1})

    def test_a_response_that_is_not_json_is_an_error_with_any_status(self):
        page = b"<p>Welcome"
        for status in (200, 404):
            error = self.fails(self.server.client((status, {"Content-Type": "text/html"}, page)))
            self.assertEqual((error.status, error.code), (status, "not_json"))
            self.assertIn("base_url", str(error))
        moved = self.server.client((301, {"Location": "https://news.shop.example/"}, b""))
        error = self.fails(moved, "POST /v2/groups", body={})
        self.assertEqual((error.code, len(self.server.requests)), ("redirected", 1))

    def test_errors_and_findings_are_on_the_error(self):
        findings = [{"code": "tag_unknown", "part": "html", "line": 3}]
        body = {"message": "No", "code": "content_invalid", "errors": {"html": ["Bad"]}, "findings": findings}
        error = self.fails(self.server.client((422, {}, body)))
        self.assertEqual((error.status, error.code, str(error)), (422, "content_invalid", "No"))
        self.assertEqual((error.errors, error.findings), ({"html": ["Bad"]}, findings))
        self.assertEqual(len(self.server.requests), 1)

    def test_retry_after_may_be_seconds_or_a_date(self):
        for is_date in (False, True):
            later = datetime.now(timezone.utc) + timedelta(seconds=3)
            value = format_datetime(later, usegmt=True) if is_date else "2"
            client = self.server.client((429, {"Retry-After": value}, {}), (200, {}, {}))
            started = time.monotonic()
            client.call("GET /v2/groups")
            self.assertGreater(time.monotonic() - started, 1.3)

    def test_cancelling_ends_the_wait_and_the_retries(self):
        cancel = threading.Event()
        client = self.server.client((503, {"Retry-After": "30"}, {}))
        threading.Timer(0.2, cancel.set).start()
        started = time.monotonic()
        with self.assertRaises(Cancelled):
            client.call("GET /v2/groups", cancel=cancel)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(len(self.server.requests), 1)

    def test_network_errors_are_raised_after_the_last_retry(self):
        client = Sendloom("token", "http://127.0.0.1:1", retries=0)
        with self.assertRaises(OSError):
            client.call("GET /v2/groups")

    def test_an_invalid_address_token_or_parameter_raises_an_error_with_the_reason(self):
        for address, reason in (
            ("news.shop.example", "must begin with https://"),
            ("localhost:3000", "must begin with https://"),
            ("https://", "not a valid address"),
            (None, "base_url"),
        ):
            with self.assertRaisesRegex(ValueError, reason):
                Sendloom("token", address)
        with self.assertRaisesRegex(ValueError, "token"):
            Sendloom(None, "https://news.shop.example")
        client = self.server.client((200, {}, {}))
        for value in ("", ".", "..", None):
            with self.assertRaisesRegex(ValueError, "id"):
                client.call("GET /v2/groups/{id}", params={"id": value})
        suffixed = Sendloom("token", f"http://127.0.0.1:{self.server.server_port}/v2/")
        suffixed.call("GET /v2/me")
        self.assertEqual(self.server.requests[-1][1], "/v2/me")


if __name__ == "__main__":
    unittest.main()
