package xero

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const mostElements = 500 // per request

// readBody parses a request's JSON.
func readBody(c *call, into any) *answer {
	if kind := c.Header.Get("Content-Type"); !strings.Contains(kind, "json") {
		refused := apiError(http.StatusUnsupportedMediaType, 10, "UnsupportedMediaType", "This simulator reads JSON alone.")
		return &refused
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		refused := apiError(http.StatusBadRequest, 17, "PostDataInvalidException", "JSON for post data was invalid: "+err.Error())
		return &refused
	}
	return nil
}

// writeEach validates the elements of a request and stores the valid ones. An invalid element
// refuses the request, or only itself if summarizeErrors is false. each returns how to store an
// element, how to show it if it is refused, and its errors.
func (s *Server) writeEach(c *call, plural string, n int, each func(i int) (write func() object, shown object, problems []string)) answer {
	if n == 0 || n > mostElements {
		return apiError(http.StatusBadRequest, 10, "ValidationException", "There are no elements, or too many.")
	}
	apart := strings.EqualFold(c.URL.Query().Get("summarizeErrors"), "false")
	type element struct {
		write    func() object
		shown    object
		problems []string
	}
	var all []element
	anyWrong := false
	for i := range n {
		write, shown, problems := each(i)
		anyWrong = anyWrong || len(problems) > 0
		all = append(all, element{write, shown, problems})
	}
	var out []object
	for _, e := range all {
		switch {
		case len(e.problems) > 0:
			out = append(out, append(e.shown, refusal(e.problems)...))
		case anyWrong && !apart:
			out = append(out, append(e.shown, member{"ValidationErrors", []object{}}))
		default:
			out = append(out, append(e.write(), member{"StatusAttributeString", "OK"}))
		}
	}
	if anyWrong && !apart {
		return wrong(out)
	}
	return s.list(plural, out, nil)
}

// wrong refuses a request with the errors of its elements.
func wrong(elements []object) answer {
	a := apiError(http.StatusBadRequest, 10, "ValidationException", "A validation exception occurred")
	a.body = append(a.body.(object), member{"Elements", elements})
	return a
}

func refusal(problems []string) object {
	var errors []object
	for _, p := range problems {
		errors = append(errors, object{{"Message", p}})
	}
	return object{{"StatusAttributeString", "ERROR"}, {"HasErrors", true}, {"ValidationErrors", errors}}
}

// parseDate parses both date formats: 2026-03-01 with or without a time, and
// /Date(1772323200000+0000)/.
func parseDate(text string) (time.Time, bool) {
	if inner, found := strings.CutPrefix(text, "/Date("); found {
		inner, found = strings.CutSuffix(inner, ")/")
		digits := inner
		if i := strings.LastIndexAny(inner, "+-"); i > 0 {
			digits = inner[:i]
		}
		ms, err := strconv.ParseInt(digits, 10, 64)
		at := time.UnixMilli(ms).UTC()
		if !found || err != nil || at.Year() < 1 || at.Year() > 9999 {
			return time.Time{}, false
		}
		return at.Truncate(24 * time.Hour), true
	}
	text, _, _ = strings.Cut(text, "T")
	at, err := time.Parse(time.DateOnly, text)
	return at, err == nil && at.Year() > 0
}
