package stripe

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestFirstReadKeepsNoMemory reads the largest responses for the first time in a process of its own.
// Without the preparation that a new client starts, this allocates more than 2 MB.
func TestFirstReadKeepsNoMemory(t *testing.T) {
	const child = "DOCLEDGER_STRIPE_FIRST_READ"
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // this program
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	if _, err := New(Options{SecretKey: "sk_test_1", WebhookSecrets: []string{"whsec_1"}}); err != nil {
		t.Fatal(err)
	}
	prepare() // waits for the preparation of the client
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, response := range largest() {
		if err := json.Unmarshal([]byte(`{"data":[{}]}`), response); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 500_000 {
		t.Errorf("the first read allocates %d bytes", used)
	}
}
