-- +goose NO TRANSACTION
-- +goose Up
-- Each index is built in a transaction of its own, which waits for no table while it holds a lock on another one.
-- What needs a person, by entity. The queries repeat these conditions literally,
-- so that both databases count from the indexes.
CREATE INDEX IF NOT EXISTS invoices_open_duplicates ON invoices (entity_id, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND strpos(failed_checks, ',not_a_duplicate,') > 0;
CREATE INDEX IF NOT EXISTS invoices_open_new_accounts ON invoices (entity_id, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND failed_blocking > 0 AND strpos(failed_checks, ',bank_account_known,') > 0;
CREATE INDEX IF NOT EXISTS invoices_open_by_due_date ON invoices (entity_id, due_date, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND due_date IS NOT NULL;
CREATE INDEX IF NOT EXISTS documents_held ON documents (entity_id, id)
    WHERE status = 'UPLOADED' AND held_reason = 'plan_limit_reached';

-- +goose Down
DROP INDEX IF EXISTS documents_held;
DROP INDEX IF EXISTS invoices_open_by_due_date;
DROP INDEX IF EXISTS invoices_open_new_accounts;
DROP INDEX IF EXISTS invoices_open_duplicates;
