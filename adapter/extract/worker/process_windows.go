package worker

import (
	"io"
	"os"
)

func mapFile(f *os.File) (data []byte, release func(), err error) {
	data, err = io.ReadAll(f)
	return data, func() {}, err
}

// owned can't be known here.
func owned(os.FileInfo) bool { return true }
