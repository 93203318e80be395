-- +goose Up
-- Lists of a filter in the order of a date or an amount. Each index has what such a list compares, so that it reads
-- no invoice outside its page. The names remain, because lists name the index that they read.
DROP INDEX invoices_assigned;
CREATE INDEX invoices_assigned ON invoices (organization_id, assigned_to, id, entity_id, issue_date, due_date, gross_fixed, updated_at) WHERE assigned_to IS NOT NULL;
DROP INDEX invoices_of_supplier;
CREATE INDEX invoices_of_supplier ON invoices (supplier_id, id DESC, organization_id, entity_id, issue_date, due_date, gross_fixed, updated_at) WHERE supplier_id IS NOT NULL;
DROP INDEX invoices_by_creation;
CREATE INDEX invoices_by_creation ON invoices (organization_id, created_at, id, issue_date, due_date, gross_fixed);
DROP INDEX invoices_by_update;
CREATE INDEX invoices_by_update ON invoices (organization_id, updated_at, id, issue_date, due_date, gross_fixed);
-- Most invoices have the type INVOICE. A list of these finds its page in its order.
CREATE INDEX invoices_of_other_types ON invoices (organization_id, type, entity_id, id, issue_date, due_date, gross_fixed, updated_at) WHERE type <> 'INVOICE';

-- +goose Down
DROP INDEX invoices_of_other_types;
DROP INDEX invoices_by_update;
CREATE INDEX invoices_by_update ON invoices (organization_id, updated_at, id);
DROP INDEX invoices_by_creation;
CREATE INDEX invoices_by_creation ON invoices (organization_id, created_at, id);
DROP INDEX invoices_of_supplier;
CREATE INDEX invoices_of_supplier ON invoices (supplier_id, id DESC) WHERE supplier_id IS NOT NULL;
DROP INDEX invoices_assigned;
CREATE INDEX invoices_assigned ON invoices (organization_id, assigned_to, id) WHERE assigned_to IS NOT NULL;
