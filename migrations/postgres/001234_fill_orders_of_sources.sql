-- +goose NO TRANSACTION
-- +goose Up
-- Adds the entity, the dates and the gross total of existing invoices to their sources. Changes of invoices continue
-- meanwhile, and their triggers write newer values: a row with an entity remains as it is. The index is built without a lock
-- that stops writers, and the former one remains until then. After an interruption the next attempt starts again. An
-- interrupted attempt leaves an invalid index.
UPDATE invoice_sources AS s SET entity_id = i.entity_id, issue_date = i.issue_date, due_date = i.due_date, gross_fixed = i.gross_fixed
    FROM invoices AS i WHERE i.id = s.invoice_id AND i.organization_id = s.organization_id AND s.entity_id IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source_next;
CREATE INDEX CONCURRENTLY invoice_sources_by_source_next ON invoice_sources (organization_id, source, invoice_id) INCLUDE (entity_id, issue_date, due_date, gross_fixed);
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source;
ALTER INDEX invoice_sources_by_source_next RENAME TO invoice_sources_by_source;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source_next;
CREATE INDEX CONCURRENTLY invoice_sources_by_source_next ON invoice_sources (organization_id, source, invoice_id);
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source;
ALTER INDEX invoice_sources_by_source_next RENAME TO invoice_sources_by_source;
