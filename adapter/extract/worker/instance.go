package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/tetratelabs/wazero/api"
)

const (
	// copiedBytes is the size of a document up to which the engine gets a copy. It
	// reads parts of a larger one, which would fill its memory.
	copiedBytes = 8 << 20
	// scratchBytes is the size of the results that the engine writes to its memory.
	scratchBytes = 64
	// chunk is the unit in which changed memory is restored. block is the unit of
	// the engine's memory, a multiple of the system's pages.
	chunk = 4 << 10
	block = 64 << 10
	// usual is how much memory beyond that after the start most documents use. It
	// is cleared and stays, because the system takes more time to give each page of
	// it to the next document.
	usual = 1 << 20
)

// instance is an instance of the PDF engine that reads the text of documents, one
// after another. It calls the engine's functions directly: the library's methods
// register each object under a new name, and load the text of a page for each
// question about it.
type instance struct {
	owner     pdfium.Pdfium
	memory    api.Memory
	lookup    func(name string) (function, bool)
	functions map[string]function
	files     fileAccess
	stack     [16]uint64
	scratch   uint32 // address of scratchBytes
	document  uint64 // handle of the open document

	image  []byte // the memory after the start, without the zeros at its end
	size   uint32 // of the memory after the start
	top    uint64 // of the engine's stack after the start
	broken bool   // must not read another document
}

// function is a function that the engine exports.
type function interface {
	CallWithStack(ctx context.Context, stack []uint64) error
}

// fileAccess lets the engine read parts of a document.
type fileAccess interface {
	CreateFileAccessReader(size int64, r io.ReadSeeker) (access *uint64, index *uint32, err error)
}

// errChanged says that the library does not offer what instance relies on.
var errChanged = errors.New("the library of the PDF engine has no direct access to its functions")

// newInstance prepares an instance that the library started. The types of the
// library's implementation are internal; their exported methods are not.
func newInstance(owner pdfium.Pdfium) (*instance, error) {
	implementation := owner.GetImplementation()
	files, ok := implementation.(fileAccess)
	module := reflect.Indirect(reflect.ValueOf(implementation)).FieldByName("Module")
	if !ok || !module.IsValid() {
		return nil, errChanged
	}
	memory, exported := module.MethodByName("Memory"), module.MethodByName("ExportedFunction")
	if !memory.IsValid() || !exported.IsValid() {
		return nil, errChanged
	}
	i := &instance{owner: owner, files: files, functions: map[string]function{}}
	if i.memory, ok = memory.Call(nil)[0].Interface().(api.Memory); !ok {
		return nil, errChanged
	}
	i.lookup = func(name string) (function, bool) {
		f, ok := exported.Call([]reflect.Value{reflect.ValueOf(name)})[0].Interface().(function)
		return f, ok
	}
	scratch, err := i.call("malloc", scratchBytes)
	if err != nil || scratch == 0 {
		return nil, errors.Join(errChanged, err)
	}
	i.scratch = uint32(scratch)
	if i.top, err = i.call("emscripten_stack_get_current"); err != nil {
		return nil, err
	}
	if !canZero {
		return i, nil
	}
	i.size = i.memory.Size()
	all, ok := i.memory.Read(0, i.size)
	if !ok {
		return nil, errChanged
	}
	var zeros [block]byte
	used := len(all)
	for used >= block && bytes.Equal(all[used-block:used], zeros[:]) {
		used -= block
	}
	i.image = bytes.Clone(all[:used])
	return i, nil
}

// reset returns the instance to its state before the document. The state of the
// engine is its memory and the top of its stack. It reports false if the instance
// must not be used again.
func (i *instance) reset() bool {
	if !canZero || i.broken || i.memory.Size() != i.size {
		return false
	}
	if top, err := i.call("emscripten_stack_get_current"); err != nil || top != i.top {
		return false
	}
	all, ok := i.memory.Read(0, i.size)
	if !ok {
		return false
	}
	beyond := all[len(i.image):]
	kept := min(usual, len(beyond))
	clear(beyond[:kept])
	if !zero(beyond[kept:]) {
		return false
	}
	for at := 0; at < len(i.image); at += chunk {
		if now, was := all[at:at+chunk], i.image[at:at+chunk]; !bytes.Equal(now, was) {
			copy(now, was)
		}
	}
	i.document = 0
	return true
}

// call calls a function of the engine. An error means that the engine broke down.
func (i *instance) call(name string, parameters ...uint64) (uint64, error) {
	f, err := i.function(name)
	if err != nil {
		return 0, err
	}
	return i.invoke(f, parameters...)
}

// function returns a function of the engine for many calls.
func (i *instance) function(name string) (function, error) {
	f, ok := i.functions[name]
	if !ok {
		if f, ok = i.lookup(name); !ok {
			return nil, errChanged
		}
		i.functions[name] = f
	}
	return f, nil
}

// invoke is call for a function that is known.
func (i *instance) invoke(f function, parameters ...uint64) (uint64, error) {
	copy(i.stack[:], parameters)
	if err := f.CallWithStack(context.Background(), i.stack[:]); err != nil {
		i.broken = true
		return 0, err
	}
	return i.stack[0], nil
}

// open opens a document.
func (i *instance) open(r io.ReadSeeker, size int64) error {
	var err error
	if size > copiedBytes {
		i.broken = true // the library keeps a reference to the reader
		var access *uint64
		if access, _, err = i.files.CreateFileAccessReader(size, r); err == nil {
			i.document, err = i.call("FPDF_LoadCustomDocument", *access, 0)
		}
	} else {
		var at uint64
		if at, err = i.copied(r, uint32(size)); err == nil { //nolint:gosec // at most copiedBytes
			i.document, err = i.call("FPDF_LoadMemDocument", at, uint64(size), 0) //nolint:gosec // at most copiedBytes
		}
	}
	if err != nil {
		return refused(err)
	}
	if i.document != 0 {
		return nil
	}
	const password, security = 4, 5 // FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
	switch code, err := i.call("FPDF_GetLastError"); {
	case err != nil:
		return refused(err)
	case code == password:
		return refused(pdfiumerrors.ErrPassword)
	case code == security:
		return refused(pdfiumerrors.ErrSecurity)
	}
	return refused(pdfiumerrors.ErrFormat)
}

var errNoRoom = errors.New("the memory of the PDF engine has no room for the document")

// copied returns the address of a copy of the document in the engine's memory.
func (i *instance) copied(r io.ReadSeeker, size uint32) (uint64, error) {
	at, err := i.call("malloc", uint64(max(size, 1)))
	if err != nil {
		return 0, err
	}
	room, ok := i.memory.Read(uint32(at), size) //nolint:gosec // an address of the engine
	if at == 0 || !ok {
		return 0, errNoRoom
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	_, err = io.ReadFull(r, room)
	return at, err
}

func (i *instance) pageCount() (int, error) {
	count, err := i.call("FPDF_GetPageCount", i.document)
	return int(int32(count)), err //nolint:gosec // a number of the engine
}

// results returns the scratch memory, in which a function stored its results.
func (i *instance) results() []byte {
	b, _ := i.memory.Read(i.scratch, scratchBytes)
	return b
}

func double(b []byte, at int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*at:]))
}

func single(b []byte, at int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*at:]))
}

func integer(b []byte, at int) int {
	return int(int32(binary.LittleEndian.Uint32(b[4*at:]))) //nolint:gosec // a number of the engine
}
