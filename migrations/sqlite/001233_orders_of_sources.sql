-- +goose Up
-- The entity, the dates and the gross total of each invoice in invoice_sources. A list with a source in the order of a date
-- or an amount compares these instead of the invoices. The triggers also work while the release before writes. The next
-- migration adds the values of existing invoices.
ALTER TABLE invoice_sources ADD COLUMN entity_id text;
ALTER TABLE invoice_sources ADD COLUMN issue_date date;
ALTER TABLE invoice_sources ADD COLUMN due_date date;
ALTER TABLE invoice_sources ADD COLUMN gross_fixed integer;
DROP TRIGGER invoice_sources_insert;
-- +goose StatementBegin
CREATE TRIGGER invoice_sources_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_sources (organization_id, invoice_id, source, entity_id, issue_date, due_date, gross_fixed)
        SELECT new.organization_id, new.id, d.origin, new.entity_id, new.issue_date, new.due_date, new.gross_fixed FROM documents AS d WHERE d.id = new.document_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sources_update AFTER UPDATE OF entity_id, issue_date, due_date, gross_fixed ON invoices
    WHEN old.entity_id <> new.entity_id OR old.issue_date IS NOT new.issue_date OR old.due_date IS NOT new.due_date OR old.gross_fixed IS NOT new.gross_fixed
BEGIN
    UPDATE invoice_sources SET entity_id = new.entity_id, issue_date = new.issue_date, due_date = new.due_date, gross_fixed = new.gross_fixed
        WHERE organization_id = new.organization_id AND invoice_id = new.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_sources_update;
DROP TRIGGER invoice_sources_insert;
-- +goose StatementBegin
CREATE TRIGGER invoice_sources_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_sources (organization_id, invoice_id, source) SELECT new.organization_id, new.id, d.origin FROM documents AS d WHERE d.id = new.document_id;
END;
-- +goose StatementEnd
ALTER TABLE invoice_sources DROP COLUMN gross_fixed;
ALTER TABLE invoice_sources DROP COLUMN due_date;
ALTER TABLE invoice_sources DROP COLUMN issue_date;
ALTER TABLE invoice_sources DROP COLUMN entity_id;
