package textrules

import (
	"bytes"
	"strings"
)

// legalForms are the legal forms that identify a company name, folded and without
// full stops.
var legalForms = setOf(`gmbh mbh ag kg kgaa ohg ug gbr ek se ltd limited llc llp lp inc incorporated corp corporation plc co company cic
	sarl sas sasu sa eurl snc sci scop sl slu srl spa sapa sc scoop bv nv vof lda ltda sa eireli me epp unipessoal
	spzoo zoo sk spj ab as asa aps oy oyj hb kb sro kft zrt bt nyrt doo dd ae επε εε οε ικε αε αβεε еоод оод ад еад ет pty pvt gmbhcokg
	gesbr gesmbh eg slne sll slp sapi cv srls scs scrl senc sencrl scm selarl gie vzw asbl kkt pte sdn bhd pllc uab ehf amba
	dac clg teoranta ivs ans enk nuf ky tmi osakeyhtio aktiebolag handelsbolag kommanditbolag aktieselskab anpartsselskab
	interessentskab limitada cvba commv eood jsc pfa partg`)

// exactForms are legal forms that are ordinary words without their full stops, slashes and case.
var exactForms = setOf(`I/S K/S P/S e.U. e.V. s.c. k.s. z.s. o.p.s. v.o.s. C.B. S.C.A.`)

// solidForms are the legal forms in scripts without spaces, and those that are
// separate from Latin ones.
var solidForms = []string{"株式会社", "有限会社", "合同会社", "有限公司", "公司", "شركة", "مؤسسة"}

// IsCompany reports whether a name contains the legal form of a company.
func IsCompany(name string) bool {
	if !isASCII(name) {
		for _, form := range solidForms {
			if strings.Contains(name, form) {
				return true
			}
		}
	}
	for _, w := range strings.Fields(name) {
		if IsLegalForm(w) {
			return true
		}
	}
	folded := strings.ReplaceAll(Fold(name), " ", "")
	return strings.Contains(folded, "sp.zo.o") || strings.Contains(folded, "spolkaz") || strings.Contains(folded, "s.a.")
}

// IsLegalForm reports whether a word is the legal form of a company: "Inc.",
// "S.r.l.".
func IsLegalForm(word string) bool {
	if strings.IndexByte(word, '.') > 0 || strings.IndexByte(word, '/') > 0 {
		if exactForms[strings.Trim(word, ",;:()")] {
			return true
		}
	}
	if isASCII(word) {
		return isPlainForm(word)
	}
	w := strings.Trim(strings.ReplaceAll(Fold(word), ".", ""), ",;:()")
	w = strings.ReplaceAll(w, "/", "")
	if word == strings.ToLower(word) && (ordinary(w) || len([]rune(w)) <= 2) {
		return false
	}
	return legalForms[w]
}

// ordinary reports whether a legal form is an ordinary word if it is in lower case.
func ordinary(form string) bool {
	switch form {
	case "company", "limited", "corporation", "incorporated", "me", "sc", "ans", "enk":
		return true
	}
	return false
}

// isPlainForm is IsLegalForm for a word of ASCII, which most words are, without
// allocations.
func isPlainForm(word string) bool {
	var room [32]byte
	form, lower := room[:0], true
	for i := range len(word) {
		c := word[i]
		if c == '.' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c, lower = c+'a'-'A', false
		}
		form = append(form, c)
	}
	form = bytes.Trim(form, ",;:()")
	kept := form[:0]
	for _, c := range form {
		if c != '/' {
			kept = append(kept, c)
		}
	}
	if lower && (len(kept) <= 2 || ordinary(string(kept))) {
		return false
	}
	return legalForms[string(kept)]
}

// WithoutForm returns a name without the legal form at its end, or "" if it has none.
func WithoutForm(name string) string {
	words := strings.Fields(name)
	end := len(words)
	for end > 1 {
		last := words[end-1]
		joins := end < len(words) && (last == "&" || last == "de")
		if !joins && !IsLegalForm(last) {
			break
		}
		end--
	}
	if end == len(words) {
		return ""
	}
	return strings.Join(words[:end], " ")
}
