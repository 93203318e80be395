package quickbooks

import (
	"strings"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/accounting"

	"github.com/google/uuid"
)

// mark precedes docledger's reference in a bill's note. It contains the product name, so ids of
// other applications are not treated as references.
const mark = "docledger "

// numberLine precedes the whole invoice number in the note of a bill whose number is too long for
// the provider.
const numberLine = "Number: "

const longestNote = 4000 // characters

// note returns a bill's note. The reference comes first, so truncation never removes it. The text
// for people follows.
func note(b accounting.Bill) string {
	texts := []string{mark + b.Reference}
	if b.Link != "" {
		texts = append(texts, b.Link)
	}
	if whole := oneLine(b.Number); number(b.Number) != whole {
		texts = append(texts, numberLine+whole)
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

// wholeNumber returns the invoice number of a document: the one in docledger's note if the stored
// number is a part of it. A person may have changed the stored number, which then counts.
func wholeNumber(d client.Document) string {
	if reference(d.PrivateNote) == "" {
		return d.DocNumber
	}
	for line := range strings.SplitSeq(d.PrivateNote, "\n") {
		whole, found := strings.CutPrefix(strings.TrimSpace(line), numberLine)
		if found && (number(whole) == d.DocNumber || oldNumber(whole) == d.DocNumber) {
			return whole
		}
	}
	return d.DocNumber
}

// sameNumber reports whether a document has an invoice number. Only a document without the whole
// number is compared by the part that the provider stores.
func sameNumber(d client.Document, wanted string) bool {
	wanted = oneLine(wanted)
	if wanted == "" {
		return false
	}
	whole := wholeNumber(d)
	return whole == wanted || whole == d.DocNumber && reference(d.PrivateNote) == "" && (whole == number(wanted) || whole == oldNumber(wanted))
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
