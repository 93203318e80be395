//go:build unix

package onnx

import (
	"runtime"

	"github.com/ebitengine/purego"
)

func load(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// nativePath is a file name as the library takes it.
func nativePath(path string) (uintptr, func(), error) {
	name := cString(path)
	return address(name), func() { runtime.KeepAlive(name) }, nil
}
