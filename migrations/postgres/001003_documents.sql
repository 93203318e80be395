-- +goose Up
CREATE TABLE documents (
    id              uuid PRIMARY KEY,
    entity_id       uuid NOT NULL,
    organization_id uuid NOT NULL,
    filename        text NOT NULL,
    media_type      text NOT NULL,
    size_bytes      bigint NOT NULL,
    sha256          text NOT NULL,
    page_count      bigint NOT NULL,
    origin          text NOT NULL,
    integration_id  uuid,
    source_path     text NOT NULL,
    status          text NOT NULL,
    failure         jsonb,
    held_reason     text NOT NULL,
    invoice_id      uuid,
    parent_id       uuid REFERENCES documents (id) ON DELETE CASCADE,
    part            bigint NOT NULL,
    pages           jsonb,
    attachments     jsonb NOT NULL,
    attempts        bigint NOT NULL,
    run             bigint NOT NULL,
    restarts        bigint NOT NULL,
    requested       boolean NOT NULL,
    forced          boolean NOT NULL,
    version         bigint NOT NULL,
    created_by      uuid,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

-- The same bytes are one document of an entity; parts of a split file share
-- the bytes of the whole.
CREATE UNIQUE INDEX documents_bytes ON documents (entity_id, sha256) WHERE part = 0;
CREATE UNIQUE INDEX documents_parts ON documents (parent_id, part) WHERE parent_id IS NOT NULL;

-- Lists are newest first; ids are UUIDv7, so that their order is that of time.
CREATE INDEX documents_newest ON documents (organization_id, id DESC);
CREATE INDEX documents_newest_of_entity ON documents (entity_id, id DESC);
CREATE INDEX documents_newest_by_status ON documents (organization_id, status, id DESC);
CREATE INDEX documents_newest_of_entity_by_status ON documents (entity_id, status, id DESC);

-- The sweep looks for what has come to no end.
CREATE INDEX documents_unfinished ON documents (updated_at) WHERE status IN ('UPLOADED', 'PROCESSING');

-- +goose Down
DROP TABLE documents;
