// Package onnx runs neural networks with the shared library of ONNX Runtime,
// which is loaded at run time: the program is built without a C compiler.
//
// A program that imports this package is linked dynamically. Only the OCR
// program does, so that the service stays one static file.
package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// apiVersion is the version of the C interface that is asked for. Later
// libraries keep serving it; the numbers of the functions below never change.
const apiVersion = 17

// The numbers of functions in the structure OrtApi (onnxruntime_c_api.h).
const (
	getErrorMessage                  = 2
	createEnv                        = 3
	createSession                    = 7
	run                              = 9
	createSessionOptions             = 10
	disableMemPattern                = 17
	disableCPUMemArena               = 19
	setIntraOpNumThreads             = 24
	setInterOpNumThreads             = 25
	sessionGetInputName              = 36
	sessionGetOutputName             = 37
	createTensorWithDataAsOrtValue   = 49
	getTensorMutableData             = 51
	getDimensionsCount               = 61
	getDimensions                    = 62
	getTensorTypeAndShape            = 65
	createCPUMemoryInfo              = 69
	getAllocatorWithDefaultOptions   = 78
	releaseStatus                    = 93
	releaseValue                     = 96
	releaseTensorTypeAndShapeInfo    = 99
	releaseSessionOptions            = 100
	sessionGetModelMetadata          = 111
	modelMetadataLookupCustomMetaMap = 116
	functions                        = 117
)

// The constants of the C interface that are used.
const (
	logError         = 3
	arenaAllocator   = 1
	memTypeDefault   = 0
	elementTypeFloat = 1
)

// maxElements bounds the tensor that a model may answer with.
const maxElements = 1 << 28

// Runtime is a loaded library. It is not safe for concurrent use.
type Runtime struct {
	api       *[functions]uintptr
	env       uintptr
	memory    uintptr
	allocator uintptr
}

// Open loads the library from a file.
func Open(path string) (*Runtime, error) {
	library, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("load ONNX Runtime: %w", err)
	}
	base, err := symbol(library, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("load ONNX Runtime: %w", err)
	}
	table, _, _ := purego.SyscallN(base)
	if table == 0 {
		return nil, errors.New("load ONNX Runtime: the library has no interface")
	}
	getAPI := *(*uintptr)(pointer(table))
	api, _, _ := purego.SyscallN(getAPI, apiVersion)
	if api == 0 {
		return nil, fmt.Errorf("load ONNX Runtime: the library does not serve version %d of the interface", apiVersion)
	}
	r := &Runtime{api: (*[functions]uintptr)(pointer(api))}
	name := cString("docledger")
	err = errors.Join(
		r.call(createEnv, logError, address(name), address(&r.env)),
		r.call(createCPUMemoryInfo, arenaAllocator, memTypeDefault, address(&r.memory)),
		r.call(getAllocatorWithDefaultOptions, address(&r.allocator)),
	)
	runtime.KeepAlive(name)
	return r, err
}

// call calls a function that answers with a status.
func (r *Runtime) call(function int, arguments ...uintptr) error {
	status, _, _ := purego.SyscallN(r.api[function], arguments...)
	if status == 0 {
		return nil
	}
	message, _, _ := purego.SyscallN(r.api[getErrorMessage], status)
	err := errors.New(goString(message))
	purego.SyscallN(r.api[releaseStatus], status)
	return err
}

func (r *Runtime) release(function int, object uintptr) {
	if object != 0 {
		purego.SyscallN(r.api[function], object)
	}
}

// Model is a network with one input and one output, both of float32.
type Model struct {
	runtime       *Runtime
	session       uintptr
	input, output uintptr // names, owned by the library
}

// Load reads a model from a file. It works on one thread: the processes of the
// service share the processor, and memory is given back after each run.
func (r *Runtime) Load(path string) (*Model, error) {
	var options uintptr
	if err := r.call(createSessionOptions, address(&options)); err != nil {
		return nil, err
	}
	defer r.release(releaseSessionOptions, options)
	m := &Model{runtime: r}
	name, release, err := nativePath(path)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, step := range []func() error{
		func() error { return r.call(setIntraOpNumThreads, options, 1) },
		func() error { return r.call(setInterOpNumThreads, options, 1) },
		func() error { return r.call(disableMemPattern, options) },
		func() error { return r.call(disableCPUMemArena, options) },
		func() error { return r.call(createSession, r.env, name, options, address(&m.session)) },
		func() error { return r.call(sessionGetInputName, m.session, 0, r.allocator, address(&m.input)) },
		func() error { return r.call(sessionGetOutputName, m.session, 0, r.allocator, address(&m.output)) },
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("load model %s: %w", path, err)
		}
	}
	return m, nil
}

// Metadata returns a text that the model carries; "" where it has none.
func (m *Model) Metadata(key string) (string, error) {
	var metadata, value uintptr
	if err := m.runtime.call(sessionGetModelMetadata, m.session, address(&metadata)); err != nil {
		return "", err
	}
	name := cString(key)
	err := m.runtime.call(modelMetadataLookupCustomMetaMap, metadata, m.runtime.allocator, address(name), address(&value))
	runtime.KeepAlive(name)
	return goString(value), err
}

// Run computes the output for an input of the given shape.
func (m *Model) Run(input []float32, shape ...int64) ([]float32, []int64, error) {
	r := m.runtime
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&input[0])
	var tensor, result uintptr
	defer func() {
		r.release(releaseValue, tensor)
		r.release(releaseValue, result)
	}()
	err := r.call(createTensorWithDataAsOrtValue, r.memory, address(&input[0]), uintptr(len(input))*unsafe.Sizeof(input[0]),
		address(&shape[0]), uintptr(len(shape)), elementTypeFloat, address(&tensor))
	if err != nil {
		return nil, nil, err
	}
	inputs, outputs := [1]uintptr{m.input}, [1]uintptr{m.output}
	err = r.call(run, m.session, 0, address(&inputs), address(&tensor), 1, address(&outputs), 1, address(&result))
	runtime.KeepAlive(&inputs)
	runtime.KeepAlive(&outputs)
	runtime.KeepAlive(shape)
	if err != nil {
		return nil, nil, err
	}
	return r.tensor(result)
}

// tensor copies the content of a tensor.
func (r *Runtime) tensor(value uintptr) ([]float32, []int64, error) {
	var info, count, data uintptr
	if err := r.call(getTensorTypeAndShape, value, address(&info)); err != nil {
		return nil, nil, err
	}
	defer r.release(releaseTensorTypeAndShapeInfo, info)
	if err := r.call(getDimensionsCount, info, address(&count)); err != nil {
		return nil, nil, err
	}
	if count == 0 || count > 8 {
		return nil, nil, fmt.Errorf("the model answered with %d dimensions", count)
	}
	shape := make([]int64, count)
	if err := r.call(getDimensions, info, address(&shape[0]), count); err != nil {
		return nil, nil, err
	}
	n := int64(1)
	for _, d := range shape {
		if d <= 0 || d > maxElements/n {
			return nil, nil, fmt.Errorf("the model answered with a tensor of shape %v", shape)
		}
		n *= d
	}
	if err := r.call(getTensorMutableData, value, address(&data)); err != nil {
		return nil, nil, err
	}
	out := make([]float32, n)
	copy(out, unsafe.Slice((*float32)(pointer(data)), n))
	return out, shape, nil
}

// address is the address of a variable of ours as the library takes it. Each
// variable it is used for escapes to the heap, where nothing moves.
func address[T any](p *T) uintptr {
	escaped = unsafe.Pointer(p)
	return uintptr(unsafe.Pointer(p))
}

// escaped makes address keep its argument off the stack, which may move. It is
// written and never read.
//
//lint:ignore U1000 the assignment alone has the effect
var escaped unsafe.Pointer

// pointer turns an address that the library returned into a pointer. It points
// outside the memory of the collector.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func cString(s string) *byte { return &append([]byte(s), 0)[0] }

// goString copies a string of the library.
func goString(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n))
}
