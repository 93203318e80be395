-- +goose Up
-- The latest event of each sender that changed what an organization may do.
CREATE TABLE plan_events (
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    sender          text NOT NULL,
    event_id        text NOT NULL,
    type            text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    PRIMARY KEY (organization_id, sender)
);

-- +goose Down
DROP TABLE plan_events;
