-- +goose Up
CREATE TABLE organizations (
    id                  text PRIMARY KEY NOT NULL,
    identity_id         text UNIQUE,
    name                text NOT NULL,
    payment_customer_id varchar(255),
    created_at          timestamp NOT NULL,
    updated_at          timestamp NOT NULL
);

CREATE UNIQUE INDEX organizations_payment_customer_id ON organizations (payment_customer_id);

CREATE TABLE users (
    id                  text PRIMARY KEY NOT NULL,
    email               text NOT NULL,
    name                text NOT NULL,
    password_hash       text NOT NULL,
    disabled            boolean NOT NULL,
    password_changed_at timestamp,
    created_at          timestamp NOT NULL,
    updated_at          timestamp NOT NULL
);

CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE memberships (
    user_id         text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    role            text NOT NULL,
    created_at      timestamp NOT NULL,
    last_used_at    timestamp,
    PRIMARY KEY (user_id, organization_id)
);

CREATE INDEX memberships_organization_id ON memberships (organization_id);

CREATE TABLE sessions (
    id              text PRIMARY KEY NOT NULL,
    user_id         text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    created_at      timestamp NOT NULL,
    expires_at      timestamp NOT NULL
);

CREATE INDEX sessions_user_id ON sessions (user_id);
CREATE INDEX sessions_organization_id ON sessions (organization_id);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE sign_in_attempts (
    key_hash text PRIMARY KEY NOT NULL,
    attempts integer NOT NULL,
    ends_at  timestamp NOT NULL
);

CREATE INDEX sign_in_attempts_ends_at ON sign_in_attempts (ends_at);

-- +goose Down
DROP TABLE sign_in_attempts;
DROP TABLE sessions;
DROP TABLE memberships;
DROP TABLE users;
DROP TABLE organizations;
