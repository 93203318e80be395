-- +goose NO TRANSACTION
-- +goose Up
-- related_invoice_id is the invoice that a reminder names; NULL for other documents. The deletion of an invoice
-- finds them by the index. The release before writes documents meanwhile, so the index is built without a lock that stops
-- writers. Each statement is a transaction of its own. After an interruption the next attempt starts again. An
-- interrupted attempt leaves an invalid index.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS related_invoice_id uuid;
DROP INDEX CONCURRENTLY IF EXISTS documents_of_related_invoice;
CREATE INDEX CONCURRENTLY documents_of_related_invoice ON documents (related_invoice_id) WHERE related_invoice_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS documents_of_related_invoice;
ALTER TABLE documents DROP COLUMN IF EXISTS related_invoice_id;
