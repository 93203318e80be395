-- +goose Up
-- The folded file name, in which lists are searched. Documents without an invoice
-- keep '' and are found by their file name.
ALTER TABLE documents ADD COLUMN search_file text NOT NULL DEFAULT '';
UPDATE documents SET search_file = coalesce((SELECT i.search_file FROM invoices AS i WHERE i.document_id = documents.id), '')
WHERE invoice_id IS NOT NULL;

CREATE INDEX documents_by_update ON documents (organization_id, updated_at, id);
CREATE INDEX documents_of_entity_by_update ON documents (entity_id, updated_at, id);

-- Filters that may match few documents of many.
CREATE INDEX documents_by_origin ON documents (organization_id, origin, id);
CREATE INDEX documents_of_integration ON documents (integration_id, id) WHERE integration_id IS NOT NULL;
CREATE INDEX documents_by_uploader ON documents (organization_id, created_by, id) WHERE created_by IS NOT NULL;

-- The invoices with a suspected duplicate that is not dismissed.
CREATE INDEX invoices_with_duplicate ON invoices (organization_id, id) WHERE strpos(failed_checks, ',not_a_duplicate,') > 0;
CREATE INDEX invoices_of_entity_with_duplicate ON invoices (entity_id, id) WHERE strpos(failed_checks, ',not_a_duplicate,') > 0;

-- +goose Down
DROP INDEX invoices_of_entity_with_duplicate;
DROP INDEX invoices_with_duplicate;
DROP INDEX documents_by_uploader;
DROP INDEX documents_of_integration;
DROP INDEX documents_by_origin;
DROP INDEX documents_of_entity_by_update;
DROP INDEX documents_by_update;
ALTER TABLE documents DROP COLUMN search_file;
