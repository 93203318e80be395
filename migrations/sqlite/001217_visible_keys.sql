-- +goose Up
-- Keys have no characters that show nothing. Such letters and marks of keys of earlier releases are removed:
-- the service makes the rows again, as those of invoices without keys.
DELETE FROM invoice_duplicate_keys WHERE number_key GLOB '*[' || char(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0, 0xFE00) || '-' || char(0xFE0F, 0xE0100) || '-' || char(0xE01EF) || ']*'
    OR name_key GLOB '*[' || char(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0, 0xFE00) || '-' || char(0xFE0F, 0xE0100) || '-' || char(0xE01EF) || ']*';

-- +goose Down
-- The rows that are made again remain.
SELECT 1;
