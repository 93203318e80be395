"""Uploads an invoice, waits for its data and prints number, amount and currency."""

import os
import sys

from docledger import ApiError, Docledger

try:
    with Docledger.sign_in(os.environ["BASE_URL"], os.environ["LOGIN_EMAIL"], os.environ["LOGIN_PASSWORD"]) as api:
        document = api.upload(sys.argv[1], os.environ["ENTITY_ID"])
        document = api.wait_for_extraction(document.id)
        if document.status != "EXTRACTED":
            sys.exit(f"The document is {document.status}.")
        invoice = api.extract(document.id)
        print(invoice.invoice_number, invoice.gross_total, invoice.currency)
except ApiError as error:
    sys.exit(f"{error} (request {error.request_id})")
