-- +goose Up
-- related_invoice_id is the invoice that a reminder names; NULL for other documents. The deletion of an invoice
-- finds them by the index.
ALTER TABLE documents ADD COLUMN related_invoice_id text;
CREATE INDEX documents_of_related_invoice ON documents (related_invoice_id) WHERE related_invoice_id IS NOT NULL;

-- +goose Down
DROP INDEX documents_of_related_invoice;
ALTER TABLE documents DROP COLUMN related_invoice_id;
