// Package migrations holds the schema of both databases: goose migrations, and the
// tables of the job queue.
//
// A version is generation × 1000 + the number within that generation; each
// release that changes the schema opens a new generation. Migrations only add:
// the release before runs on the schema of the next one, so what a release no
// longer uses is dropped by the one after it (domain D23).
//
// The two folders hold the same versions with the same names. Ids are native
// uuid on PostgreSQL and lower-case text on SQLite, which sort alike. Times are
// UTC with microseconds. An amount is kept as it was stated, in text, and where
// SQL compares it also as a 64-bit integer in ten-thousandths.
package migrations

import (
	"embed"
	"io/fs"

	"docledger/adapter/queue"
	"docledger/infrastructure/database"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

//go:generate go run ./generate

// template is a SQLite database with the migrations. It may lack the newest ones.
//
//go:embed sqlite.db.gz
var template []byte

// Postgres returns the schema of PostgreSQL.
func Postgres() database.Schema { return schema("postgres") }

// SQLite returns the schema of SQLite.
func SQLite() database.Schema {
	s := WithoutTemplate()
	s.Template = database.Template{Database: template, Stamps: []string{
		"UPDATE goose_db_version SET tstamp = datetime('now')", "UPDATE river_migration SET created_at = CURRENT_TIMESTAMP",
	}}
	return s
}

// WithoutTemplate returns the schema of SQLite. It applies every migration to an empty database.
func WithoutTemplate() database.Schema { return schema("sqlite") }

// For returns the schema of a dialect as gorm names it: "postgres" or "sqlite".
func For(dialect string) database.Schema {
	if dialect == "postgres" {
		return Postgres()
	}
	return SQLite()
}

func schema(dialect string) database.Schema {
	sub, err := fs.Sub(files, dialect)
	if err != nil {
		panic(err) // the name is a constant of this file
	}
	return database.Schema{Migrations: sub, Libraries: []database.Library{queue.Schema{Dialect: dialect}}}
}
