package document

import "testing"

// An outage leaves the same trace as a document that kills the process, so it
// counts for less than a reading that was seen to fail.
func TestReadingsThatNobodyEndedCountApart(t *testing.T) {
	t.Parallel()
	d := &Document{Status: Uploaded}
	for n := 1; n <= MaxInterruptions; n++ {
		if d.BeginReading(); d.Attempts != 1 || d.Interruptions != n-1 || d.AttemptsExhausted() {
			t.Fatalf("beginning %d: %d attempts, %d interruptions, hopeless %t", n, d.Attempts, d.Interruptions, d.AttemptsExhausted())
		}
	}
	if d.BeginReading(); !d.AttemptsExhausted() {
		t.Error("a document that was interrupted that often is read again")
	}
	run := d.Run
	if d.ResetForExtraction(false); d.Attempts != 0 || d.Interruptions != 0 || d.Run != run+1 {
		t.Errorf("started over it has %d attempts, %d interruptions, run %d", d.Attempts, d.Interruptions, d.Run)
	}
}

func TestReadingsThatFailedCount(t *testing.T) {
	t.Parallel()
	d := &Document{Status: Uploaded}
	for n := 1; n <= MaxAttempts; n++ {
		if d.BeginReading(); d.Attempts != n || d.AttemptsExhausted() {
			t.Fatalf("beginning %d: %d attempts, hopeless %t", n, d.Attempts, d.AttemptsExhausted())
		}
		d.Status = Uploaded // given back
	}
	if d.BeginReading(); !d.AttemptsExhausted() {
		t.Error("a document whose reading failed that often is read again")
	}
}

// However long the reader is unavailable, the document does not become hopeless.
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
	// A process that dies at work after the reader is back still counts.
	d.BeginReading()
	if d.BeginReading(); d.Attempts != 1 || d.Interruptions != 1 {
		t.Errorf("%d attempts, %d interruptions", d.Attempts, d.Interruptions)
	}
}
