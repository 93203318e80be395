#!/usr/bin/env bash
# Uploads examples/invoice-ubl.xml to a running sandbox (`make run`), extracts it
# and prints the invoice. It needs bash and curl only.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
values=${SANDBOX_ENV:-$here/../sandbox.env}
[[ -f $values ]] || { echo "No sandbox is running: $values does not exist. Run 'make run' in another terminal first." >&2; exit 1; }
# shellcheck disable=SC1090
. "$values"

# field prints the first string value of a JSON key from standard input.
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }
# call sends a request with the token and fails with the message of the API.
call() {
	local body
	body=$(curl --silent --show-error --header "Authorization: Bearer ${TOKEN:-}" "$@")
	if [[ $body == *'"error":{'* ]]; then
		printf '%s\n' "$body" >&2
		exit 1
	fi
	printf '%s\n' "$body"
}

TOKEN=$(call "$BASE_URL/api/auth/login" --header 'Content-Type: application/json' \
	--data "{\"email\":\"$LOGIN_EMAIL\",\"password\":\"$LOGIN_PASSWORD\"}" | field token)
DOCUMENT=$(call "$BASE_URL/api/documents/upload" --form "entity_id=$ENTITY_ID" --form "file=@$here/invoice-ubl.xml" | grep -o '"id":"[^"]*"' | head -n 1 | cut -d'"' -f4)
INVOICE=$(call "$BASE_URL/api/invoices/extract" --header 'Content-Type: application/json' --data "{\"document_id\":\"$DOCUMENT\"}")

for name in invoice_number issue_date due_date currency net_total tax_total gross_total status; do
	printf '%-15s %s\n' "$name" "$(printf '%s' "$INVOICE" | grep -o "\"$name\":\"[^\"]*\"" | tail -n 1 | cut -d'"' -f4)"
done
