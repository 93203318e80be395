package transfer

import "testing"

// Numbers in JSON are written as PostgreSQL writes them.
func TestPlainNumbers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "-0.00": "0.00", "1.50": "1.50", "-12.5": "-12.5", "1e2": "100", "1E+2": "100", "1.5e-3": "0.0015",
		"1.50e1": "15.0", "12.345e2": "1234.5", "0.001e3": "1", "-1e-07": "-0.0000001", "1e21": "1000000000000000000000", "0e5": "0",
	} {
		got, err := plainNumber(in)
		if err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"1e1001", "1e-1001", "1e99999999999999999999"} {
		if got, err := plainNumber(in); err == nil {
			t.Errorf("%s is %.20s", in, got)
		}
	}
}

// JSON has one canonical form, independently of its original form.
func TestOneFormOfJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		` { "b" : 1 , "a" : [ ] } `: `{"a":[],"b":1}`, `"é\/"`: `"é/"`, `{"a":1,"a":2}`: `{"a":2}`, "null": "null",
		`[1E2,true,null]`: `[100,true,null]`,
	} {
		got, err := appendJSON(nil, []byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s is %s (%v), want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "{", "1 2", `"\u0000"`, "{} x"} {
		if got, err := appendJSON(nil, []byte(in)); err == nil {
			t.Errorf("%q is %s", in, got)
		}
	}
}
