"""Retries of requests that the service did not process."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import httpx

#: Methods that may be sent again without an Idempotency-Key.
REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
#: The longest wait before one retry, in seconds.
LONGEST = 60.0


class RetryTransport(httpx.BaseTransport):
    """Sends a request again after 429, 503 and failed connections.

    It waits for Retry-After. A POST or PATCH without an Idempotency-Key is sent
    again after 429 only, because the service refuses these before it reads them.
    """

    def __init__(
        self, retries: int = 4, *, wrapped: httpx.BaseTransport | None = None, sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.retries, self.sleep = retries, sleep
        self.wrapped = wrapped or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        repeatable = request.method in REPEATABLE or "Idempotency-Key" in request.headers
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                response = self.wrapped.handle_request(request)
            except httpx.TransportError:
                if last or not repeatable:
                    raise
                self.sleep(backoff(attempt))
                continue
            refused = response.status_code == 429 or response.status_code == 503 and repeatable
            if last or not refused:
                return response
            response.close()
            self.sleep(wait(response, attempt))
        raise AssertionError("unreachable")

    def close(self) -> None:
        self.wrapped.close()


def backoff(attempt: int) -> float:
    return float(random.uniform(0.5, 1) * min(LONGEST, 0.5 * 2**attempt))


def wait(response: httpx.Response, attempt: int) -> float:
    """Returns the seconds of Retry-After, or else a growing time."""
    try:
        return min(LONGEST, max(0.0, float(response.headers["Retry-After"])))
    except (KeyError, ValueError):
        return backoff(attempt)
