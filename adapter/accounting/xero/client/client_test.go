package client

import (
	"encoding/json"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/infrastructure/httpclient"
)

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"/Date(1439434356790)/"`: "2015-08-13", `"/Date(1419937200000+0000)/"`: "2014-12-30", `"/Date(1419937200000+1300)/"`: "2014-12-30",
		`"/Date(-86400000-0500)/"`: "1969-12-31", `null`: "", `""`: "",
	} {
		var d Date
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.IsZero() != (want == "") || want != "" && d.String() != want {
			t.Errorf("%s is %s, %v; want %s", text, d, err, want)
		}
	}
	for _, text := range []string{`"2015-08-13"`, `"/Date()/"`, `"/Date(x)/"`, `"/Date(1"`, `5`, `"/Date(99999999999999999)/"`, `"/Date(+)/"`} {
		d := Date{calendar.Date{Year: 1}}
		if err := json.Unmarshal([]byte(text), &d); err == nil || !d.IsZero() {
			t.Errorf("%s is read as %s", text, d)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1001": true, "A3F4C6B2-6B0D-4A1F-8D65-0D0A5F0F1001": true,
		"": false, "a3f4c6b26b0d4a1f8d650d0a5f0f1001": false, "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f100g": false,
		"a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f100/": false, "-3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1001": false, "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f10ä": false,
	} {
		if IsID(id) != want {
			t.Errorf("%q is an id: %t", id, !want)
		}
	}
}

// FuzzDate checks that every parsed date is within the calendar.
func FuzzDate(f *testing.F) {
	for _, text := range []string{`"/Date(1439434356790)/"`, `"/Date(-1+0000)/"`, `null`, `"/Date(9e9)/"`, `"\u002fDate(1)/"`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		at, err := parseTime(raw)
		if err == nil && !at.IsZero() && (at.Year() < 1 || at.Year() > 9999 || at.Location() != time.UTC) {
			t.Errorf("%s is %s", raw, at)
		}
	})
}

// FuzzDocument checks that no response makes the decoder panic or accept a document without an id.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"InvoiceID":"a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1001","Status":"DRAFT","Total":1.20,"LineItems":[{"Description":"x"}]}`))
	f.Add([]byte(`{"CreditNoteID":1,"HasErrors":"x","ValidationErrors":[null]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, k := range []*Kind{Bills, CreditNotes} {
			if d, err := k.read("read", raw); err == nil && (!IsID(d.ID) || d.Kind != k) {
				t.Errorf("%s is read as %+v", raw, d)
			}
		}
		f := &httpclient.Failure{Status: 400}
		readRefusal(f, raw)
		_ = f.Error()
	})
}
