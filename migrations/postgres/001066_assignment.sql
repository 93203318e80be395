-- +goose Up
-- The member to whom an invoice is assigned.
ALTER TABLE invoices ADD COLUMN assigned_to uuid;
CREATE INDEX invoices_assigned ON invoices (organization_id, assigned_to, id) WHERE assigned_to IS NOT NULL;

-- +goose Down
DROP INDEX invoices_assigned;
ALTER TABLE invoices DROP COLUMN assigned_to;
