package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// kindsOf returns the kinds that a column of a database's type can contain.
var kindsOf = map[string][]kind{
	// PostgreSQL
	"uuid": {kindUUID}, "character varying": {kindText}, "bigint": {kindInt}, "double precision": {kindReal},
	"timestamp with time zone": {kindTime}, "jsonb": {kindJSON}, "bytea": {kindBytes},
	// both
	"boolean": {kindBool}, "date": {kindDate},
	// SQLite
	"varchar(255)": {kindText}, "integer": {kindInt}, "real": {kindReal}, "timestamp": {kindTime}, "blob": {kindBytes},
}

const (
	postgresCatalogue = `SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`
	sqliteCatalogue = `SELECT m.name, c.name, lower(c.type) FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`
)

// Check compares the schema of the database with the list of transferred tables, so that nothing
// is forgotten. It returns an error that names a table or column that only one of them has.
func (r Rows) Check(ctx context.Context) (err error) {
	query := sqliteCatalogue
	if r.postgres {
		query = postgresCatalogue
	}
	rows, err := r.tx.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	missing := map[string]bool{}
	for _, t := range tables {
		for _, c := range t.columns {
			missing[t.name+"."+c.name] = true
		}
	}
	var problems []string
	for rows.Next() {
		var name, column, declared string
		if err := rows.Scan(&name, &column, &declared); err != nil {
			return fmt.Errorf("read the catalogue: %w", err)
		}
		if isLeft(name) {
			continue
		}
		delete(missing, name+"."+column)
		if problem := r.compare(name, column, declared); problem != "" {
			problems = append(problems, problem)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	for name := range missing {
		problems = append(problems, name+" is missing")
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		return fmt.Errorf("the database is not as this release knows it: %s; use the release that migrated it", strings.Join(problems, ", "))
	}
	return nil
}

func (r Rows) compare(name, column, declared string) string {
	kinds := kindsOf[declared]
	if declared == "text" { // SQLite has no separate types for ids and JSON
		if kinds = []kind{kindText}; !r.postgres {
			kinds = []kind{kindText, kindUUID, kindJSON}
		}
	}
	t, _ := find(name)
	switch k := t.kindOf(column); {
	case k == "":
		return name + "." + column + " is not known"
	case !slices.Contains(kinds, k):
		return fmt.Sprintf("%s.%s is %s instead of %s", name, column, declared, k)
	}
	return ""
}
