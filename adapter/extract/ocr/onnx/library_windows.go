package onnx

import (
	"runtime"

	"golang.org/x/sys/windows"
)

func load(path string) (uintptr, error) {
	library, err := windows.LoadLibrary(path)
	return uintptr(library), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}

// nativePath is a file name as the library takes it.
func nativePath(path string) (uintptr, func(), error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, nil, err
	}
	return address(name), func() { runtime.KeepAlive(name) }, nil
}
