-- +goose Up
-- Adds the sources of existing invoices. Changes of invoices continue meanwhile. The next migration removes the sources
-- of invoices that are deleted meanwhile.
INSERT INTO invoice_sources (organization_id, invoice_id, source)
    SELECT i.organization_id, i.id, d.origin FROM invoices AS i JOIN documents AS d ON d.id = i.document_id
    ON CONFLICT DO NOTHING;
CREATE INDEX invoice_sources_by_source ON invoice_sources (organization_id, source, invoice_id);

-- +goose Down
DROP INDEX invoice_sources_by_source;
