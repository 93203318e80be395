package watch

import "time"

// Report is the state of a watch that GET …/status returns.
type Report struct {
	Watch
	Directories []DirectoryReport
	Waiting     int // files that wait to be ingested
	Skipped     int // files that are not ingested
}

// SkippedFile is a file that is not ingested.
type SkippedFile struct {
	Path   string // within the location; the name alone if the folder is no longer known
	Reason Reason
	At     time.Time
}

// Lag returns the time since the watch was last up to date; 0 if it never was.
func (r *Report) Lag(now time.Time) time.Duration {
	if r.UpToDateAt.IsZero() {
		return 0
	}
	return max(now.Sub(r.UpToDateAt), 0)
}

// DirectoryReport is the current state of a configured directory.
type DirectoryReport struct {
	Path    string
	Folders []FolderReport
}

// FolderReport is a folder that is watched for a directory.
type FolderReport struct {
	ID   string
	Path string // where it lies now; "" where it is gone or lies elsewhere
	// There reports whether the folder is currently in the location.
	There bool
}
