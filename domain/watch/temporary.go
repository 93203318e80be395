package watch

import "strings"

// These names are of files that other programs keep for a short time, compared without case. Their
// content is unfinished or is no document.
var (
	temporaryPrefixes = []string{"~$", ".~lock.", "._"}
	temporarySuffixes = []string{".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp"}
	temporaryNames    = []string{".ds_store", "thumbs.db", "desktop.ini"}
)

// IsTemporary reports whether a file is a lock file or a temporary file by its name.
func IsTemporary(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range temporaryPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range temporarySuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	for _, own := range temporaryNames {
		if name == own {
			return true
		}
	}
	return false
}
