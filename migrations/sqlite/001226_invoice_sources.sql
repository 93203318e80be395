-- +goose Up
-- The source of each invoice, that of its document. A list or a sum with a source reads its entries instead of documents
-- and invoices. The source of a document does not change. The triggers also work while the release before writes. The
-- next migration adds the sources of existing invoices.
CREATE TABLE invoice_sources (
    organization_id text NOT NULL,
    invoice_id      text NOT NULL,
    source          text NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
) WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER invoice_sources_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_sources (organization_id, invoice_id, source) SELECT new.organization_id, new.id, d.origin FROM documents AS d WHERE d.id = new.document_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sources_delete AFTER DELETE ON invoices BEGIN
    DELETE FROM invoice_sources WHERE organization_id = old.organization_id AND invoice_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_sources_delete;
DROP TRIGGER invoice_sources_insert;
DROP TABLE invoice_sources;
