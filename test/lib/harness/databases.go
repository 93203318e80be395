package harness

import (
	"testing"

	"docledger/test/lib/postgres"
)

// OnEach runs a test on both databases.
func OnEach(t *testing.T, test func(t *testing.T, o Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, Options{})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Options{DatabaseURL: postgres.New(t)})
	})
}
