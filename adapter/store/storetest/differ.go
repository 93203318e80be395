package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// same fails the test with the paths at which two values differ.
func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	var paths []string
	differ(reflect.ValueOf(&got).Elem(), reflect.ValueOf(&want).Elem(), "", &paths)
	t.Errorf("%s differs:\n%s", what, strings.Join(paths, "\n"))
}

func differ(got, want reflect.Value, path string, paths *[]string) {
	if reflect.DeepEqual(got.Interface(), want.Interface()) {
		return
	}
	switch got.Kind() {
	case reflect.Pointer:
		if !got.IsNil() && !want.IsNil() {
			differ(got.Elem(), want.Elem(), path, paths)
			return
		}
	case reflect.Struct:
		if exported(got.Type()) {
			for i := range got.NumField() {
				differ(got.Field(i), want.Field(i), path+"."+got.Type().Field(i).Name, paths)
			}
			return
		}
	case reflect.Slice:
		if got.Len() == want.Len() && !got.IsNil() && !want.IsNil() {
			for i := range got.Len() {
				differ(got.Index(i), want.Index(i), fmt.Sprintf("%s[%d]", path, i), paths)
			}
			return
		}
	}
	*paths = append(*paths, fmt.Sprintf("%s: got %v, want %v", path, got.Interface(), want.Interface()))
}

func exported(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return false
		}
	}
	return true
}
