-- +goose Up
-- The invoices of a source, and those that a user or a program uploaded, in the order of lists. A document
-- names its invoice, which is stored in the same transaction.
UPDATE documents SET invoice_id = (SELECT i.id FROM invoices AS i WHERE i.document_id = documents.id)
WHERE invoice_id IS NULL AND EXISTS (SELECT 1 FROM invoices AS i WHERE i.document_id = documents.id);
CREATE INDEX documents_with_invoice_by_origin ON documents (organization_id, origin, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX documents_with_invoice_by_uploader ON documents (organization_id, created_by, invoice_id) WHERE invoice_id IS NOT NULL AND created_by IS NOT NULL;

-- +goose Down
DROP INDEX documents_with_invoice_by_uploader;
DROP INDEX documents_with_invoice_by_origin;
