-- +goose Up
-- Keys have no characters that show nothing. Such letters and marks of keys of earlier releases are removed:
-- the service makes the rows again, as those of invoices without keys.
DELETE FROM invoice_duplicate_keys WHERE number_key ~ '[\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180D\u180F\u3164\uFE00-\uFE0F\uFFA0\U000E0100-\U000E01EF]'
    OR name_key ~ '[\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180D\u180F\u3164\uFE00-\uFE0F\uFFA0\U000E0100-\U000E01EF]';

-- +goose Down
-- The rows that are made again remain.
SELECT 1;
