-- +goose Up
-- Sums with a filter by the state of the sync read the groups by status: the status SYNCED means that the sync is DONE,
-- and SYNC_FAILED that it FAILED. The table has the invoices of which this is not true. A sum reads them one by one.
-- It may have others, too. The triggers also work while the release before writes.
-- This migration locks only the syncs, and the next one only the invoices, because changes lock them in both orders.
LOCK TABLE invoice_syncs IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE invoice_sync_differences (
    organization_id uuid NOT NULL,
    invoice_id      uuid NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
);
-- +goose StatementBegin
CREATE FUNCTION invoice_sync_compare(organization uuid, invoice uuid, status text, state text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (CASE status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END <> CASE WHEN state IN ('DONE', 'FAILED') THEN state ELSE '' END) THEN
        INSERT INTO invoice_sync_differences (organization_id, invoice_id) VALUES (organization, invoice) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM invoice_sync_differences AS d WHERE d.organization_id = organization AND d.invoice_id = invoice;
    END IF;
END $$;
-- +goose StatementEnd
-- The invoice is locked, so that no other transaction changes its status at the same time. It does not exist any more if
-- its deletion deletes the sync.
-- +goose StatementBegin
CREATE FUNCTION invoice_syncs_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found_status text;
BEGIN
    IF TG_OP = 'DELETE' THEN
        SELECT i.status INTO found_status FROM invoices AS i WHERE i.id = OLD.invoice_id FOR NO KEY UPDATE;
        PERFORM invoice_sync_compare(OLD.organization_id, OLD.invoice_id, coalesce(found_status, ''), '');
    ELSE
        SELECT i.status INTO found_status FROM invoices AS i WHERE i.id = NEW.invoice_id FOR NO KEY UPDATE;
        PERFORM invoice_sync_compare(NEW.organization_id, NEW.invoice_id, coalesce(found_status, ''), NEW.state);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_syncs_insert AFTER INSERT ON invoice_syncs FOR EACH ROW
WHEN (NEW.state IN ('DONE', 'FAILED')) EXECUTE FUNCTION invoice_syncs_state();
CREATE TRIGGER invoice_syncs_update AFTER UPDATE ON invoice_syncs FOR EACH ROW
WHEN (OLD.state <> NEW.state AND (OLD.state IN ('DONE', 'FAILED') OR NEW.state IN ('DONE', 'FAILED'))) EXECUTE FUNCTION invoice_syncs_state();
CREATE TRIGGER invoice_syncs_delete AFTER DELETE ON invoice_syncs FOR EACH ROW
WHEN (OLD.state IN ('DONE', 'FAILED')) EXECUTE FUNCTION invoice_syncs_state();

-- +goose Down
DROP TRIGGER invoice_syncs_delete ON invoice_syncs;
DROP TRIGGER invoice_syncs_update ON invoice_syncs;
DROP TRIGGER invoice_syncs_insert ON invoice_syncs;
DROP FUNCTION invoice_syncs_state();
DROP FUNCTION invoice_sync_compare(uuid, uuid, text, text);
DROP TABLE invoice_sync_differences;
