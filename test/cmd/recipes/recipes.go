package main

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// recipes are the recipes that a program can follow.
func recipes() ([]recipe, error) {
	next, err := nextMigration()
	if err != nil {
		return nil, err
	}
	return []recipe{errorCode(), jobKind(), migration(next)}, nil
}

func errorCode() recipe {
	return recipe{
		section: "Add an error code",
		first: []edit{
			{file: "domain/fault/fault.go", at: "\tCodeUnavailable ", text: "\tCodePlanted Code = \"planted\"\n"},
			{file: "domain/fault/fault.go", at: "CodeUnavailable,\n\t}", text: "CodePlanted, "},
		},
		rest: []edit{
			{file: "openapi/common.yaml", at: "        - `unavailable`: ", text: "        - `planted`: a planted reason.\n"},
			{file: "openapi/common.yaml", at: "        - unavailable\n", text: "        - planted\n"},
			{file: "adapter/httpapi/docs/errors.yaml", at: "- code: unavailable\n",
				text: "- code: planted\n  status: 400\n  cause: The request has a planted reason.\n  remedy: Send another request.\n"},
		},
		commands: [][]string{{"go", "generate", "./openapi"}},
		tests:    [][]string{{"./domain/fault"}, {"./openapi/..."}, {"./adapter/httpapi/docs", "-run", "^TestEveryErrorCodeHasHelp$"}},
	}
}

func jobKind() recipe {
	return recipe{
		section: "Add a job kind",
		first: []edit{{file: "domain/job/planted.go", text: `package job

import "time"

// Planted is the kind of PlantedWork.
var Planted = define(Kind{
	Name: "planted", Version: 1, Queue: DefaultQueue, Attempts: 3, Timeout: time.Minute, Noun: "Planted work",
	NotCancellable: "it does nothing",
}, func(a PlantedWork) string { return "" })

// PlantedWork does nothing.
type PlantedWork struct{ V int }

// Kind implements Args.
func (PlantedWork) Kind() string { return "planted" }
`}},
		rest: []edit{{
			file: "cmd/service/workers.go", at: "queue.Handle(job.Sync, s.Sync.Run),\n",
			text: "queue.Handle(job.Planted, func(context.Context, job.PlantedWork) error { return nil }),\n\t\t",
		}},
		// The service starts with its worker and reads a document.
		tests: [][]string{{"./test/suites/e2e", "-run", "^TestUploadBecomesAnInvoiceByItself$/^sqlite$"}, {"./domain/job/...", "./adapter/queue/queuetest/..."}},
	}
}

func migration(next string) recipe {
	sql := "-- +goose Up\nALTER TABLE entities ADD COLUMN planted TEXT NOT NULL DEFAULT '';\n\n-- +goose Down\nALTER TABLE entities DROP COLUMN planted;\n"
	return recipe{
		section: "Add a migration",
		first: []edit{
			{file: "migrations/sqlite/" + next + "_planted.sql", text: sql},
			{file: "migrations/postgres/" + next + "_planted.sql", text: sql},
		},
		rest: []edit{
			{file: "adapter/store/entity.go", at: "type entityRow struct {\n", text: "\tPlanted string\n", after: true},
			{file: "adapter/store/transfer/tables.go", at: "of(\"entities\", \"id\", `", text: "planted:text ", after: true},
		},
		tests: [][]string{{"./adapter/store", "-run", "^TestRowsMatchTheSchema$"}, {"./adapter/store/transfer", "-run", "^TestNothingIsForgotten$"}},
	}
}

// nextMigration returns the number after that of the last migration.
func nextMigration() (string, error) {
	files, err := filepath.Glob("migrations/sqlite/*.sql")
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no migrations: %w", err)
	}
	last := filepath.Base(files[len(files)-1])[:6]
	n, err := strconv.Atoi(last)
	if err != nil {
		return "", fmt.Errorf("the migration %s has no number: %w", last, err)
	}
	return fmt.Sprintf("%06d", n+1), nil
}
