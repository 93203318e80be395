package invoice_test

import (
	"testing"

	"docledger/domain/invoice"
)

func TestValidIBAN(t *testing.T) {
	t.Parallel()
	for iban, want := range map[string][2]bool{ // valid, known
		"DE89370400440532013000":            {true, true},
		"de89 3704 0044 0532 0130 00":       {true, true},
		"GB29 NWBK 6016 1331 9268 19":       {true, true},
		"FR14 2004 1010 0505 0001 3M02 606": {true, true},
		"NO93 8601 1117 947":                {true, true},
		"CH93 0076 2011 6238 5295 7":        {true, true},
		"PL61109010140000071219812874":      {true, true},
		"DE88370400440532013000":            {false, true},
		"DE8937040044053201300":             {false, true}, // a digit missing
		"XX89370400440532013000":            {false, false},
		"5051-6628":                         {false, false},
		"0532013000":                        {false, false},
		"":                                  {false, false},
	} {
		valid, known := invoice.ValidIBAN(iban)
		if valid != want[0] || known != want[1] {
			t.Errorf("%q: valid %v, known %v", iban, valid, known)
		}
	}
}

// TestValidTaxID uses examples that tax offices publish, and variants with one digit changed.
func TestValidTaxID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"ATU13585627", "BE0428759497", "BE 428.759.497", "CHE-107.787.577 IVA", "CHE-107.787.577 MWST", "DE 136,695 976", "DK13585628",
		"ES54362315K", "ESX2482300W", "ESJ99216582", "FI20774740", "FR40303265045", "FRK7399859412", "GB980780684", "HU12892312", "IT00743110157",
		"LU15027442", "NL004495445B01", "NL8200.98.395.B.01", "NO995525828MVA", "PL8567346215", "PT501964843", "SE556188840401",
	} {
		if valid, known := invoice.ValidTaxID(id, ""); !valid || !known {
			t.Errorf("%s: valid %v, known %v", id, valid, known)
		}
	}
	for _, id := range []string{
		"ATU13585626", "BE0428759498", "CHE107787578", "DE136695977", "DE0815", "DE12345464867", "DK13585627", "ES54362315A", "ESX2482300A",
		"ESJ99216583", "FI20774741", "FR41303265045", "GB980780685", "HU12892313", "IT00743110158", "LU15027443", "NL004495446B01",
		"NO995525829MVA", "PL8567346216", "PT501964842", "SE556188840501",
	} {
		if valid, known := invoice.ValidTaxID(id, ""); valid || !known {
			t.Errorf("%s: valid %v, known %v", id, valid, known)
		}
	}
	for id, country := range map[string]string{"": "DE", "XX": "DE", "20/455/01234": "DE", "175 269 2355": "GB", "RO124533553": "RO", "399999999900003": "SA", "B23103039": "FR"} {
		if valid, known := invoice.ValidTaxID(id, country); known {
			t.Errorf("%s in %s: known, valid %v", id, country, valid)
		}
	}
	for id, country := range map[string]string{"8567346215": "PL", "54362315K": "ES", "00743110157": "IT"} {
		if valid, known := invoice.ValidTaxID(id, country); !valid || !known {
			t.Errorf("%s in %s: valid %v, known %v", id, country, valid, known)
		}
	}
}

func TestFoldName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Acme & Sons, Ltd.": "acmesonsltd", "Acme\u3164": "acme", "A\u034Fcm\u115Fe\uFE0F": "acme", "Ac\u00ADme\u200B": "acme", "\u3164\u1160": "",
		"가나 2": "가나2", "क्\u200Dष": "क्ष",
	} {
		if got := invoice.FoldName(name); got != want {
			t.Errorf("%+q: %+q, want %+q", name, got, want)
		}
	}
}
