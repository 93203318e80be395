-- +goose Up
-- Adds the entity, the dates and the gross total of existing invoices to their sources. A row with an entity has the values
-- of a trigger, which are newer.
UPDATE invoice_sources SET entity_id = i.entity_id, issue_date = i.issue_date, due_date = i.due_date, gross_fixed = i.gross_fixed
    FROM invoices AS i WHERE i.id = invoice_sources.invoice_id AND i.organization_id = invoice_sources.organization_id AND invoice_sources.entity_id IS NULL;
DROP INDEX invoice_sources_by_source;
CREATE INDEX invoice_sources_by_source ON invoice_sources (organization_id, source, invoice_id, entity_id, issue_date, due_date, gross_fixed);

-- +goose Down
DROP INDEX invoice_sources_by_source;
CREATE INDEX invoice_sources_by_source ON invoice_sources (organization_id, source, invoice_id);
