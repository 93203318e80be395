package storetest

import (
	"fmt"
	"reflect"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// filled returns a T in which every field has a distinct value, so that a field that is not
// stored is detected.
func filled[T any]() T {
	var v T
	n := 0
	fill(reflect.ValueOf(&v).Elem(), &n)
	return v
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case uuid.UUID:
		v.Set(reflect.ValueOf(newID()))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, *n, 1000**n, time.UTC)))
		return
	case calendar.Date:
		v.Set(reflect.ValueOf(calendar.Date{Year: 2000 + *n%1000, Month: 2, Day: 3}))
		return
	case money.Decimal:
		v.Set(reflect.ValueOf(money.MustParse(fmt.Sprintf("%d.50", *n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 1024)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill: " + v.Type().String())
	}
}
