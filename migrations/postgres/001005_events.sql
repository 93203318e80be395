-- +goose Up

-- Transaction ids start anew where a dump is restored into another cluster.
-- The base is raised then, so that positions never fall back.
CREATE TABLE event_clock (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    base     bigint NOT NULL
);

INSERT INTO event_clock (base) VALUES (0);

CREATE FUNCTION event_position() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT pg_current_xact_id()::text::bigint + base FROM event_clock';

-- The first position that a transaction still open may take or have taken.
CREATE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE AS
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + base FROM event_clock';

-- A position is the writing transaction's. Readers go no further than the
-- horizon, so that an event whose transaction commits late is never passed by.
CREATE TABLE events (
    seq             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position        bigint NOT NULL DEFAULT event_position(),
    id              uuid NOT NULL UNIQUE,
    type            text NOT NULL,
    organization_id uuid NOT NULL,
    entity_id       uuid,
    subject_type    text NOT NULL,
    subject_id      uuid NOT NULL,
    subject_version bigint NOT NULL,
    actor_type      text NOT NULL,
    actor_id        uuid,
    client_id       text NOT NULL,
    request_id      text NOT NULL,
    created_at      timestamptz NOT NULL,
    changes         jsonb,
    data            jsonb
);

CREATE INDEX events_in_order ON events (organization_id, position, seq);
CREATE INDEX events_of_entity ON events (entity_id, position, seq);
CREATE INDEX events_of_subject ON events (subject_id, position, seq);

-- +goose Down
DROP TABLE events;
DROP FUNCTION event_horizon();
DROP FUNCTION event_position();
DROP TABLE event_clock;
