"""The official client of Sendloom's API, for Python 3.9 and newer, without dependencies."""

from __future__ import annotations

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from threading import Event
from typing import Any, Mapping

from .calls import Calls

__all__ = ["Cancelled", "Sendloom", "SendloomError"]

_PASSING = {429, 502, 503, 504}
_FIRST_WAIT = 0.5
_MAX_WAIT = 30.0
_MAX_EXCERPT = 200


class SendloomError(Exception):
    """A response that is not a success, or not from Sendloom (``not_json``, ``redirected``)."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        message = body.get("message")
        super().__init__(message if isinstance(message, str) else f"Sendloom answered {status}")
        code, errors, findings = body.get("code"), body.get("errors"), body.get("findings")
        self.status = status
        self.code: str = code if isinstance(code, str) else ""
        #: Field → sentences that describe its errors.
        self.errors: dict[str, list[str]] = errors if isinstance(errors, dict) else {}
        #: Problems of refused content (``content_invalid``), with their positions.
        self.findings: list[dict[str, Any]] = findings if isinstance(findings, list) else []
        #: The whole response; for ``not_json`` and ``redirected``, a description of it.
        self.body: dict[str, Any] = dict(body)


class Cancelled(Exception):
    """The call's ``cancel`` event was set."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Sendloom(Calls):
    """
    :param token: an API access token: Settings → API access tokens
    :param base_url: the address of the Sendloom installation: https://news.shop.example
    :param retries: retries after a network error, a timeout, in_progress, 429, 502, 503 or 504
    :param timeout: seconds without data from the server
    """

    def __init__(
        self,
        token: str | None,
        base_url: str | None,
        *,
        retries: int = 4,
        timeout: float = 30.0,
    ) -> None:
        if not token:
            raise ValueError("The client needs an API token")
        self._token = token
        self._base_url = _read_base_url(base_url)
        self._retries = retries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _call(
        self,
        name: str,
        params: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        body: Any,
        idempotency_key: str | None,
        cancel: Event | None,
    ) -> Any:
        method, _, path = name.partition(" ")
        if not path.startswith("/"):
            raise ValueError(f'A call is named by method and path, as in "GET /v2/groups": "{name}"')
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json",
            "User-Agent": "sendloom-python/1.0.0",
        }
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        url = self._base_url + _path_of(path, params or {}) + _query_of(query or {})
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        tried = 0
        while True:
            if cancel is not None and cancel.is_set():
                raise Cancelled(name)
            answer, error, retry_after, can_retry = self._attempt(request)
            if error is None:
                return answer
            if not can_retry or tried >= self._retries:
                raise error
            _wait(_seconds(tried, retry_after), cancel)
            tried += 1

    def _attempt(
        self, request: urllib.request.Request
    ) -> tuple[Any, Exception | None, str | None, bool]:
        try:
            with self._open(request) as response:
                status, headers, text = response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            return None, error, None, True
        body = _read_json(text)
        if 200 <= status < 300 and body is not None:
            return body, None, None, False
        failure = SendloomError(
            status, body if isinstance(body, dict) else _not_json(status, headers, text)
        )
        # An earlier attempt that timed out may still be running.
        can_retry = status in _PASSING or failure.code == "in_progress"
        return None, failure, headers.get("Retry-After"), can_retry

    def _open(self, request: urllib.request.Request) -> Any:
        try:
            return self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as response:
            return response


def _read_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _not_json(status: int, headers: Any, text: bytes) -> dict[str, Any]:
    """The response is a page of a proxy or another program, whose status says nothing about the call."""
    excerpt = text.decode("utf-8", "replace")[:_MAX_EXCERPT]
    location = headers.get("Location")
    if location:
        message = f"The address redirects to {location}: use the address there as base_url"
        return {"message": message, "code": "redirected", "excerpt": excerpt}
    kind = (headers.get("Content-Type") or "no content type").split(";")[0]
    message = (
        f"The response (status {status}, {kind}) is not JSON: "
        "is base_url the address of a Sendloom installation?"
    )
    return {"message": message, "code": "not_json", "excerpt": excerpt}


def _read_base_url(base_url: str | None) -> str:
    """The address without trailing slashes and without ``/v2``, with which the path of every call begins."""
    if not base_url:
        raise ValueError("The client needs the address of Sendloom: base_url")
    if not re.match(r"https?://", base_url, re.IGNORECASE):
        raise ValueError(f'base_url must begin with https:// or http://, unlike "{base_url}"')
    parts = urllib.parse.urlsplit(base_url)
    if not parts.hostname:
        raise ValueError(f'base_url is not a valid address: "{base_url}"')
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}" + (path[:-3] if path.endswith("/v2") else path)


def _seconds(tried: int, retry_after: str | None) -> float:
    own = _FIRST_WAIT * 2**tried * random.uniform(0.75, 1.25)
    return min(max(own, _retry_after_seconds(retry_after)), _MAX_WAIT)


def _retry_after_seconds(value: str | None) -> float:
    """Seconds, or a date (RFC 9110, 10.2.3); 0 for anything else."""
    if not value:
        return 0.0
    if value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return (date - datetime.now(timezone.utc)).total_seconds()


def _wait(seconds: float, cancel: Event | None) -> None:
    if cancel is None:
        time.sleep(seconds)
    else:
        cancel.wait(seconds)


def _path_of(path: str, params: Mapping[str, Any]) -> str:
    def value_of(match: re.Match[str]) -> str:
        value = params.get(match[1])
        # Dots alone would change the path.
        if value is None or str(value) in ("", ".", ".."):
            raise ValueError(f'{path} needs a value for params["{match[1]}"]')
        return urllib.parse.quote(str(value), safe="")

    return re.sub(r"\{(\w+)\}", value_of, path)


def _query_of(query: Mapping[str, Any]) -> str:
    parts = [
        (name, one)
        for name, value in query.items()
        for one in (value if isinstance(value, (list, tuple)) else [value])
        if one is not None
    ]
    text = {True: "true", False: "false"}
    pairs = [(name, text[one] if isinstance(one, bool) else one) for name, one in parts]
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""
