-- +goose NO TRANSACTION
-- +goose Up
-- Adds the entity, the dates and the gross total of existing invoices to their sources. Changes of invoices continue
-- meanwhile, and their triggers write newer values: a row with an entity remains as it is. A transaction can change several
-- invoices, so the migration never waits for a row: it would have others that the transaction needs. It tries again until
-- each row has an entity. The index is built without a lock that stops writers, and the former one remains until then. After
-- an interruption the next attempt starts again. An interrupted attempt leaves an invalid index.
-- +goose StatementBegin
DO $$
BEGIN
    LOOP
        UPDATE invoice_sources AS s SET entity_id = i.entity_id, issue_date = i.issue_date, due_date = i.due_date, gross_fixed = i.gross_fixed
            FROM (SELECT i.id, i.organization_id, i.entity_id, i.issue_date, i.due_date, i.gross_fixed
                FROM invoice_sources AS o JOIN invoices AS i ON i.id = o.invoice_id AND i.organization_id = o.organization_id
                WHERE o.entity_id IS NULL FOR UPDATE OF o SKIP LOCKED) AS i
            WHERE s.organization_id = i.organization_id AND s.invoice_id = i.id;
        COMMIT;
        EXIT WHEN NOT EXISTS (SELECT FROM invoice_sources AS o JOIN invoices AS i ON i.id = o.invoice_id AND i.organization_id = o.organization_id
            WHERE o.entity_id IS NULL);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;
-- +goose StatementEnd
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source_next;
CREATE INDEX CONCURRENTLY invoice_sources_by_source_next ON invoice_sources (organization_id, source, invoice_id) INCLUDE (entity_id, issue_date, due_date, gross_fixed);
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source;
ALTER INDEX invoice_sources_by_source_next RENAME TO invoice_sources_by_source;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source_next;
CREATE INDEX CONCURRENTLY invoice_sources_by_source_next ON invoice_sources (organization_id, source, invoice_id);
DROP INDEX CONCURRENTLY IF EXISTS invoice_sources_by_source;
ALTER INDEX invoice_sources_by_source_next RENAME TO invoice_sources_by_source;
