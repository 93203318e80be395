-- +goose Up
-- A sum with a search that many invoices match reads them from the index of sums, which has the texts of searches now.
-- The name remains, because sums name the index that they read.
DROP INDEX invoices_sums;
CREATE INDEX invoices_sums ON invoices (organization_id, entity_id, status, type, currency, issue_date, seller_tax_id, seller_name,
    net_fixed, tax_fixed, gross_fixed, due_fixed, search, search_file);

-- +goose Down
DROP INDEX invoices_sums;
CREATE INDEX invoices_sums ON invoices (organization_id, entity_id, status, type, currency, issue_date, seller_tax_id, seller_name,
    net_fixed, tax_fixed, gross_fixed, due_fixed);
