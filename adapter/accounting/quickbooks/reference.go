package quickbooks

import (
	"strings"

	"docledger/domain/accounting"

	"github.com/google/uuid"
)

// mark stands before our reference in a bill's note. It names us, so that
// another application's ids are not taken for ours.
const mark = "docledger "

const longestNote = 4000 // characters

// note is what a bill says of itself: our reference first, so that nothing that
// follows takes its place, then what people want to know.
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

// reference finds our reference in a note, wherever people moved it to; "" where
// there is none.
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
