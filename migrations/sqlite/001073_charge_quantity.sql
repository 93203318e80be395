-- +goose Up
-- quantity is that of the price when the event was written; 0 if it is unknown.
ALTER TABLE charges ADD COLUMN quantity integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE charges DROP COLUMN quantity;
