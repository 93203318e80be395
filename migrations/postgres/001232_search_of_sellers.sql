-- +goose NO TRANSACTION
-- +goose Up
-- The release before writes meanwhile, so the indexes are built and dropped without a lock that stops writers. Each
-- statement is a transaction of its own. After an interruption the next attempt starts again.
--
-- The keys of the name of the seller differ from those of the other texts. A sum with a search adds up the groups of the
-- sellers with a name that matches, and reads only the invoices of which another text matches. The functions of the index
-- before remain, because the release before calls them in its searches.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_seller_key(organization uuid, characters text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT hashtextextended(characters COLLATE "C", hashtextextended(organization::text COLLATE "C", 1)) $$;
-- +goose StatementEnd
-- The search text has the number, the seller and the purchase order, each in a line. A query never computes the keys of a
-- stored text: its cost makes the planner read them from the index. The function calls only those of the system, because
-- maintenance has no other in its path.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_search_values(organization uuid, search text, file text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000
AS $$
DECLARE
    number text := split_part(search, chr(10), 1);
    seller text := split_part(search, chr(10), 2);
    texts text[] := ARRAY[number || chr(10) || substr(search, length(number) + length(seller) + 3) || chr(10) || file, seller];
    seed bigint;
    letters text[];
    keys bigint[] := '{}';
BEGIN
    FOR part IN 1 .. 2 LOOP
        seed := hashtextextended(organization::text COLLATE "C", part - 1);
        letters := string_to_array(texts[part], NULL);
        FOR n IN 1 .. coalesce(cardinality(letters), 0) - 2 LOOP
            keys := keys || hashtextextended((letters[n] || letters[n + 1] || letters[n + 2]) COLLATE "C", seed);
        END LOOP;
    END LOOP;
    RETURN keys;
END $$;
-- +goose StatementEnd
-- An interrupted attempt leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_values;
CREATE INDEX CONCURRENTLY invoices_search_values ON invoices USING gin (invoice_search_values(organization_id, search, search_file)) WITH (gin_pending_list_limit = 512);
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_keys;

-- +goose Down
-- An interrupted attempt leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_keys;
CREATE INDEX CONCURRENTLY invoices_search_keys ON invoices USING gin (invoice_search_keys(organization_id, search || chr(10) || search_file)) WITH (gin_pending_list_limit = 512);
DROP INDEX CONCURRENTLY IF EXISTS invoices_search_values;
DROP FUNCTION IF EXISTS invoice_search_values(uuid, text, text);
DROP FUNCTION IF EXISTS invoice_seller_key(uuid, text);
