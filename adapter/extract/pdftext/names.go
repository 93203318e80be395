package pdftext

import (
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
)

// nameCandidates returns the texts that can be names of parties.
func (s *parsedDocument) nameCandidates() []nameCandidate {
	var out []nameCandidate
	seen := map[string]int{}
	add := func(seg *segment, start, end, piece int) {
		raw := seg.text[start:end]
		trimmed := strings.Trim(raw, " :.-–=#/|,;·•◆")
		name := restoreStop(cutHonor(trimmed), raw)
		if !plausibleName(name) || textrules.IsWord("particle", textrules.Fold(strings.Trim(name, ".,:"))) || len(out) >= maxCandidates || seen[name] >= 4 {
			return
		}
		seen[name]++
		at := start + strings.Index(raw, trimmed)
		out = append(out, nameCandidate{name, seg, at, at + len(trimmed), piece})
	}
	for _, seg := range s.segments {
		if seg.page > 2 || seg.used {
			continue
		}
		text := seg.text
		if len(text) > 300 {
			continue
		}
		start := 0
		if i := labelPrefix(seg); i > 0 && i < len(text) {
			start = i
		}
		if start == 0 || text[start-1] != ':' && !strings.HasPrefix(strings.TrimLeft(text[start:], " ."), ":") {
			add(seg, 0, len(text), 0)
		}
		if start > 0 {
			add(seg, start, len(text), 1)
		}
		if at := separators.FindStringIndex(text[start:]); at != nil && at[0] > 0 {
			add(seg, start, start+at[0], 2)
		}
		if strings.Contains(text[start:], ",") {
			if i := commaCut(text[start:]); i > 0 {
				add(seg, start, start+i, 3)
			}
		}
		if m := soldBy.FindStringSubmatchIndex(text); m != nil {
			add(seg, m[2], m[3], 1)
		}
	}
	return append(out, s.joinedNames(seen)...)
}

func cutHonor(name string) string {
	for _, suffix := range []string{" 御中", "御中", " 様", "様"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return strings.TrimSpace(attention.ReplaceAllString(name, ""))
}

// labelPrefix returns the offset of the text after the labels at the start of a
// segment.
func labelPrefix(seg *segment) int {
	end := 0
	if len(seg.labels) > 0 && seg.labels[0].From <= 1 {
		at := seg.tokens[seg.labels[0].To-1].End
		switch groupOf(seg.labels[0].Label) {
		case groupSeller, groupBuyer, groupName, groupOtherParty, groupTitle:
			end = at
		default:
			if strings.HasPrefix(strings.TrimLeft(seg.text[at:], " ."), ":") {
				end = at
			}
		}
	}
	if i := strings.Index(seg.text, ":"); i > 0 && i < 60 && i+1 < len(seg.text) && !strings.Contains(seg.text[:i], ",") {
		end = max(end, i+1)
	}
	return end
}

// commaCut returns the end of a name before an address: the first comma that is
// followed by a part with a digit.
func commaCut(text string) int {
	parts := strings.Split(text, ",")
	end := 0
	for i, part := range parts[:len(parts)-1] {
		end += len(part)
		if i > 0 {
			end++
		}
		if hasDigit(parts[i+1]) && !hasDigit(part) {
			return end
		}
	}
	return 0
}

// plausibleName reports whether a text can be a name.
func plausibleName(name string) bool {
	letters, digits := 0, 0
	if spacedOut(name) {
		return false
	}
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	runes := len([]rune(name))
	return letters >= 2 && digits <= letters && runes <= 70 && !strings.ContainsAny(name, "@<>{}=") && len(strings.Fields(name)) <= 9
}

// joinedNames returns names that are printed in two parts: in one line, or with the
// legal form in the next line.
func (s *parsedDocument) joinedNames(seen map[string]int) []nameCandidate {
	var out []nameCandidate
	for _, l := range s.lines {
		if l.page > 1 || len(out) > 40 {
			break
		}
		for k, seg := range l.segments {
			if seg.used || len(seg.labels) > 0 || hasDigit(seg.text) {
				continue
			}
			joined := ""
			if b := s.formBelow(seg); b != nil && openEnd(seg.words[len(seg.words)-1].text) {
				joined = seg.text + " " + b.text
			} else if k+1 < len(l.segments) && (strings.HasSuffix(seg.text, "&") || strings.HasSuffix(seg.text, ",") || strings.HasPrefix(l.segments[k+1].text, "&")) {
				joined = seg.text + " " + l.segments[k+1].text
			} else if k+1 < len(l.segments) && len(l.segments[k+1].words) <= 3 && textrules.IsLegalForm(l.segments[k+1].words[0].text) {
				joined = seg.text + " " + l.segments[k+1].text
			} else if b := s.formBelow(seg); b != nil {
				joined = seg.text + " " + b.text
			} else if b := s.restBelow(seg); b != nil {
				joined = seg.text + " " + b.text
			}
			if rest := strings.TrimPrefix(joined, seg.text+" "); sameName(rest, seg.text) {
				continue // the name in two columns
			}
			if plausibleName(joined) && seen[joined] == 0 {
				seen[joined]++
				out = append(out, nameCandidate{strings.Trim(joined, " ,;"), seg, 0, len(seg.text), 4})
			}
		}
	}
	return out
}

// formBelow returns the segment directly below with the legal form of a company and
// little else.
func (s *parsedDocument) formBelow(seg *segment) *segment {
	for _, l := range s.lines[seg.line+1 : min(seg.line+3, len(s.lines))] {
		for _, b := range l.segments {
			if b.page == seg.page && b.x0 < seg.x1 && b.x1 > seg.x0 && b.y0-seg.y1 < 2.2*s.height && len(b.words) <= 3 && textrules.IsLegalForm(b.words[0].text) {
				return b
			}
		}
	}
	return nil
}

// restBelow returns the segment directly below that continues a name: one of the two
// shows that the name is incomplete.
func (s *parsedDocument) restBelow(seg *segment) *segment {
	for _, l := range s.lines[seg.line+1 : min(seg.line+3, len(s.lines))] {
		for _, b := range l.segments {
			aligned := abs(b.x0-seg.x0) < s.height || abs(b.x0+b.x1-seg.x0-seg.x1) < 2*s.height || abs(b.x1-seg.x1) < s.height
			if b.page != seg.page || !aligned || b.y0-seg.y1 > 1.2*(seg.y1-seg.y0) || len(b.labels) > 0 || hasDigit(b.text) || len(b.words) > 5 {
				continue
			}
			if openEnd(seg.words[len(seg.words)-1].text) || joiner(b.words[0].text) {
				return b
			}
		}
	}
	return nil
}

// openEnd reports whether a name cannot end with a word.
func openEnd(word string) bool {
	return joiner(word) || strings.HasSuffix(word, ",") || strings.HasSuffix(word, "-")
}

// joiner reports whether a word joins two parts of a name.
func joiner(word string) bool {
	switch textrules.Fold(word) {
	case "&", "+", "und", "and", "et", "y", "e", "i", "og", "och", "ja", "a", "ve", "en", "si", "u", "kai":
		return true
	}
	return false
}

// spacedOut reports whether a text is a word with a space after each letter, such as
// the title "F A C T U R A".
func spacedOut(text string) bool {
	words := strings.Fields(text)
	for _, w := range words {
		if len([]rune(w)) > 1 {
			return false
		}
	}
	return len(words) > 2
}
