package textrules_test

import (
	"testing"

	"docledger/domain/extraction/textrules"
)

func TestFindDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2024-03-05":                      "2024-03-05",
		"2024/3/5":                        "2024-03-05",
		"05.03.2024":                      "2024-03-05",
		"5-3-2024":                        "2024-03-05",
		"21.05.14":                        "2014-05-21",
		"31.12.99":                        "1999-12-31",
		"10/18/18":                        "2018-10-18",
		"11. Juli 2014":                   "2014-07-11",
		"7 mai 2014":                      "2014-05-07",
		"August 3 , 2014":                 "2014-08-03",
		"Jan 1, 2022":                     "2022-01-01",
		"24 Sep 2024":                     "2024-09-24",
		"3rd March 2021":                  "2021-03-03",
		"5 de março de 2024":              "2024-03-05",
		"1 maja 2023 r.":                  "2023-05-01",
		"5 Μαρτίου 2024":                  "2024-03-05",
		"5 март 2024 г.":                  "2024-03-05",
		"2024年5月31日":                      "2024-05-31",
		"٢٠٢٤/٠٦/١٥":                      "2024-06-15",
		"Rechnung vom 05.03.2018 gestern": "2018-03-05",
	} {
		found := textrules.FindDates(text)
		if len(found) != 1 {
			t.Errorf("FindDates(%q) found %d dates", text, len(found))
			continue
		}
		if got, _, ok := found[0].Read(textrules.DayFirst); !ok || got.String() != want {
			t.Errorf("FindDates(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestFindDatesIgnoresOtherNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"80101911/26.06.2025-7", "45/13/2024", "31.02.2024", "March 2024", "May", "192.168.1.20", "12.34.5678.9", "2024-13-01", "1.2.3", "tel 030/12/345678", "",
	} {
		for _, d := range textrules.FindDates(text) {
			if date, _, _ := d.Read(textrules.DayFirst); text != "80101911/26.06.2025-7" || date.Year == 1911 {
				t.Errorf("FindDates(%q) = %s, want none", text, date)
			}
		}
	}
}

func TestAmbiguousDates(t *testing.T) {
	t.Parallel()
	d := textrules.FindDates("11/03/2017")[0]
	date, other, _ := d.Read(textrules.OrderUnknown)
	if other == nil || date.String() != "2017-03-11" || other.String() != "2017-11-03" {
		t.Errorf("11/03/2017 = %s or %v", date, other)
	}
	if date, other, _ := d.Read(textrules.MonthFirst); other != nil || date.String() != "2017-11-03" {
		t.Errorf("month first: %s or %v", date, other)
	}
	if _, other, _ := textrules.FindDates("05/05/2017")[0].Read(textrules.OrderUnknown); other != nil {
		t.Errorf("05/05/2017 has a second reading %s", other)
	}
}

func TestVoteOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want textrules.Order
	}{
		{"11/03/2017 11/17/2017", textrules.MonthFirst},
		{"11/03/2017 17/11/2017", textrules.DayFirst},
		{"11/03/2017", textrules.OrderUnknown},
		{"17/11/2017 11/17/2017", textrules.OrderUnknown},
		{"2017-11-17 11/03/2017", textrules.OrderUnknown},
	} {
		if got := textrules.VoteOrder(textrules.FindDates(c.text), textrules.OrderUnknown); got != c.want {
			t.Errorf("order of %q = %d, want %d", c.text, got, c.want)
		}
	}
	if got := textrules.VoteOrder(nil, textrules.DayFirst); got != textrules.DayFirst {
		t.Errorf("without dates the order is %d", got)
	}
}

func TestADateAfterAnotherNumberIsFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"90012345 / 26.06.2026", "No. 12/3 / 26.06.2026", "7 - 26.06.2026"} {
		if all := textrules.FindDates(text); len(all) != 1 || all[0].Text != "26.06.2026" {
			t.Errorf("dates in %q: %v", text, all)
		}
	}
}
