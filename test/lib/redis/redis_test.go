package redis_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"docledger/test/lib/redis"
)

func TestServersAreSeparate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, url := range []string{redis.URL(t), redis.New(t).URL} {
		client, err := redis.Client(url)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if fresh, err := client.SetNX(ctx, "docledger:test:apart", "1", 0).Result(); err != nil || !fresh {
			t.Errorf("the second server has the first one's key: %v", err)
		}
		if url == redis.URL(t) {
			t.Cleanup(func() { client.Del(ctx, "docledger:test:apart") })
		}
	}
}

func TestStoppedServerIsUnreachable(t *testing.T) {
	t.Parallel()
	in := redis.New(t)
	client, err := redis.Client(in.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := in.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := client.Ping(context.Background()).Err(); err == nil {
		t.Error("the server responds")
	}
}

// TestProvide fetches a server if the machine has none. Later runs use it.
func TestProvide(t *testing.T) {
	t.Setenv(redis.EnvBin, "")
	bin, err := redis.Provide(context.Background(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	in, err := redis.Start(context.Background(), bin)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Stop(); err != nil {
		t.Error(err)
	}
	again, err := redis.Find()
	if err != nil || again != bin {
		t.Errorf("the provided server is not found: %s, %v", again, err)
	}
	t.Setenv(redis.EnvBin, filepath.Join(t.TempDir(), "none"))
	if _, err := redis.Find(); err == nil || errors.Is(err, redis.ErrNoBinary) {
		t.Errorf("with a missing binary: %v", err)
	}
	t.Setenv(redis.EnvBin, os.Args[0])
	if found, err := redis.Find(); err != nil || found != os.Args[0] {
		t.Errorf("found %s, %v", found, err)
	}
}
