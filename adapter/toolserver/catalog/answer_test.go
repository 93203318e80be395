package catalog_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"docledger/adapter/toolserver/catalog"
)

func TestCleanText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ntext\twith ümlaut":             "plain\ntext\twith ümlaut",
		"\x1b[31mred\x1b[0m":                   "[31mred[0m",
		"a\x00b\x07c\u0085d":                   "abcd",
		"pay\u202eevil":                        "payevil",
		"zero\u200bwidth\ufeff":                "zerowidth",
		"tags\U000E0041\U000E007F":             "tags",
		"line\u2028break":                      "line\nbreak",
		"soft\u00adhyphen":                     "softhyphen",
		"hidden\ufe0f\U000E0101":               "hidden",
		"fill\u3164\u115f\u1160\uffa0ers":      "fillers",
		"join\u034f\u17b4\u180e\u200d\u200ced": "joined",
		"blank\u2800braille":                   "blank braille",
		"range\U000E0000\U000E0001\U000E0080\U000E01F0\U000E0FFF": "range",
		"kept \u0301é 日本 😀 \u28ff":                                "kept \u0301é 日本 😀 \u28ff",
		"note\U0001D159head":                                      "notehead",
		"\u0600١٢ \u0605 \u06DD١ \u08E2":                          "\u0600١٢ \u0605 \u06DD١ \u08E2",
		"نامه\u200Cها":                                            "نامه\u200Cها", "क्\u200Dष": "क्\u200Dष", "مُ\u200Dه": "مُ\u200Dه",
		"نامه\u200C\u200D\u200C\u200Bها":       "نامهها",
		"نامه\u200B\u200D\u200Cها":             "نامه\u200Cها",
		"\u200Cنامه\u200C \u200Dها\u200D":      "نامه ها",
		"نامه\u200C\u17B4ها\u200C1\u200Da":     "نامهها1a",
		"e\u0301\u200C\u0301f\u200Cg 日\u200D本": "e\u0301\u0301fg 日本",
		"👩🏽\u200D💻 🏳\uFE0F\u200D🌈":             "👩🏽\u200D💻 🏳\u200D🌈",
		"👩\u200D\u2800👩\u200D\U0001D159💻":      "👩 👩💻",
		"👩\u200D\u200D💻\u200C💻\u200D a👩\u200D": "👩\u200D💻💻 a👩",
	} {
		if got := catalog.CleanText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	got := catalog.Clean(catalog.Object{"a\u200b": []any{"x\x00", catalog.Object{"b": "y\x1b"}}})
	if text := fmt.Sprint(got); text != "map[a:[x map[b:y]]]" {
		t.Errorf("nested: %s", text)
	}
}

// TestIsClean never says of a text that Clean would change that it is clean.
func TestIsClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":"plain ümlaut 日本 €"}`: true, "{\n\t\"a\": 1}": true, `{"a":"x\ny\t\"z\" \\ \/"}`: true, `{"a":"b \u0026 c \u003cd\u003e"}`: false, `{}`: true,
		`{"a":"\u001b[31m"}`: false, `{"a":"\u200b"}`: false, `{"a":"\u202e"}`: false, `{"a":"\b"}`: false, `{"a":"\r"}`: false, `{"a":"\f"}`: false,
		`{"\u0000":1}`: false, "{\"a\":\"\u200b\"}": false, "{\"a\":\"\u202e\"}": false, "{\"a\":\"\u2028\"}": false, "{\"a\":\"\x7f\"}": false,
		"{\"a\":\"\xff\"}": false, "{\"a\":\"\U000E0041\"}": false, `{"a":"\ud83d\ude00"}`: false, `\`: true,
		"{\"a\":\"نامه\u200Cها \u0600١\"}": true, "{\"a\":\"نامه\u200C\"}": false, "{\"a\":\"\u200Cنامه\"}": false, "{\"a\":\"نامه\u200C\u200Cها\"}": false,
		"{\"a\":\"نامه\",\"b\":\"\u200Cها\"}": false, "{\"a\":\"a\u2800b\"}": false, "{\"a\":\"\U0001D159\"}": false,
	} {
		if got := catalog.IsClean(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// FuzzIsClean holds it against Clean itself.
func FuzzIsClean(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, `{"a":"\u0026\u001b"}`, `{"\\u0026":"\\b"}`, "{\"a\":\"\u200b\u00ad\"}", `{"a":["\\\u0007",{"b":"\u2028"}]}`, `{"a":1e400}`,
		"{\"a\":\"نامه\u200Cها\\n\u200Dक्\u200Dष\u064B\u200C👩\u200D💻\u2800\u0600\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := func() (o catalog.Object, ok bool) {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			return o, d.Decode(&o) == nil && o != nil
		}
		once := catalog.CleanText(text)
		if again := catalog.CleanText(once); again != once {
			t.Errorf("%q becomes %q, and that %q", text, once, again)
		}
		for _, pair := range []string{"\u200C\u200C", "\u200C\u200D", "\u200D\u200C", "\u200D\u200D"} {
			if strings.Contains(once, pair) {
				t.Errorf("%q has two joiners in a row", once)
			}
		}
		before, ok := read()
		if !ok || !catalog.IsClean(text) {
			return
		}
		after, _ := read()
		if catalog.Clean(after); !reflect.DeepEqual(before, after) {
			t.Errorf("%q is not clean: %v becomes %v", text, before, after)
		}
	})
}

func list(n, each int) catalog.Object {
	items := make([]any, n)
	for i := range items {
		items[i] = catalog.Object{"id": fmt.Sprint(i), "text": strings.Repeat("x", each)}
	}
	return catalog.Object{"items": items, "next_cursor": nil}
}

func size(t *testing.T, v any) int {
	t.Helper()
	data, err := catalog.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}

func TestFitting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer   catalog.Object
		budget   int
		fit, all int
	}{
		"all":      {list(10, 10), 10_000, 10, 10},
		"some":     {list(10, 1000), 5_000, 4, 10},
		"just":     {list(10, 1000), 10_400, 10, 10},
		"just not": {list(10, 1000), 10_000, 9, 10},
		"not one":  {list(10, 1000), 100, 1, 10},
		"none":     {list(0, 0), 100, 0, 0},
		"no items": {catalog.Object{"id": "1"}, 100, 0, 0},
	} {
		if fit, all := catalog.Fitting(c.answer, c.budget); fit != c.fit || all != c.all {
			t.Errorf("%s: %d of %d", name, fit, all)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	lines := list(400, 100)["items"]
	for name, c := range map[string]struct {
		answer catalog.Object
		says   string
	}{
		"long list":   {catalog.Object{"id": "1", "lines": lines}, "part of lines"},
		"long text":   {catalog.Object{"id": "1", "note": strings.Repeat("ä\"", 30_000)}, "part of note"},
		"long object": {catalog.Object{"id": "1", "evidence": catalog.Object{"a": strings.Repeat("x", 40_000), "b": "1"}}, "evidence.a"},
		"many":        {catalog.Object{"id": "1", "a": lines, "b": lines, "c": list(400, 100)["items"]}, "part of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const budget = 24_000
			catalog.Shorten(c.answer, budget)
			if n := size(t, c.answer); n > budget {
				t.Errorf("%d bytes are left", n)
			}
			said, _ := c.answer["truncated"].(string)
			if !strings.Contains(said, c.says) || !strings.Contains(said, "max_tokens") || c.answer["id"] != "1" {
				t.Errorf("says %q, id %v", said, c.answer["id"])
			}
		})
	}
	short := catalog.Object{"id": "1"}
	catalog.Shorten(short, 100)
	if short["truncated"] != nil {
		t.Error("a short answer was marked")
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	for asked, want := range map[any]int{
		nil: catalog.DefaultTokens * 3, json.Number("100"): 300, json.Number("1e9"): catalog.MaxTokens * 3, json.Number("25000"): catalog.MaxTokens * 3,
	} {
		if got := catalog.Budget(catalog.Object{catalog.ArgMaxTokens: asked}); got != want {
			t.Errorf("%v: %d", asked, got)
		}
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	asked := catalog.Object{catalog.ArgFields: []any{"id"}}
	one := catalog.Object{"id": "1", "name": "n"}
	catalog.Select(one, asked)
	many := catalog.Object{"items": []any{catalog.Object{"id": "1", "name": "n"}}, "next_cursor": "c"}
	catalog.Select(many, asked)
	if fmt.Sprint(one, many) != "map[id:1] map[items:[map[id:1]] next_cursor:c]" {
		t.Error(one, many)
	}
}

// made makes a random value of some depth, with members of all sizes.
func made(random *rand.Rand, depth int) any {
	switch kind := random.IntN(6); {
	case depth > 0 && kind < 2:
		o := catalog.Object{}
		for i := range random.IntN(12) {
			o[fmt.Sprintf("member_%d", i)] = made(random, depth-1)
		}
		return o
	case depth > 0 && kind == 2:
		list := make([]any, random.IntN(20))
		for i := range list {
			list[i] = made(random, depth-1)
		}
		return list
	case kind == 3:
		return json.Number(fmt.Sprint(random.IntN(1e9)))
	case kind == 4:
		return strings.Repeat("日本<\"", random.IntN(200))
	}
	return strings.Repeat("x", random.IntN(90))
}

// TestShortenKeepsItsPromise whatever a response is like: it fits, is marked,
// and still says what it is of.
func TestShortenKeepsItsPromise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for round := range 150 {
		answer := catalog.Object{"id": "01936b1e-0000-7000-8000-000000000005", "status": "EXTRACTED"}
		for i := range 1 + random.IntN(150) {
			answer[fmt.Sprintf("field_%d", i)] = made(random, 2)
		}
		budget := 3 * (500 + random.IntN(8000))
		before := size(t, answer)
		catalog.Shorten(answer, budget)
		after, marked := size(t, answer), answer["truncated"] != nil
		if after > budget || marked != (before > budget) || answer["id"] == nil || answer["status"] == nil {
			t.Errorf("round %d: %d bytes became %d with a budget of %d, marked: %v", round, before, after, budget, marked)
		}
	}
}

// TestFailedChecks selects the checks that failed, which the API has only as a
// part of all checks.
func TestFailedChecks(t *testing.T) {
	t.Parallel()
	answer := catalog.Object{"id": "1", "checks": []any{
		catalog.Object{"rule": "gross_sum", "passed": false, "severity": "BLOCKING"}, catalog.Object{"rule": "due_sum", "passed": true},
	}}
	catalog.Select(answer, catalog.Object{catalog.ArgFields: []any{"failed_checks", "checks.rule"}})
	want := "map[checks:[map[rule:gross_sum] map[rule:due_sum]] failed_checks:[map[rule:gross_sum severity:BLOCKING]]]"
	if got := fmt.Sprint(answer); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCompact keeps what a model needs of the items of a change.
func TestCompact(t *testing.T) {
	t.Parallel()
	answer := catalog.Object{"items": []any{
		catalog.Object{"id": "1", "ok": true, "status": "APPROVED", "error": nil},
		catalog.Object{"id": "2", "ok": false, "status": nil, "error": catalog.Object{"code": "forbidden", "details": catalog.Object{"request_id": "r"}}},
		catalog.Object{"id": "3", "ok": false, "error": catalog.Object{"code": "conflict", "details": catalog.Object{"request_id": "r", "status": "SYNCED"}}},
	}}
	catalog.Compact(answer)
	want := "map[items:[map[id:1 ok:true status:APPROVED] map[error:map[code:forbidden] id:2 ok:false] map[error:map[code:conflict details:map[status:SYNCED]] id:3 ok:false]]]"
	if got := fmt.Sprint(answer); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
