package textrules

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// languageFiles contains one file for each language with the labels of its documents.
// docs/adding-a-language.md describes the format.
//
//go:embed languages/*.txt
var languageFiles embed.FS

// section identifies a section of a language file by its kind and name.
type section struct{ kind, name string }

// Language is a parsed language file.
type Language struct {
	Code     string
	sections map[section][]string
}

// sectionNames maps the kinds of sections to the permitted names. nil permits any
// name.
var sectionNames = map[string][]string{
	"role":    roleNames(),
	"column":  columnNames(),
	"kind":    {"proforma", "reminder", "statement", "quote", "order", "delivery_note", "payment_advice", "message"},
	"month":   {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
	"words":   {"days", "net", "discount", "pay", "notdue", "bank", "address", "notname", "particle", "honorific", "correction", "invoice"},
	"phrases": {"correction", "self_billing"},
	"country": nil, // ISO 3166-1 alpha-2
}

// ParseLanguage parses a language file. An unknown section, a phrase that is
// empty after folding, or text outside sections is an error.
func ParseLanguage(code, text string) (*Language, error) {
	l := &Language{Code: code, sections: map[section][]string{}}
	at := section{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimSpace(scanner.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
			continue
		case strings.HasPrefix(line, "["):
			kind, name, ok := strings.Cut(strings.Trim(line, "[]"), ".")
			names, known := sectionNames[kind]
			if !ok || !known || names != nil && !slices.Contains(names, name) || names == nil && len(name) != 2 {
				return nil, fmt.Errorf("%s line %d: unknown section %s", code, n, line)
			}
			at = section{kind, name}
			continue
		case at.kind == "":
			return nil, fmt.Errorf("%s line %d: text before the first section", code, n)
		}
		separator := "|"
		if at.kind == "words" || at.kind == "month" {
			separator = " "
		}
		for entry := range strings.SplitSeq(line, separator) {
			entry = strings.TrimSpace(entry)
			if entry == "" && separator == " " {
				continue
			}
			if len(plainWords(strings.TrimPrefix(entry, "~"))) == 0 {
				return nil, fmt.Errorf("%s line %d: %q contains no word", code, n, entry)
			}
			l.sections[at] = append(l.sections[at], entry)
		}
	}
	return l, scanner.Err()
}

// Languages returns the built-in languages, sorted by code.
func Languages() ([]*Language, error) {
	names, err := fs.Glob(languageFiles, "languages/*.txt")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []*Language
	for _, name := range names {
		raw, err := languageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		l, err := ParseLanguage(strings.TrimSuffix(path.Base(name), ".txt"), string(raw))
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// vocabulary combines the words of all languages, prepared for lookups.
type vocabulary struct {
	labels     map[string][]phrase // by the first word
	solid      map[rune][]phrase   // of scripts without spaces, by the first character
	heads      map[string][]head
	solidHeads map[string]Column
	kinds      map[string]string
	months     map[string]int
	words      map[string]map[string]bool
	prefixes   map[string][]string
	// innerCorrections are the words of the list "correction" that also count within a word.
	innerCorrections []string
	countries        map[string][]phrase
	known            map[string]bool
	joined           map[string]Role // of labels, by their words without spaces
	// phrases are those of each list, by the first word; solidPhrases those of scripts without spaces.
	phrases      map[string]map[string][][]string
	solidPhrases map[string][]string
}

// vocab loads the language files on first use. It panics on an invalid file; the
// tests load all files.
var vocab = sync.OnceValue(func() *vocabulary {
	languages, err := Languages()
	if err != nil {
		panic("language files: " + err.Error())
	}
	return compile(languages)
})

func compile(languages []*Language) *vocabulary {
	v := &vocabulary{
		labels: map[string][]phrase{}, solid: map[rune][]phrase{}, heads: map[string][]head{}, solidHeads: map[string]Column{},
		kinds: map[string]string{}, months: map[string]int{}, words: map[string]map[string]bool{}, prefixes: map[string][]string{},
		countries: map[string][]phrase{}, known: map[string]bool{}, joined: map[string]Role{},
		phrases: map[string]map[string][][]string{}, solidPhrases: map[string][]string{},
	}
	for _, l := range languages {
		for s, entries := range l.sections {
			for _, entry := range entries {
				v.add(l.Code, s, entry)
			}
		}
	}
	for _, list := range v.labels {
		slices.SortStableFunc(list, order)
		for _, p := range list {
			if key := strings.Join(p.words, ""); v.joined[key] == "" {
				v.joined[key] = p.label.Role
			} else if v.joined[key] != p.label.Role {
				v.joined[key] = "several"
			}
		}
	}
	for _, list := range v.solid {
		slices.SortStableFunc(list, order)
	}
	for _, list := range v.heads {
		slices.SortStableFunc(list, func(a, b head) int {
			return cmp.Or(cmp.Compare(len(b.words), len(a.words)), cmp.Compare(a.column, b.column))
		})
	}
	return v
}

// order sorts longer phrases first. The order does not depend on the order of files
// and maps.
func order(a, b phrase) int {
	return cmp.Or(cmp.Compare(b.label.Size, a.label.Size), compareBool(a.label.Weak, b.label.Weak), cmp.Compare(a.label.Role, b.label.Role))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (v *vocabulary) add(code string, s section, entry string) {
	text, weak := strings.CutPrefix(entry, "~")
	words := plainWords(text)
	switch s.kind {
	case "role":
		label := Label{Role: Role(s.name), Weak: weak, Size: len(words)}
		if IsIdeographic(text) {
			folded := Fold(text)
			label.Size = utf8.RuneCountInString(text)
			first, _ := utf8.DecodeRuneInString(folded)
			v.solid[first] = append(v.solid[first], phrase{[]string{folded}, label})
			return
		}
		v.labels[words[0]] = append(v.labels[words[0]], phrase{words, label})
		for _, w := range words {
			v.known[w] = true
		}
	case "column":
		column := Column(s.name)
		if IsIdeographic(text) {
			v.solidHeads[strings.ReplaceAll(text, " ", "")] = column
			return
		}
		v.heads[words[0]] = append(v.heads[words[0]], head{words, column})
		for _, w := range words {
			v.known[w] = true
		}
	case "kind":
		for _, key := range []string{strings.Join(words, " "), text} {
			if old, ok := v.kinds[key]; !ok || s.name < old {
				v.kinds[key] = s.name
			}
		}
	case "month":
		n, err := strconv.Atoi(s.name)
		if err == nil {
			v.months[Fold(text)] = n
		}
	case "country":
		v.countries[words[0]] = append(v.countries[words[0]], phrase{words, Label{Role: Role(s.name), Size: len(words)}})
	case "phrases":
		if IsIdeographic(text) {
			v.solidPhrases[s.name] = append(v.solidPhrases[s.name], Fold(text))
			return
		}
		if v.phrases[s.name] == nil {
			v.phrases[s.name] = map[string][][]string{}
		}
		v.phrases[s.name][words[0]] = append(v.phrases[s.name][words[0]], words)
	case "words":
		set := v.words[s.name]
		if set == nil {
			set = map[string]bool{}
			v.words[s.name] = set
		}
		if word := Fold(text); !set[word] {
			set[word] = true
			v.prefixes[s.name] = append(v.prefixes[s.name], word)
			if s.name == "correction" && utf8.RuneCountInString(word) >= inWords {
				v.innerCorrections = append(v.innerCorrections, word)
			}
		}
	}
}

// plainWords splits a text into folded words and ignores labels.
func plainWords(text string) []string {
	var out []string
	for _, t := range tokens(text, nil) {
		out = append(out, t.Text)
	}
	return out
}

// IsWord reports whether a word is in a word list of any language.
func IsWord(list, word string) bool { return vocab().words[list][Fold(word)] }

// Countries returns the countries (ISO 3166-1 alpha-2) with a name in the tokens.
func Countries(list []Token) []string {
	var out []string
	for i := range list {
		for _, p := range vocab().countries[list[i].Text] {
			if len(p.words) <= len(list)-i && slices.EqualFunc(p.words, list[i:i+len(p.words)], func(w string, t Token) bool { return w == t.Text }) {
				out = append(out, string(p.label.Role))
			}
		}
	}
	return out
}
