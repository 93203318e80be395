package edge_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/httpapi/spectest"
	"docledger/domain/fault"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// userFilter is a filter that takes an id or a word. Its handler reads the text.
var userFilter = regexp.MustCompile(`"(created_by|assigned_to)":"[^"]*",?`)

// TestNilIDsReachNoHandler puts the nil UUID in each place of each operation that takes a UUID. The
// handler is reached, as with every unknown id, and gets no nil UUID.
func TestNilIDsReachNoHandler(t *testing.T) {
	t.Parallel()
	seen := make(chan any, 1)
	b := setup(t, func(_ context.Context, _ string, request any) (any, error) {
		seen <- request
		return nil, fault.Missing("thing")
	})
	places := 0
	for _, operation := range spectest.New(t).Operations() {
		if operation.Signed {
			continue
		}
		valid := spectest.ValidCase(operation, 1, nil) // with every parameter and key
		for i := range anyID.FindAllString(valid.Path+valid.RawQuery+string(valid.Body), -1) {
			places++
			c, left := valid, i
			c.Path = withNilID(c.Path, &left)
			c.RawQuery = withNilID(c.RawQuery, &left)
			c.Body = []byte(withNilID(string(c.Body), &left))
			req, err := c.Request(t.Context(), b.server.URL)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+goodToken)
			r := b.send(t, req)
			if r.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %d %.300s (%s?%s %s)", operation.ID, r.StatusCode, r.body, c.Path, c.RawQuery, c.Body)
				continue
			}
			got, err := json.Marshal(<-seen)
			got = userFilter.ReplaceAll(got, nil)
			if err != nil || strings.Contains(string(got), uuid.Nil.String()) {
				t.Errorf("%s: the handler got %s, %v", operation.ID, got, err)
			}
		}
	}
	if places < 100 {
		t.Errorf("only %d places take a UUID", places)
	}
}

// withNilID replaces the UUID of a text that *n others precede, and counts *n down.
func withNilID(text string, n *int) string {
	return anyID.ReplaceAllStringFunc(text, func(id string) string {
		if *n--; *n == -1 {
			return uuid.Nil.String()
		}
		return id
	})
}

// TestNoNilIDsLeavesWhatIsAbsent expects that null and absent ids stay what they are.
func TestNoNilIDsLeavesWhatIsAbsent(t *testing.T) {
	t.Parallel()
	type body struct {
		ID     *uuid.UUID
		Null   nullable.Nullable[uuid.UUID]
		Set    nullable.Nullable[uuid.UUID]
		Absent nullable.Nullable[uuid.UUID]
		List   *[]uuid.UUID
		Next   *body
		Name   string
	}
	id := uuid.New()
	request := struct{ Body *body }{&body{
		Null: nullable.NewNullNullable[uuid.UUID](), Set: nullable.NewNullableWithValue(uuid.Nil),
		List: &[]uuid.UUID{uuid.Nil, id}, Next: &body{ID: &uuid.UUID{}}, Name: "a",
	}}
	want := struct{ Body *body }{&body{
		Null: nullable.NewNullNullable[uuid.UUID](), Set: nullable.NewNullableWithValue(uuid.Max),
		List: &[]uuid.UUID{uuid.Max, id}, Next: &body{ID: &uuid.Max}, Name: "a",
	}}
	var got any
	handler := edge.NoNilIDs(func(_ *gin.Context, r any) (any, error) { got = r; return nil, nil }, "")
	if _, err := handler(nil, request); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := handler(nil, nil); err != nil || got != nil {
		t.Errorf("no request: %v, %v", got, err)
	}
}
