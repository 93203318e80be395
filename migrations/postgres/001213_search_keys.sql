-- +goose NO TRANSACTION
-- +goose Up
-- The release before writes invoices meanwhile, so the indexes are built and dropped without a lock that
-- stops writers. Each statement is a transaction of its own. After an interruption the next attempt starts
-- again: no statement expects that another one did not run.
--
-- Searches read the texts of one organization, and need no extension. The index has a key for each three
-- characters of a text and its organization, instead of the three characters alone, which texts of all
-- organizations share. The search compares the texts as well, so that equal keys of different characters do
-- no harm.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_search_key(organization uuid, characters text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT hashtextextended(characters COLLATE "C", hashtextextended(organization::text COLLATE "C", 0)) $$;
-- +goose StatementEnd
-- A query never computes the keys of a stored text: its cost makes the planner read them from the index.
-- The function calls only those of the system, because maintenance has no other in its path.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_search_keys(organization uuid, value text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000
AS $$
DECLARE
    seed bigint := hashtextextended(organization::text COLLATE "C", 0);
    letters text[] := string_to_array(value, NULL);
    keys bigint[] := '{}';
BEGIN
    FOR n IN 1 .. coalesce(cardinality(letters), 0) - 2 LOOP
        keys[n] := hashtextextended((letters[n] || letters[n + 1] || letters[n + 2]) COLLATE "C", seed);
    END LOOP;
    RETURN keys;
END $$;
-- +goose StatementEnd
-- A search reads the entries that are not yet in order, too, and those of every organization. They are few.
-- An interrupted attempt leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_keys;
CREATE INDEX CONCURRENTLY invoices_search_keys ON invoices USING gin (invoice_search_keys(organization_id, search || chr(10) || search_file)) WITH (gin_pending_list_limit = 512);
DROP INDEX CONCURRENTLY IF EXISTS invoices_search;

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX IF NOT EXISTS invoices_search ON invoices USING gin (search gin_trgm_ops, search_file gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE NOTICE 'invoices have no index for searches: %', SQLERRM;
END $$;
-- +goose StatementEnd
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_keys;
DROP FUNCTION IF EXISTS invoice_search_keys(uuid, text);
DROP FUNCTION IF EXISTS invoice_search_key(uuid, text);
