package document

import "testing"

// Interruptions have their own, higher limit, because a database outage has the same effect as a
// document that kills the process.
func TestReadingsThatNobodyEndedCountApart(t *testing.T) {
	t.Parallel()
	d := &Document{Status: Uploaded}
	for n := 1; n <= MaxInterruptions; n++ {
		if d.BeginReading(); d.Attempts != 1 || d.Interruptions != n-1 || d.AttemptsExhausted() {
			t.Fatalf("beginning %d: %d attempts, %d interruptions, exhausted %t", n, d.Attempts, d.Interruptions, d.AttemptsExhausted())
		}
	}
	if d.BeginReading(); !d.AttemptsExhausted() {
		t.Error("extraction continues after MaxInterruptions")
	}
	run := d.Run
	if d.ResetForExtraction(false); d.Attempts != 0 || d.Interruptions != 0 || d.Run != run+1 {
		t.Errorf("after a reset it has %d attempts, %d interruptions, run %d", d.Attempts, d.Interruptions, d.Run)
	}
}

func TestReadingsThatFailedCount(t *testing.T) {
	t.Parallel()
	d := &Document{Status: Uploaded}
	for n := 1; n <= MaxAttempts; n++ {
		if d.BeginReading(); d.Attempts != n || d.AttemptsExhausted() {
			t.Fatalf("beginning %d: %d attempts, exhausted %t", n, d.Attempts, d.AttemptsExhausted())
		}
		d.Status = Uploaded // released
	}
	if d.BeginReading(); !d.AttemptsExhausted() {
		t.Error("extraction continues after MaxAttempts")
	}
}

// Waiting for the extraction process never exhausts the attempts, regardless of its duration.
func TestWaitingForTheReaderCountsAsNoAttempt(t *testing.T) {
	t.Parallel()
	d := &Document{Status: Uploaded}
	for range 10 * (MaxAttempts + MaxInterruptions) {
		if d.BeginReading(); d.Attempts != 1 || d.Interruptions != 0 || d.HeldReason != "" {
			t.Fatalf("%d attempts, %d interruptions, held for %q", d.Attempts, d.Interruptions, d.HeldReason)
		}
		if d.AwaitReader(); d.Status != Processing || d.HeldReason != HeldReaderUnavailable || d.IsQueued() {
			t.Fatalf("it is %s, held for %q", d.Status, d.HeldReason)
		}
	}
	// A crash after the extraction process is available still counts.
	d.BeginReading()
	if d.BeginReading(); d.Attempts != 1 || d.Interruptions != 1 {
		t.Errorf("%d attempts, %d interruptions", d.Attempts, d.Interruptions)
	}
}
