-- +goose Up
-- skipped_at is when a file of a watched location was skipped; NULL for other states.
ALTER TABLE watch_nodes ADD COLUMN skipped_at timestamptz;
UPDATE watch_nodes SET skipped_at = next_at WHERE state = 'SKIPPED';
CREATE INDEX watch_nodes_skipped ON watch_nodes (integration_id, skipped_at DESC, item_id DESC) WHERE state = 'SKIPPED';

-- +goose Down
DROP INDEX watch_nodes_skipped;
ALTER TABLE watch_nodes DROP COLUMN skipped_at;
