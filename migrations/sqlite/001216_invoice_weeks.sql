-- +goose Up
-- Lists of a range of one date in the order of another one, which begins with invoices outside the range. A row says
-- that an invoice may have two dates in two weeks, so that such a list skips the weeks without a row. Rows are only
-- added: a week without invoices is read in vain, but none is skipped that has one. Week 0 is that of invoices without the
-- date, and week 1 begins with the calendar.
CREATE TABLE invoice_weeks (
    organization_id text NOT NULL,
    pair            text NOT NULL,
    week_a          integer NOT NULL,
    week_b          integer NOT NULL,
    PRIMARY KEY (organization_id, pair, week_a, week_b)
) WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER invoice_weeks_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b)
        SELECT new.organization_id, p.pair, p.week_a, p.week_b FROM (
            WITH i AS (SELECT CASE WHEN substr(new.created_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(new.created_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS created,
            CASE WHEN substr(new.updated_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(new.updated_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS updated,
            CASE WHEN new.issue_date > '0001-01-01' THEN CAST(julianday(new.issue_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS issue,
            CASE WHEN new.due_date > '0001-01-01' THEN CAST(julianday(new.due_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS due)
            SELECT 'created_issue' AS pair, created AS week_a, issue AS week_b FROM i UNION ALL
            SELECT 'created_due', created, due FROM i UNION ALL
            SELECT 'created_updated', created, updated FROM i UNION ALL
            SELECT 'issue_due', issue, due FROM i UNION ALL
            SELECT 'issue_updated', issue, updated FROM i UNION ALL
            SELECT 'due_updated', due, updated FROM i) AS p
        WHERE NOT EXISTS (SELECT 1 FROM invoice_weeks AS w WHERE w.organization_id = new.organization_id
            AND w.pair = p.pair AND w.week_a = p.week_a AND w.week_b = p.week_b);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_weeks_update AFTER UPDATE ON invoices
WHEN old.organization_id <> new.organization_id OR old.created_at <> new.created_at
    OR old.issue_date IS NOT new.issue_date OR old.due_date IS NOT new.due_date
    OR substr(old.updated_at, 1, 10) <> substr(new.updated_at, 1, 10) BEGIN
    INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b)
        SELECT new.organization_id, p.pair, p.week_a, p.week_b FROM (
            WITH i AS (SELECT CASE WHEN substr(new.created_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(new.created_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS created,
            CASE WHEN substr(new.updated_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(new.updated_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS updated,
            CASE WHEN new.issue_date > '0001-01-01' THEN CAST(julianday(new.issue_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS issue,
            CASE WHEN new.due_date > '0001-01-01' THEN CAST(julianday(new.due_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS due)
            SELECT 'created_issue' AS pair, created AS week_a, issue AS week_b FROM i UNION ALL
            SELECT 'created_due', created, due FROM i UNION ALL
            SELECT 'created_updated', created, updated FROM i UNION ALL
            SELECT 'issue_due', issue, due FROM i UNION ALL
            SELECT 'issue_updated', issue, updated FROM i UNION ALL
            SELECT 'due_updated', due, updated FROM i) AS p
        WHERE NOT EXISTS (SELECT 1 FROM invoice_weeks AS w WHERE w.organization_id = new.organization_id
            AND w.pair = p.pair AND w.week_a = p.week_a AND w.week_b = p.week_b);
END;
-- +goose StatementEnd
-- Operators repeat this statement if rows are missing.
INSERT OR IGNORE INTO invoice_weeks (organization_id, pair, week_a, week_b)
    WITH i AS MATERIALIZED (SELECT DISTINCT organization_id,
            CASE WHEN substr(created_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(created_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS created,
            CASE WHEN substr(updated_at, 1, 10) > '0001-01-01' THEN CAST(julianday(substr(updated_at, 1, 10)) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS updated,
            CASE WHEN issue_date > '0001-01-01' THEN CAST(julianday(issue_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS issue,
            CASE WHEN due_date > '0001-01-01' THEN CAST(julianday(due_date) - 1721425.5 AS integer) / 7 + 1 ELSE 0 END AS due FROM invoices)
    SELECT organization_id, 'created_issue', created, issue FROM i UNION
    SELECT organization_id, 'created_due', created, due FROM i UNION
    SELECT organization_id, 'created_updated', created, updated FROM i UNION
    SELECT organization_id, 'issue_due', issue, due FROM i UNION
    SELECT organization_id, 'issue_updated', issue, updated FROM i UNION
    SELECT organization_id, 'due_updated', due, updated FROM i;

-- +goose Down
DROP TRIGGER invoice_weeks_update;
DROP TRIGGER invoice_weeks_insert;
DROP TABLE invoice_weeks;
