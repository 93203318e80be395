-- +goose Up
-- The rules of the failed checks, as ",rule,rule,", for the filter of lists.
ALTER TABLE invoices ADD COLUMN failed_checks text NOT NULL DEFAULT '';
UPDATE invoices SET failed_checks = coalesce((SELECT ',' || group_concat(DISTINCT c.value->>'rule') || ','
    FROM json_each(invoices.body, '$.checks') AS c WHERE NOT c.value->>'passed'), '')
WHERE failed_blocking + failed_warning > 0;

-- One index for each sort order of an organization and of an entity. Invoices
-- without a value come first in ascending order.
CREATE INDEX invoices_by_update ON invoices (organization_id, updated_at, id);
CREATE INDEX invoices_of_entity_by_update ON invoices (entity_id, updated_at, id);
CREATE INDEX invoices_by_issue_date ON invoices (organization_id, coalesce(issue_date, '0001-01-01'), id);
CREATE INDEX invoices_of_entity_by_issue_date ON invoices (entity_id, coalesce(issue_date, '0001-01-01'), id);
CREATE INDEX invoices_by_due_date ON invoices (organization_id, coalesce(due_date, '0001-01-01'), id);
CREATE INDEX invoices_of_entity_by_due_date ON invoices (entity_id, coalesce(due_date, '0001-01-01'), id);
CREATE INDEX invoices_by_gross ON invoices (organization_id, coalesce(gross_fixed, -9000000000000000000), id);
CREATE INDEX invoices_of_entity_by_gross ON invoices (entity_id, coalesce(gross_fixed, -9000000000000000000), id);

-- +goose Down
DROP INDEX invoices_of_entity_by_gross;
DROP INDEX invoices_by_gross;
DROP INDEX invoices_of_entity_by_due_date;
DROP INDEX invoices_by_due_date;
DROP INDEX invoices_of_entity_by_issue_date;
DROP INDEX invoices_by_issue_date;
DROP INDEX invoices_of_entity_by_update;
DROP INDEX invoices_by_update;
ALTER TABLE invoices DROP COLUMN failed_checks;
