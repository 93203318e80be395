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

// numberMark precedes the whole invoice number, directly after the reference and on the same line. No
// text of an invoice can be at that place.
const numberMark = " Number: "

const longestNote = 4000 // characters

// note returns a bill's note. The line with the reference comes first, so truncation never removes
// it. The text for people follows, each text on one line.
func note(b accounting.Bill) string {
	first := mark + b.Reference
	if whole := oneLine(b.Number); number(b.Number) != whole {
		first += numberMark + whole
	}
	texts := []string{first}
	if b.Link != "" {
		texts = append(texts, oneLine(b.Link))
	}
	var corrected []string
	for _, c := range b.Corrects {
		if c.Number != "" {
			corrected = append(corrected, oneLine(c.Number))
		}
	}
	if len(corrected) > 0 {
		texts = append(texts, "Corrects "+strings.Join(corrected, ", "))
	}
	if b.Memo != "" {
		texts = append(texts, oneLine(b.Memo))
	}
	return cut(text(strings.Join(texts, "\n")), longestNote)
}

// wholeNumber returns the invoice number of a document: the one in docledger's note if the stored
// number is a part of it. A person may have changed the stored number, which then counts.
func wholeNumber(d client.Document) string {
	_, after := cutReference(d.PrivateNote)
	line, _, _ := strings.Cut(after, "\n")
	whole, found := strings.CutPrefix(line, numberMark)
	if whole = strings.TrimSpace(whole); found && (number(whole) == d.DocNumber || oldNumber(whole) == d.DocNumber) {
		return whole
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
	id, _ := cutReference(note)
	return id
}

// cutReference returns docledger's first reference in a note and the text after it.
func cutReference(note string) (id, after string) {
	const length = len("00000000-0000-0000-0000-000000000000")
	for {
		_, rest, found := strings.Cut(note, mark)
		if !found {
			return "", ""
		}
		if len(rest) >= length && uuid.Validate(rest[:length]) == nil {
			return rest[:length], rest[length:]
		}
		note = rest
	}
}
