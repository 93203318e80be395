-- +goose Up
CREATE TABLE organizations (
    id                  uuid PRIMARY KEY,
    identity_id         text UNIQUE,
    name                text NOT NULL,
    payment_customer_id varchar(255),
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);

CREATE UNIQUE INDEX organizations_payment_customer_id ON organizations (payment_customer_id);

CREATE TABLE users (
    id                  uuid PRIMARY KEY,
    email               text NOT NULL,
    name                text NOT NULL,
    password_hash       text NOT NULL,
    disabled            boolean NOT NULL,
    password_changed_at timestamptz,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);

CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE memberships (
    user_id         uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    role            text NOT NULL,
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    PRIMARY KEY (user_id, organization_id)
);

CREATE INDEX memberships_organization_id ON memberships (organization_id);

CREATE TABLE sessions (
    id              uuid PRIMARY KEY,
    user_id         uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL
);

CREATE INDEX sessions_user_id ON sessions (user_id);
CREATE INDEX sessions_organization_id ON sessions (organization_id);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE sign_in_attempts (
    key_hash text PRIMARY KEY,
    attempts bigint NOT NULL,
    ends_at  timestamptz NOT NULL
);

CREATE INDEX sign_in_attempts_ends_at ON sign_in_attempts (ends_at);

-- +goose Down
DROP TABLE sign_in_attempts;
DROP TABLE sessions;
DROP TABLE memberships;
DROP TABLE users;
DROP TABLE organizations;
