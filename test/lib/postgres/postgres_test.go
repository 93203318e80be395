package postgres_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"

	"github.com/jackc/pgx/v5"
)

// childEnv makes this binary start a server, print its URL and wait, so that a
// test can kill it.
const childEnv = "DOCLEDGER_TEST_POSTGRES_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	bin, err := postgres.Find()
	if err != nil {
		panic(err)
	}
	in, err := postgres.Start(context.Background(), bin)
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(in.URL + "\n")
	select {}
}

func TestEachTestGetsItsOwnMigratedDatabase(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	first, second := postgres.New(t), postgres.New(t)
	if first == second {
		t.Fatal("the same database twice")
	}
	for _, url := range []string{first, second} {
		if err := database.CheckSchema(ctx, database.Config{URL: url}, migrations.Postgres()); err != nil {
			t.Errorf("schema: %v", err)
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(ctx, "CREATE TABLE mine ()"); err != nil {
			t.Errorf("the databases are not separate: %v", err)
		}
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	}
}

func TestServerEndsWithAKilledProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=1", postgres.EnvURL+"=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1024)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatalf("the child printed nothing: %v", err)
	}
	url := strings.TrimSpace(string(buf[:n]))
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatalf("the server does not respond: %v", err)
	}
	dir := filepath.Dir(conn.Config().Host + "/x")
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s still exists", dir)
		}
		<-time.After(20 * time.Millisecond)
	}
	if _, err := pgx.Connect(context.Background(), url); err == nil {
		t.Error("the server outlived its process")
	}
}
