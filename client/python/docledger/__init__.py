"""Client of the docledger API.

`docledger.api` is generated from the specification: one module for each
operation, one class for each record. `Docledger` adds sign-in, errors as
exceptions, retries, pages, uploads and waiting.
"""

from __future__ import annotations

import inspect
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from uuid import UUID

import httpx

from .api.api.authentication import login
from .api.api.documents import get_document, upload_document
from .api.api.invoices import extract_invoice
from .api.client import AuthenticatedClient, Client
from .api.models import (
    Document, ErrorEnvelope, ExtractRequest, Invoice, LoginRequest, UploadForm,
)
from .api.types import UNSET, File, Response, Unset
from .retries import RetryTransport

__all__ = ["ApiError", "Docledger", "ExtractionTimeout", "RetryTransport", "UNSET", "Unset"]

T = TypeVar("T")

#: Statuses after which the extraction of a document has ended.
ENDED = frozenset({"EXTRACTED", "FAILED", "NOT_AN_INVOICE", "SPLIT"})


class ApiError(Exception):
    """A refused request. `code` is `error.code` of the API."""

    def __init__(self, status: int, code: str, message: str, details: dict[str, Any]) -> None:
        super().__init__(f"{code}: {message}")
        self.status, self.code, self.message, self.details = status, code, message, details

    @property
    def request_id(self) -> str:
        """Returns the id by which the operator finds the request in the logs."""
        return str(self.details.get("request_id", ""))


class ExtractionTimeout(Exception):
    """The extraction did not end in time. `document` is its latest state."""

    def __init__(self, document: Document) -> None:
        super().__init__(f"document {document.id} is {document.status}")
        self.document = document


def _value(response: Response[Any]) -> Any:
    parsed = response.parsed
    if isinstance(parsed, ErrorEnvelope):
        error = parsed.error
        raise ApiError(int(response.status_code), error.code, error.message, error.details.to_dict())
    if parsed is None:
        raise ApiError(int(response.status_code), "unexpected_response", response.content[:200].decode(errors="replace"), {})
    return parsed


class Docledger:
    """The API with one credential: a token of a session, or an API key."""

    def __init__(self, base_url: str, token: str, *, timeout: float = 60, retries: int = 4) -> None:
        self.client = AuthenticatedClient(
            base_url=base_url, token=token, timeout=httpx.Timeout(timeout),
            httpx_args={"transport": RetryTransport(retries=retries)},
        )

    @classmethod
    def sign_in(cls, base_url: str, email: str, password: str, **options: Any) -> Docledger:
        """Signs in with an e-mail address and a password."""
        with Client(base_url=base_url, httpx_args={"transport": RetryTransport()}) as anonymous:
            token = _value(login.sync_detailed(client=anonymous, body=LoginRequest(email=email, password=password)))
        return cls(base_url, token.token, **options)

    def close(self) -> None:
        """Closes the connections."""
        self.client.get_httpx_client().close()

    def __enter__(self) -> Docledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, operation: Callable[..., Response[ErrorEnvelope | T]], **arguments: Any) -> T:
        """Calls `sync_detailed` of an operation. Raises ApiError if it is refused."""
        result: T = _value(operation(client=self.client, **arguments))
        return result

    def pages(self, operation: Callable[..., Response[Any]], **arguments: Any) -> Iterator[Any]:
        """Yields the items of all pages of a list."""
        cursor = "cursor" if "cursor" in inspect.signature(operation).parameters else "after"
        while True:
            page = _value(operation(client=self.client, **arguments))
            yield from page.items
            # The event log has a cursor after its last event, because it has no end.
            if not page.next_cursor or not page.items:
                return
            arguments[cursor] = page.next_cursor

    def upload(
        self, file: str | Path | BinaryIO, entity_id: str | UUID, *, filename: str | None = None, idempotency_key: str | None = None,
    ) -> Document:
        """Uploads a file. A repetition with the same key does not create a document."""
        if isinstance(file, (str, Path)):
            with Path(file).open("rb") as opened:
                return self.upload(opened, entity_id, filename=filename or Path(file).name, idempotency_key=idempotency_key)
        form = UploadForm(file=File(payload=file, file_name=filename or "document"), entity_id=UUID(str(entity_id)))
        return self.call(upload_document.sync_detailed, body=form, idempotency_key=idempotency_key or str(uuid.uuid4()))

    def wait_for_extraction(self, document_id: str | UUID, *, timeout: float = 120, interval: float = 0.5) -> Document:
        """Returns the document when its extraction has ended."""
        end = time.monotonic() + timeout
        while True:
            document = self.call(get_document.sync_detailed, document_id=UUID(str(document_id)))
            if document.status in ENDED:
                return document
            if time.monotonic() >= end:
                raise ExtractionTimeout(document)
            time.sleep(min(interval, max(0, end - time.monotonic())))

    def extract(self, document_id: str | UUID) -> Invoice:
        """Returns the invoice of a document. Starts the extraction if it is necessary."""
        return self.call(extract_invoice.sync_detailed, body=ExtractRequest(document_id=UUID(str(document_id))))
