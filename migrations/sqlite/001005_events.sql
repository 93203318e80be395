-- +goose Up

-- SQLite has one writer at a time, so that the order of seq is the order of
-- commits and every position is 0. PostgreSQL needs the column.
CREATE TABLE events (
    seq             integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    position        integer NOT NULL DEFAULT 0,
    id              text NOT NULL UNIQUE,
    type            text NOT NULL,
    organization_id text NOT NULL,
    entity_id       text,
    subject_type    text NOT NULL,
    subject_id      text NOT NULL,
    subject_version integer NOT NULL,
    actor_type      text NOT NULL,
    actor_id        text,
    client_id       text NOT NULL,
    request_id      text NOT NULL,
    created_at      timestamp NOT NULL,
    changes         text,
    data            text
);

CREATE INDEX events_in_order ON events (organization_id, position, seq);
CREATE INDEX events_of_entity ON events (entity_id, position, seq);
CREATE INDEX events_of_subject ON events (subject_id, position, seq);

-- +goose Down
DROP TABLE events;
