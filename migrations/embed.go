// Package migrations holds the schema of both databases as goose migrations.
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
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Postgres returns the migrations of PostgreSQL.
func Postgres() fs.FS { return folder("postgres") }

// SQLite returns the migrations of SQLite.
func SQLite() fs.FS { return folder("sqlite") }

// For returns the migrations of a dialect as gorm names it: "postgres" or
// "sqlite".
func For(dialect string) fs.FS {
	if dialect == "postgres" {
		return Postgres()
	}
	return SQLite()
}

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the name is a constant of this file
	}
	return sub
}
