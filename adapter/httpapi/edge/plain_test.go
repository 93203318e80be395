package edge

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestUnescapeHTML(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"R\u0026D \u003cb\u003e"}`: `{"a":"R&D <b>"}`,
		`{"a":"\\u0026"}`:                `{"a":"\\u0026"}`,
		`{"a":"\\\u0026"}`:               `{"a":"\\&"}`,
		`{"a":"\u0000\u2028\""}`:         `{"a":"\u0000\u2028\""}`,
		`\`:                              `\`,
		`\u00`:                           `\u00`,
	} {
		if got := string(unescapeHTML([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// TestFilesKeepTheirBytes writes JSON as a record and as files.
func TestFilesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	const escaped, plain = `{"a":"\u003c"}`, `{"a":"<"}`
	for name, c := range map[string]struct{ header, value, want string }{
		"a record":                  {"X-Request-Id", "1", plain},
		"a file with its length":    {"Content-Length", "14", escaped},
		"a file with a disposition": {"Content-Disposition", "attachment", escaped},
		"another media type":        {"Content-Type", "text/plain", escaped},
	} {
		recorder := httptest.NewRecorder()
		gin.SetMode(gin.ReleaseMode)
		context, engine := gin.CreateTestContext(recorder)
		engine.GET("/", plainJSON, func(c2 *gin.Context) {
			c2.Header("Content-Type", "application/json")
			c2.Header(c.header, c.value)
			if _, err := c2.Writer.Write([]byte(escaped)); err != nil {
				t.Error(err)
			}
		})
		context.Request = httptest.NewRequest(http.MethodGet, "/", nil)
		engine.ServeHTTP(recorder, context.Request)
		if got := recorder.Body.String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// FuzzUnescapeHTML holds the replaced text against a decoder: the value is the
// same.
func FuzzUnescapeHTML(f *testing.F) {
	for _, seed := range []string{"a<b>&c", `\u0026`, "\\", "\"\\<", "\u2028\x00&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		plain := unescapeHTML(encoded)
		if json.Unmarshal(encoded, &before) != nil || json.Unmarshal(plain, &after) != nil || before != after {
			t.Errorf("%s became %s", encoded, plain)
		}
		if bytes.Contains(plain, []byte(`\u003c`)) && !bytes.Contains(plain, []byte(`\\u003c`)) {
			t.Errorf("%s keeps an escape", plain)
		}
	})
}
