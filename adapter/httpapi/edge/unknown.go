package edge

import (
	"reflect"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// NoNilIDs is a strict middleware. It replaces the nil UUID in a request by an id that no record
// has. A caller may send the nil UUID, and it is the id of no record, but the code uses it for
// "none": a filter with it would be no filter. Instantiate it like [RefuseNil].
func NoNilIDs[H ~func(*gin.Context, any) (any, error)](next H, _ string) H {
	return func(c *gin.Context, request any) (any, error) { return next(c, withoutNilIDs(request)) }
}

// NoNilID returns an id of a request that the generated code does not bind as a UUID. It replaces
// the nil UUID as [NoNilIDs] does.
func NoNilID(id uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return uuid.Max
	}
	return id
}

var idType = reflect.TypeFor[uuid.UUID]()

// withoutNilIDs returns a request of the generated code without nil UUIDs. The values behind its
// pointers change in place.
func withoutNilIDs(request any) any {
	if request == nil || !holdsIDs(reflect.TypeOf(request)) {
		return request
	}
	changed := reflect.New(reflect.TypeOf(request)).Elem()
	changed.Set(reflect.ValueOf(request))
	replaceNilIDs(changed)
	return changed.Interface()
}

// replaceNilIDs replaces the nil UUIDs in a value that can be set.
func replaceNilIDs(v reflect.Value) {
	switch kind := v.Kind(); {
	case v.Type() == idType:
		if v.IsZero() {
			v.Set(reflect.ValueOf(uuid.Max))
		}
	case !holdsIDs(v.Type()):
	case kind == reflect.Pointer && !v.IsNil():
		replaceNilIDs(v.Elem())
	case kind == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceNilIDs(v.Field(i))
			}
		}
	case kind == reflect.Slice, kind == reflect.Array:
		for i := range v.Len() {
			replaceNilIDs(v.Index(i))
		}
	case kind == reflect.Map:
		replaceInMap(v)
	}
}

// replaceInMap replaces the nil UUIDs among the values of a map. A nullable value is a map from
// whether there is a value; its value of false only means null.
func replaceInMap(v reflect.Value) {
	for _, key := range v.MapKeys() {
		if key.Kind() == reflect.Bool && !key.Bool() {
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		item.Set(v.MapIndex(key))
		replaceNilIDs(item)
		v.SetMapIndex(key, item)
	}
}

// idTypes has whether the values of a type can hold UUIDs, by type.
var idTypes sync.Map

func holdsIDs(t reflect.Type) bool {
	if known, ok := idTypes.Load(t); ok {
		return known.(bool)
	}
	holds := findsIDs(t, map[reflect.Type]bool{})
	idTypes.Store(t, holds)
	return holds
}

// findsIDs is holdsIDs for a type that is not known. visited ends the search in recursive types.
func findsIDs(t reflect.Type, visited map[reflect.Type]bool) bool {
	if t == idType {
		return true
	}
	if visited[t] {
		return false
	}
	visited[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findsIDs(t.Elem(), visited)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && findsIDs(f.Type, visited) {
				return true
			}
		}
	}
	return false
}
