-- +goose Up
-- What needs a person, by entity. The queries repeat these conditions literally,
-- so that both databases count from the indexes.
CREATE INDEX invoices_open_duplicates ON invoices (entity_id, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND strpos(failed_checks, ',not_a_duplicate,') > 0;
CREATE INDEX invoices_open_new_accounts ON invoices (entity_id, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND failed_blocking > 0 AND strpos(failed_checks, ',bank_account_known,') > 0;
CREATE INDEX invoices_open_by_due_date ON invoices (entity_id, due_date, id)
    WHERE status IN ('EXTRACTED', 'NEEDS_REVIEW') AND due_date IS NOT NULL;
CREATE INDEX documents_held ON documents (entity_id, id)
    WHERE status = 'UPLOADED' AND held_reason = 'plan_limit_reached';

-- +goose Down
DROP INDEX documents_held;
DROP INDEX invoices_open_by_due_date;
DROP INDEX invoices_open_new_accounts;
DROP INDEX invoices_open_duplicates;
