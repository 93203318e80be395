-- +goose NO TRANSACTION
-- +goose Up
-- Lists of a filter in the order of a date or an amount. Each index has what such a list compares, so that it reads
-- no invoice outside its page.
-- The release before reads and writes invoices meanwhile, so the indexes are built and dropped without a lock that stops
-- writers, and a filter has an index at each time. Each statement is a transaction of its own. After an interruption
-- the next attempt starts again. An interrupted attempt leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS invoices_assigned_next;
CREATE INDEX CONCURRENTLY invoices_assigned_next ON invoices (organization_id, assigned_to, id) INCLUDE (entity_id, issue_date, due_date, gross_fixed, updated_at) WHERE assigned_to IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS invoices_assigned;
ALTER INDEX invoices_assigned_next RENAME TO invoices_assigned;
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_supplier_next;
CREATE INDEX CONCURRENTLY invoices_of_supplier_next ON invoices (supplier_id, id DESC) INCLUDE (organization_id, entity_id, issue_date, due_date, gross_fixed, updated_at) WHERE supplier_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_supplier;
ALTER INDEX invoices_of_supplier_next RENAME TO invoices_of_supplier;
-- Most invoices have the type INVOICE. A list of these finds its page in its order. With all invoices, the planner would
-- read the whole index for lists with a range of dates.
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_other_types;
CREATE INDEX CONCURRENTLY invoices_of_other_types ON invoices (organization_id, type, entity_id, id) INCLUDE (issue_date, due_date, gross_fixed, updated_at) WHERE type <> 'INVOICE';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_other_types;
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_supplier_next;
CREATE INDEX CONCURRENTLY invoices_of_supplier_next ON invoices (supplier_id, id DESC) WHERE supplier_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS invoices_of_supplier;
ALTER INDEX invoices_of_supplier_next RENAME TO invoices_of_supplier;
DROP INDEX CONCURRENTLY IF EXISTS invoices_assigned_next;
CREATE INDEX CONCURRENTLY invoices_assigned_next ON invoices (organization_id, assigned_to, id) WHERE assigned_to IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS invoices_assigned;
ALTER INDEX invoices_assigned_next RENAME TO invoices_assigned;
