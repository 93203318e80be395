package quickbooks

import (
	"strings"

	"docledger/domain/accounting"

	"github.com/google/uuid"
)

// mark precedes docledger's reference in a bill's note. It contains the product name, so ids of
// other applications are not treated as references.
const mark = "docledger "

const longestNote = 4000 // characters

// note returns a bill's note. The reference comes first, so truncation never removes it. The text
// for people follows.
func note(b accounting.Bill) string {
	texts := []string{mark + b.Reference}
	if b.Link != "" {
		texts = append(texts, b.Link)
	}
	if whole := oneLine(b.Number); number(b.Number) != whole {
		texts = append(texts, "Number: "+whole)
	}
	var corrected []string
	for _, c := range b.Corrects {
		if c.Number != "" {
			corrected = append(corrected, c.Number)
		}
	}
	if len(corrected) > 0 {
		texts = append(texts, "Corrects "+strings.Join(corrected, ", "))
	}
	if b.Memo != "" {
		texts = append(texts, b.Memo)
	}
	return cut(text(strings.Join(texts, "\n")), longestNote)
}

// reference returns docledger's reference from anywhere in a note, or "" if there is none.
func reference(note string) string {
	const length = len("00000000-0000-0000-0000-000000000000")
	for {
		_, after, found := strings.Cut(note, mark)
		if !found {
			return ""
		}
		if len(after) >= length && uuid.Validate(after[:length]) == nil {
			return after[:length]
		}
		note = after
	}
}
