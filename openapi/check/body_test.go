package check

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func unchanged(any) {}

// TestBodyNamesAllErrors expects errors of the syntax, of types and of values in
// one answer.
func TestBodyNamesAllErrors(t *testing.T) {
	t.Parallel()
	text := openapi3.NewStringSchema()
	zone := openapi3.NewStringSchema().WithFormat("iana-tz")
	member := openapi3.NewObjectSchema().WithProperty("id", text).WithProperty("role", text)
	members := openapi3.NewArraySchema().WithItems(member).WithMaxItems(3)
	members.Extensions = map[string]any{"x-unique-by": []any{"id"}}
	schema := openapi3.NewObjectSchema().WithoutAdditionalProperties().
		WithProperty("name", text).WithProperty("zone", zone).WithProperty("members", members).WithProperty("note", text).
		WithRequired([]string{"country"}).WithProperty("country", text)
	body := `{"name":7,"name":8,"note":"\u0000","zone":"Mars/Olympus","other":1,
		"members":[{"id":"a"},{"id":"a"}]}`
	fields, err := Body(t.Context(), schema, []byte(body), unchanged)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"country is required", "members[1] repeats the id of an earlier item",
		"name appears twice in the same object", "note must not contain the NUL character", "other is not a known field",
		"zone must be a name of the IANA time zone database, such as Europe/Berlin"}
	var got []string
	for _, f := range fields {
		got = append(got, f.Field+" "+f.Reason)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("fields are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBodyListsAtMostOneErrorMore expects the first errors of many.
func TestBodyListsAtMostOneErrorMore(t *testing.T) {
	t.Parallel()
	schema := openapi3.NewArraySchema().WithItems(openapi3.NewIntegerSchema()).WithMaxItems(100)
	fields, err := Body(t.Context(), schema, []byte("["+strings.Repeat(`"\u0000",`, 15)+strings.Repeat(`"x",`, 15)+`"x"]`), unchanged)
	if err != nil || len(fields) != MaxFields+1 {
		t.Fatalf("%d fields, %v", len(fields), err)
	}
	if fields, err := Body(t.Context(), schema, []byte(`[1]`), unchanged); err != nil || len(fields) != 0 {
		t.Errorf("a valid body: %v, %v", fields, err)
	}
	if fields, err := Body(t.Context(), schema, []byte(`[`), unchanged); err != nil || len(fields) != 1 {
		t.Errorf("no JSON: %v, %v", fields, err)
	}
}

// TestLengthsCountCharacters expects that a character outside the basic plane counts once.
func TestLengthsCountCharacters(t *testing.T) {
	t.Parallel()
	schema := openapi3.NewStringSchema().WithMinLength(2).WithMaxLength(3)
	for text, accepted := range map[string]bool{"😀": false, "😀😀": true, "😀😀😀": true, "😀😀😀😀": false, "äöü": true, "äöüß": false} {
		fields, err := Value(t.Context(), schema, text, "name")
		if err != nil || (len(fields) == 0) != accepted {
			t.Errorf("%s: %v, %v", text, fields, err)
		}
	}
}

// TestItemsHaveOneNotation expects brackets around the position of an item, whatever its schema is.
func TestItemsHaveOneNotation(t *testing.T) {
	t.Parallel()
	choice := openapi3.NewStringSchema().WithEnum("month", "supplier")
	plain := openapi3.NewArraySchema().WithItems(choice)
	unique := openapi3.NewArraySchema().WithItems(choice).WithUniqueItems(true)
	composed := openapi3.NewAllOfSchema(openapi3.NewArraySchema().WithItems(openapi3.NewObjectSchema().WithProperty("by", plain)))
	for _, c := range []struct {
		schema *openapi3.Schema
		value  any
		want   Field
	}{
		{plain, []any{"month", "foo"}, Field{"list[1]", "must be one of month, supplier"}},
		{unique, []any{"month", "foo"}, Field{"list[1]", "must be one of month, supplier"}},
		{unique, []any{"month", "supplier", "month"}, Field{"list", "must not contain the same item twice"}},
		{composed, []any{map[string]any{"by": []any{"foo"}}}, Field{"list[0].by[0]", "must be one of month, supplier"}},
	} {
		fields, err := Value(t.Context(), c.schema, c.value, "list")
		if err != nil || len(fields) != 1 || fields[0] != c.want {
			t.Errorf("%v: %v, %v; want %v", c.value, fields, err, c.want)
		}
	}
}
