package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
	"docledger/test/lib/scans"
)

// scanRecovery is the time after the last kill within which the scans must be
// extracted. Each takes some seconds.
const scanRecovery = 3 * time.Minute

// TestKilledRecognitionLosesAndDuplicatesNothing repeatedly kills the service and the
// processes that recognize text. Every accepted scan ends with exactly one invoice,
// or with an explained failure after three killed attempts. Documents with text are
// extracted at the same time.
func TestKilledRecognitionLosesAndDuplicatesNothing(t *testing.T) {
	dir := scans.Engine(t, "../../..")
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("NOT TESTED: finding the processes needs /proc")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	p := newProductWith(t, "", map[string]string{"OCR_DIR": dir}, func(*service.Service, identity.Actor) {})
	r := p.start()
	want := map[string]string{} // documents and their numbers
	killed := 0
	for round := range max(3, kills(t)/20) {
		number := fmt.Sprintf("SC-%d-%d", 2026, 100+round)
		for n, content := range [][]byte{scans.Invoice(number), harness.UBL("X" + number)} {
			id, ok := p.upload(context.Background(), r, content)
			if !ok {
				t.Fatal("an upload was refused")
			}
			want[id] = strings.Repeat("X", n) + number
		}
		life := time.NewTimer(time.Duration(draw.Int64N(int64(3 * time.Second))))
		for looking := true; looking; {
			select {
			case <-life.C:
				looking = false
			default:
				// Without a delay, so that some processes are killed during their
				// start.
				if n := killChildren(r.cmd.Process.Pid, "docledger-ocr"); n > 0 {
					killed += n
					looking = false
				}
			}
		}
		if round%2 == 1 {
			r.kill()
			r = p.start()
		}
	}
	began := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	crashed := 0
	for id, number := range want {
		for {
			d := p.get(r, "/api/documents/"+id)
			failure, _ := d["failure"].(map[string]any)
			if text(failure, "code") == "crashed" && !strings.HasPrefix(number, "X") {
				crashed++
				break
			}
			if status := text(d, "status"); status == "EXTRACTED" {
				inv := p.get(r, "/api/invoices/"+text(d, "invoice_id"))
				if got := text(inv, "invoice_number"); got != number {
					t.Errorf("document %s has the invoice %q, want %q", id, got, number)
				}
				break
			} else if status != "UPLOADED" && status != "PROCESSING" {
				t.Fatalf("document %s (%s) is %v", id, number, d)
			}
			if time.Since(began) > scanRecovery {
				t.Fatalf("document %s is still not extracted", id)
			}
			<-tick.C
		}
	}
	if invoices := len(p.all(r, "/api/invoices")); invoices != len(want)-crashed || 3*crashed > killed {
		t.Errorf("%d invoices of %d documents, %d of which failed after %d kills", invoices, len(want), crashed, killed)
	}
	t.Logf("%d recognition processes were killed, %d documents were extracted, %d failed", killed, len(want)-crashed, crashed)
	if killed == 0 {
		t.Error("no process was killed, so the test proves nothing")
	}
}

// killChildren kills the child processes with a name and returns their number.
func killChildren(parent int, name string) (killed int) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		begin, end := strings.IndexByte(string(raw), '('), strings.LastIndexByte(string(raw), ')')
		fields := strings.Fields(string(raw[end+1:]))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(raw[:begin])))
		if len(fields) > 1 && string(raw[begin+1:end]) == name && fields[1] == strconv.Itoa(parent) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}
