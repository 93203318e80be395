-- +goose Up
-- The entity, the dates and the gross total of each invoice in invoice_sources. A list with a source in the order of a date
-- or an amount compares these instead of the invoices. The triggers also work while the release before writes. The next
-- migration adds the values of existing invoices.
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE invoice_sources ADD COLUMN entity_id uuid, ADD COLUMN issue_date date, ADD COLUMN due_date date, ADD COLUMN gross_fixed bigint;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM invoice_sources WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id;
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE invoice_sources SET entity_id = NEW.entity_id, issue_date = NEW.issue_date, due_date = NEW.due_date, gross_fixed = NEW.gross_fixed
            WHERE organization_id = NEW.organization_id AND invoice_id = NEW.id;
    ELSE
        INSERT INTO invoice_sources (organization_id, invoice_id, source, entity_id, issue_date, due_date, gross_fixed)
            SELECT NEW.organization_id, NEW.id, d.origin, NEW.entity_id, NEW.issue_date, NEW.due_date, NEW.gross_fixed FROM documents AS d WHERE d.id = NEW.document_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_sources_update AFTER UPDATE ON invoices FOR EACH ROW
    WHEN (OLD.entity_id <> NEW.entity_id OR OLD.issue_date IS DISTINCT FROM NEW.issue_date OR OLD.due_date IS DISTINCT FROM NEW.due_date
        OR OLD.gross_fixed IS DISTINCT FROM NEW.gross_fixed)
    EXECUTE FUNCTION invoice_source();

-- +goose Down
LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER invoice_sources_update ON invoices;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM invoice_sources WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id;
    ELSE
        INSERT INTO invoice_sources (organization_id, invoice_id, source) SELECT NEW.organization_id, NEW.id, d.origin FROM documents AS d WHERE d.id = NEW.document_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
ALTER TABLE invoice_sources DROP COLUMN entity_id, DROP COLUMN issue_date, DROP COLUMN due_date, DROP COLUMN gross_fixed;
