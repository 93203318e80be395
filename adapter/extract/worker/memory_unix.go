//go:build unix

package worker

import (
	"context"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// withPages gives instances of the engine memory of the system's own instead of
// the collector's: pages are cleared when they are first touched, not the whole
// of it at the start, growing moves nothing, and the end gives all of it back.
// An instance starts in half the time.
func withPages(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve))
}

// pages is the memory of one instance.
type pages struct {
	reserved []byte
	usable   uint64 // bytes from the start that may be touched
}

// reserve sets room for an instance's memory aside, which costs nothing before
// it is used.
func reserve(_, most uint64) experimental.LinearMemory {
	room, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON) //nolint:gosec // at most wasmPages
	if err != nil {
		return &pages{}
	}
	preferLarge(room)
	return &pages{reserved: room}
}

// Reallocate makes the first bytes usable. The engine takes nil for a refusal.
func (p *pages) Reallocate(size uint64) []byte {
	if size > uint64(len(p.reserved)) {
		return nil
	}
	if size > p.usable {
		if syscall.Mprotect(p.reserved[:size], syscall.PROT_READ|syscall.PROT_WRITE) != nil {
			growthRefused.Store(true)
			return nil
		}
		p.usable = size
	}
	return p.reserved[:size]
}

// Free gives all of it back.
func (p *pages) Free() {
	if p.reserved != nil {
		syscall.Munmap(p.reserved) //nolint:errcheck // nothing is left to do
		p.reserved, p.usable = nil, 0
	}
}
