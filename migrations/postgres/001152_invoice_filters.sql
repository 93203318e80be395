-- +goose NO TRANSACTION
-- +goose Up
-- Each index is built in a transaction of its own, which waits for no table while it holds a lock on another one.
-- Filters that may match few invoices of many. The entity is in the indexes, so that a list of one
-- entity does not read the invoices of others.
CREATE INDEX IF NOT EXISTS invoices_newest_by_type ON invoices (organization_id, type, id DESC, entity_id);
CREATE INDEX IF NOT EXISTS invoices_newest_by_currency ON invoices (organization_id, currency, id DESC, entity_id);
CREATE INDEX IF NOT EXISTS invoices_by_failed_checks ON invoices (organization_id, failed_checks, id, entity_id) WHERE failed_checks <> '';
CREATE INDEX IF NOT EXISTS invoice_syncs_by_state ON invoice_syncs (organization_id, state, invoice_id);

-- The order of a list with a range of creation.
CREATE INDEX IF NOT EXISTS invoices_by_creation ON invoices (organization_id, created_at, id);
CREATE INDEX IF NOT EXISTS invoices_of_entity_by_creation ON invoices (entity_id, created_at, id);

-- Searches for an amount. The index by gross amount has that which is due, unless it differs.
CREATE INDEX IF NOT EXISTS invoices_by_net ON invoices (organization_id, net_fixed);
CREATE INDEX IF NOT EXISTS invoices_by_other_due ON invoices (organization_id, due_fixed) WHERE due_fixed <> coalesce(gross_fixed, -9000000000000000000);

-- What sums read. It has their columns, so that they do not read the invoices themselves, except for
-- those of the seller: an entry of an index has at most 2,704 bytes.
CREATE INDEX IF NOT EXISTS invoices_sums ON invoices (organization_id, entity_id, id) INCLUDE (status, type, currency, issue_date, net_fixed, tax_fixed, gross_fixed, due_fixed);

-- +goose Down
DROP INDEX IF EXISTS invoices_sums;
DROP INDEX IF EXISTS invoices_by_other_due;
DROP INDEX IF EXISTS invoices_by_net;
DROP INDEX IF EXISTS invoices_of_entity_by_creation;
DROP INDEX IF EXISTS invoices_by_creation;
DROP INDEX IF EXISTS invoice_syncs_by_state;
DROP INDEX IF EXISTS invoices_by_failed_checks;
DROP INDEX IF EXISTS invoices_newest_by_currency;
DROP INDEX IF EXISTS invoices_newest_by_type;
