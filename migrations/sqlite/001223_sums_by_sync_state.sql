-- +goose Up
-- Sums with a filter by the state of the sync read the groups by status: the status SYNCED means that the sync is DONE,
-- and SYNC_FAILED that it FAILED. The table has the invoices of which this is not true. A sum reads them one by one.
-- It may have others, too. The triggers also work while the release before writes.
CREATE TABLE invoice_sync_differences (
    organization_id text NOT NULL,
    invoice_id      text NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
) WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER invoice_syncs_insert AFTER INSERT ON invoice_syncs WHEN new.state IN ('DONE', 'FAILED') BEGIN
    DELETE FROM invoice_sync_differences WHERE organization_id = new.organization_id AND invoice_id = new.invoice_id;
    INSERT INTO invoice_sync_differences (organization_id, invoice_id) SELECT i.organization_id, i.id FROM invoices AS i WHERE i.id = new.invoice_id
        AND CASE i.status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END <> CASE WHEN new.state IN ('DONE', 'FAILED') THEN new.state ELSE '' END;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_syncs_update AFTER UPDATE ON invoice_syncs
WHEN old.state <> new.state AND (old.state IN ('DONE', 'FAILED') OR new.state IN ('DONE', 'FAILED')) BEGIN
    DELETE FROM invoice_sync_differences WHERE organization_id = new.organization_id AND invoice_id = new.invoice_id;
    INSERT INTO invoice_sync_differences (organization_id, invoice_id) SELECT i.organization_id, i.id FROM invoices AS i WHERE i.id = new.invoice_id
        AND CASE i.status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END <> CASE WHEN new.state IN ('DONE', 'FAILED') THEN new.state ELSE '' END;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_syncs_delete AFTER DELETE ON invoice_syncs WHEN old.state IN ('DONE', 'FAILED') BEGIN
    DELETE FROM invoice_sync_differences WHERE organization_id = old.organization_id AND invoice_id = old.invoice_id;
    INSERT INTO invoice_sync_differences (organization_id, invoice_id) SELECT i.organization_id, i.id FROM invoices AS i WHERE i.id = old.invoice_id
        AND CASE i.status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END <> '';
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_syncs_delete;
DROP TRIGGER invoice_syncs_update;
DROP TRIGGER invoice_syncs_insert;
DROP TABLE invoice_sync_differences;
