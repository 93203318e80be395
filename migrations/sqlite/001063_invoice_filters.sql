-- +goose Up
-- The invoices with a failed check, for the filter of lists.
CREATE INDEX invoices_with_failed_checks ON invoices (organization_id, id) WHERE failed_checks <> '';
CREATE INDEX invoices_of_entity_with_failed_checks ON invoices (entity_id, id) WHERE failed_checks <> '';

-- +goose Down
DROP INDEX invoices_of_entity_with_failed_checks;
DROP INDEX invoices_with_failed_checks;
