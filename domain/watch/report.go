package watch

import "time"

// Report is what GET …/status tells of a watch.
type Report struct {
	Watch
	Directories []DirectoryReport
	Waiting     int // files that are to be taken in
}

// Lag is how long ago nothing was left to do; 0 where that was never.
func (r *Report) Lag(now time.Time) time.Duration {
	if r.UpToDateAt.IsZero() {
		return 0
	}
	return max(now.Sub(r.UpToDateAt), 0)
}

// DirectoryReport is where a directory of the set-up is found now.
type DirectoryReport struct {
	Path    string
	Folders []FolderReport
}

// FolderReport is a folder that is watched for a directory.
type FolderReport struct {
	ID   string
	Path string // where it lies now; "" where it is gone or lies elsewhere
	// There says whether it is in the place now.
	There bool
}
