-- +goose Up
CREATE TABLE suppliers (
    id              text PRIMARY KEY NOT NULL,
    organization_id text NOT NULL,
    entity_id       text NOT NULL,
    -- The supplier into which this one was merged; the row only leads there.
    merged_into     text,
    name            text NOT NULL,
    -- Folded names, tax ids and bank accounts, for searches.
    search          text NOT NULL,
    contact_id      text NOT NULL,
    last_invoice_id text,
    body            text NOT NULL,
    version         integer NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

CREATE INDEX suppliers_newest ON suppliers (organization_id, id DESC);
CREATE INDEX suppliers_newest_of_entity ON suppliers (entity_id, id DESC);
CREATE INDEX suppliers_by_contact ON suppliers (entity_id, contact_id) WHERE contact_id <> '';

-- What identifies suppliers. Keys are hashed, which makes them short.
CREATE TABLE supplier_keys (
    entity_id       text NOT NULL,
    key_hash        text NOT NULL,
    supplier_id     text NOT NULL REFERENCES suppliers (id) ON DELETE CASCADE,
    organization_id text NOT NULL,
    PRIMARY KEY (entity_id, key_hash, supplier_id)
);

CREATE INDEX supplier_keys_of_supplier ON supplier_keys (supplier_id);

-- Null: not determined yet. The zero id: the invoice states nothing that identifies a supplier.
ALTER TABLE invoices ADD COLUMN supplier_id text;
CREATE INDEX invoices_of_supplier ON invoices (supplier_id, id DESC) WHERE supplier_id IS NOT NULL;
-- The job that makes suppliers from approved invoices looks for these.
CREATE INDEX invoices_without_supplier ON invoices (id) WHERE supplier_id IS NULL AND status IN ('APPROVED', 'SYNCED', 'SYNC_FAILED');

-- +goose Down
DROP INDEX invoices_without_supplier;
DROP INDEX invoices_of_supplier;
ALTER TABLE invoices DROP COLUMN supplier_id;
DROP TABLE supplier_keys;
DROP TABLE suppliers;
