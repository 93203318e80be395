//go:build unix

package worker

import (
	"os"
	"syscall"
)

// mapFile makes a document readable without holding it in memory. The file
// stays as it is while it is read; if it shrank nevertheless, the child would
// crash and the document fail.
func mapFile(f *os.File) (data []byte, release func(), err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() == 0 {
		return nil, func() {}, nil
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { syscall.Munmap(data) }, nil //nolint:errcheck // nothing is left to do
}

// owned says whether a file belongs to the user who runs the program.
func owned(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
