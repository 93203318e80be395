-- +goose Up
-- The source of each invoice, that of its document. A list or a sum with a source reads its entries instead of documents
-- and invoices. The source of a document does not change. The triggers also work while the release before writes. The
-- next migration adds the sources of existing invoices.
CREATE TABLE invoice_sources (
    organization_id uuid NOT NULL,
    invoice_id      uuid NOT NULL,
    source          text NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
);
-- +goose StatementBegin
CREATE FUNCTION invoice_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM invoice_sources WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id;
    ELSE
        INSERT INTO invoice_sources (organization_id, invoice_id, source) SELECT NEW.organization_id, NEW.id, d.origin FROM documents AS d WHERE d.id = NEW.document_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_sources_insert AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_source();
CREATE TRIGGER invoice_sources_delete AFTER DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_source();

-- +goose Down
DROP TRIGGER invoice_sources_delete ON invoices;
DROP TRIGGER invoice_sources_insert ON invoices;
DROP FUNCTION invoice_source();
DROP TABLE invoice_sources;
