"""Tests of the client against a running sandbox (DOCLEDGER_ENV_FILE names its values)."""

import os
import unittest
import uuid
from pathlib import Path

import httpx

from docledger import ApiError, Docledger, RetryTransport
from docledger.api.api.documents import get_document_content, list_documents
from docledger.api.api.entities import create_entity, list_entities
from docledger.api.api.events import list_events
from docledger.api.api.invoices import get_invoice
from docledger.api.models import EntityCreate, Invoice
from docledger.values import AccountClass, AccountTypeEnum, DocumentStatus

VALUES = dict(line.split("=", 1) for line in Path(os.environ["DOCLEDGER_ENV_FILE"]).read_text().splitlines() if "=" in line)
INVOICE = Path(os.environ["DOCLEDGER_EXAMPLE"])


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.api = Docledger.sign_in(VALUES["BASE_URL"], VALUES["LOGIN_EMAIL"], VALUES["LOGIN_PASSWORD"])
        self.addCleanup(self.api.close)

    def test_upload_to_invoice(self) -> None:
        document = self.api.upload(INVOICE, VALUES["ENTITY_ID"])
        ended = self.api.wait_for_extraction(document.id)
        self.assertEqual(ended.status, DocumentStatus.EXTRACTED)
        invoice = self.api.call(get_invoice.sync_detailed, invoice_id=ended.invoice_id)
        self.assertIsInstance(invoice, Invoice)
        self.assertEqual(invoice.id, self.api.extract(document.id).id)
        self.assertTrue(invoice.gross_total)
        content = self.api.call(get_document_content.sync_detailed, document_id=document.id)
        self.assertEqual(content.payload.read(), INVOICE.read_bytes())

    def test_pages(self) -> None:
        self.api.upload(INVOICE, VALUES["ENTITY_ID"])
        entities = [e.name for e in self.api.pages(list_entities.sync_detailed, limit=1)]
        self.assertIn("Sandbox Company", entities)
        self.assertEqual(len(entities), len(set(entities)))
        self.assertTrue(list(self.api.pages(list_documents.sync_detailed, limit=1)))

    def test_pages_of_the_event_log(self) -> None:
        document = self.api.upload(INVOICE, VALUES["ENTITY_ID"])
        self.api.wait_for_extraction(document.id)
        events = [e.id for e in self.api.pages(list_events.sync_detailed, subject_id=document.id, limit=1)]
        self.assertGreater(len(events), 1)
        self.assertEqual(len(events), len(set(events)))

    def test_errors(self) -> None:
        with self.assertRaises(ApiError) as refused:
            self.api.call(get_invoice.sync_detailed, invoice_id=uuid.uuid4())
        self.assertEqual((refused.exception.status, refused.exception.code), (404, "not_found"))
        self.assertTrue(refused.exception.request_id)

    def test_idempotency(self) -> None:
        key, name = str(uuid.uuid4()), "Python " + uuid.uuid4().hex
        first, second = (
            self.api.call(create_entity.sync_detailed, body=EntityCreate(name=name), idempotency_key=key) for _ in range(2)
        )
        self.assertEqual(first.id, second.id)


class ValuesTest(unittest.TestCase):
    def test_classes_of_accounts(self) -> None:
        self.assertEqual([AccountClass.CREDIT_CARD, AccountClass.ASSET], ["CreditCard", "Asset"])
        self.assertLess(set(AccountClass), set(AccountTypeEnum))
        self.assertEqual(len(AccountTypeEnum), 19)


class RetryTest(unittest.TestCase):
    def send(self, answers: list[object], method: str = "GET", **headers: str) -> tuple[object, list[float]]:
        waits: list[float] = []

        def answer(_: httpx.Request) -> httpx.Response:
            next_one = answers.pop(0)
            if isinstance(next_one, Exception):
                raise next_one
            assert isinstance(next_one, httpx.Response)
            return next_one

        transport = RetryTransport(2, wrapped=httpx.MockTransport(answer), sleep=waits.append)
        with httpx.Client(transport=transport) as client:
            try:
                return client.request(method, "http://localhost/", headers=headers).status_code, waits
            except httpx.TransportError as error:
                return type(error), waits

    def test_waits_for_retry_after(self) -> None:
        refused = httpx.Response(429, headers={"Retry-After": "7"})
        self.assertEqual(self.send([refused, httpx.Response(200)]), (200, [7.0]))

    def test_ends_after_the_last_retry(self) -> None:
        status, waits = self.send([httpx.Response(503) for _ in range(3)])
        self.assertEqual((status, len(waits)), (503, 2))

    def test_a_post_is_not_repeated_without_a_key(self) -> None:
        self.assertEqual(self.send([httpx.Response(503)], "POST"), (503, []))
        self.assertEqual(self.send([httpx.ConnectError("no")], "POST"), (httpx.ConnectError, []))
        keyed = {"Idempotency-Key": "k"}
        self.assertEqual(self.send([httpx.Response(503, headers={"Retry-After": "0"}), httpx.Response(200)], "POST", **keyed), (200, [0.0]))


if __name__ == "__main__":
    unittest.main()
