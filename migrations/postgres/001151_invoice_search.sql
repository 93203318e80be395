-- +goose Up
-- Parts of the number, seller, purchase order and file name are found from an index of
-- their trigrams. The search also works without the index, but reads every invoice. A user
-- who may not create the extension, or a server that does not have it, stays without it.
-- Migration 1213 replaces the index by one that needs no extension.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX invoices_search ON invoices USING gin (search gin_trgm_ops, search_file gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE NOTICE 'invoices have no index for searches: %', SQLERRM;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX IF EXISTS invoices_search;
