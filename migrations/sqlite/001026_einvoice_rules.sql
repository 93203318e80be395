-- +goose Up
-- What follows when an electronic invoice violates official rules: OFF, WARN or BLOCK.
ALTER TABLE settings ADD COLUMN einvoice_rules text NOT NULL DEFAULT 'WARN';

-- +goose Down
ALTER TABLE settings DROP COLUMN einvoice_rules;
