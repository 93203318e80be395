-- +goose Up
-- The id of a record in another program; '' if it has none.
ALTER TABLE documents ADD COLUMN external_id text NOT NULL DEFAULT '';
ALTER TABLE invoices ADD COLUMN external_id text NOT NULL DEFAULT '';
CREATE INDEX documents_with_external_id ON documents (organization_id, external_id, id) WHERE external_id <> '';
CREATE INDEX invoices_with_external_id ON invoices (organization_id, external_id, id) WHERE external_id <> '';

-- +goose Down
DROP INDEX invoices_with_external_id;
DROP INDEX documents_with_external_id;
ALTER TABLE invoices DROP COLUMN external_id;
ALTER TABLE documents DROP COLUMN external_id;
