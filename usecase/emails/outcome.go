package emails

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/page"
)

const (
	// maxNamed is the maximum number of files that an answer names for each result.
	maxNamed = 50
	// maxFileName is the maximum number of characters of a file name in an answer.
	maxFileName = 120
	// maxDepth is the maximum depth of containers.
	maxDepth = 6
)

// outcome is what became of the files of a message.
type outcome struct {
	taken, refused, unread []string
	known                  int // files that the entity had before
}

func systemScope(a *email.Answer) identity.Scope { return identity.System(a.OrganizationID).Scope() }

// waiting reports whether documents are not extracted yet.
func (o *outcome) waiting() bool { return len(o.unread) > 0 }

// outcomeOf returns what became of the files of a message.
func (s *Answering) outcomeOf(ctx context.Context, a *email.Answer) (*outcome, error) {
	d, err := s.Documents.Get(ctx, systemScope(a), a.DocumentID)
	if err != nil {
		return nil, err
	}
	o := &outcome{}
	if d.Status != document.Split {
		o.add(d, "your message")
		return o, nil
	}
	return o, s.contents(ctx, a, d, o, maxDepth)
}

// contents adds the documents in a container, and the parts of a file.
func (s *Answering) contents(ctx context.Context, a *email.Answer, parent *document.Document, o *outcome, depth int) error {
	o.known += len(parent.Known)
	if depth == 0 {
		return nil
	}
	for after := ""; ; {
		list, err := s.Documents.List(ctx, systemScope(a), document.Filter{ParentID: parent.ID}, document.Sort{Ascending: true}, page.Request{Limit: 100, After: after})
		if err != nil {
			return err
		}
		for i := range list.Items {
			d := &list.Items[i]
			if d.Status != document.Split {
				o.add(d, labelOf(d))
				continue
			}
			if err := s.contents(ctx, a, d, o, depth-1); err != nil {
				return err
			}
		}
		if after = list.Next; after == "" {
			return nil
		}
	}
}

// add adds a document under a name.
func (o *outcome) add(d *document.Document, name string) {
	switch {
	case !d.Status.Terminal():
		o.unread = append(o.unread, name)
	case d.Status == document.Extracted:
		o.taken = append(o.taken, name)
	default:
		o.refused = append(o.refused, name+": "+reasonFor(d))
	}
}

// labelOf returns the name of a file as the sender knows it, with its pages if it is a part.
func labelOf(d *document.Document) string {
	name := shown(d.Filename)
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[:maxFileName]) + "…"
	}
	switch {
	case d.Pages == nil:
	case d.Pages.From == d.Pages.To:
		name += fmt.Sprintf(", page %d", d.Pages.From)
	default:
		name += fmt.Sprintf(", pages %d to %d", d.Pages.From, d.Pages.To)
	}
	return name
}

// reasons are the reasons as a sender can understand them. The messages of documents are for the users of the installation.
var reasons = map[extraction.Reason]string{
	extraction.Encrypted:         "it is protected by a password",
	extraction.Truncated:         "it is not complete",
	extraction.Malformed:         "it is damaged",
	extraction.Empty:             "it is empty",
	extraction.NoTextLayer:       "its text could not be read",
	extraction.NotAnInvoice:      "it is not an invoice",
	extraction.UnsupportedType:   "files of this type are not read",
	extraction.EntityDeclaration: "it has declarations that are not permitted",
	extraction.NestingTooDeep:    "it contains too many levels of files",
	extraction.ExpandsTooFar:     "its content is too large",
	extraction.TooLarge:          "it is too large",
	extraction.TimedOut:          "it could not be read within the permitted time",
	extraction.OutOfMemory:       "it is too large",
	extraction.Crashed:           "it could not be read",
	extraction.ContentMissing:    "it could not be read",
	extraction.Cancelled:         "it was not read",
	extraction.NothingInside:     "it contains no PDF, image, XML invoice or signed invoice",
}

// reasonFor returns why no invoice came of a document.
func reasonFor(d *document.Document) string {
	if d.Status == document.NotAnInvoice {
		return reasons[extraction.NotAnInvoice]
	}
	if d.Failure != nil {
		if text, ok := reasons[extraction.Reason(d.Failure.Code)]; ok {
			return text
		}
	}
	return reasons[extraction.Crashed]
}

// text returns the text of the answer.
func (o *outcome) text(subject string, received time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This is an automatic answer. Your message of %s", received.UTC().Format("2 January 2006, 15:04 MST"))
	if subject != "" {
		fmt.Fprintf(&b, " (%s)", subject)
	}
	b.WriteString(" was received.\n")
	named(&b, "These files were taken:", o.taken)
	named(&b, "These files were refused:", o.refused)
	named(&b, "These files are not read yet:", o.unread)
	switch {
	case o.known == 1:
		b.WriteString("\n1 file was received before and is not taken twice.\n")
	case o.known > 1:
		fmt.Fprintf(&b, "\n%d files were received before and are not taken twice.\n", o.known)
	}
	if len(o.refused) > 0 {
		b.WriteString("\nPlease send refused invoices again as PDF files or electronic invoices.\n")
	}
	return b.String()
}

// named lists names under a title.
func named(b *strings.Builder, title string, names []string) {
	if len(names) == 0 {
		return
	}
	names = slices.Clone(names)
	slices.Sort(names)
	fmt.Fprintf(b, "\n%s\n", title)
	for _, name := range names[:min(len(names), maxNamed)] {
		fmt.Fprintf(b, "- %s\n", name)
	}
	if more := len(names) - maxNamed; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

// replyTo returns the subject of the answer to a message.
func replyTo(subject string) string {
	switch {
	case subject == "":
		return "Re: your message"
	case len(subject) >= 3 && strings.EqualFold(subject[:3], "re:"):
		return subject
	}
	return "Re: " + subject
}
