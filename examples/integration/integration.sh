#!/usr/bin/env bash
# Uploads an invoice, waits for its data and prints number, amount and currency.
set -euo pipefail

# value prints the first string of a JSON key from standard input.
value() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }
# call sends a request. curl repeats it after 429 and 503.
call() { curl --silent --show-error --fail-with-body --retry 4 --header "Authorization: Bearer ${TOKEN:-}" "$@"; }

TOKEN=$(call "$BASE_URL/api/auth/login" --json "{\"email\":\"$LOGIN_EMAIL\",\"password\":\"$LOGIN_PASSWORD\"}" | value token)
DOCUMENT=$(call "$BASE_URL/api/documents/upload" --form "entity_id=$ENTITY_ID" --form "file=@$1" | value id)
# The response comes when the extraction has ended.
INVOICE=$(call "$BASE_URL/api/invoices/extract" --json "{\"document_id\":\"$DOCUMENT\"}")
echo "$(value invoice_number <<<"$INVOICE") $(value gross_total <<<"$INVOICE") $(value currency <<<"$INVOICE")"
