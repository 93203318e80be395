package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// sorting is the order of a list by one value and the id.
type sorting[R any] struct {
	expression string // the value, with %s for the table's alias; "" for the id alone
	ascending  bool
	id         func(R) uuid.UUID
	number     func(R) int64         // the value of a row in a cursor
	value      func(int64) any       // the value of a cursor in SQL
	at         func(int64) time.Time // the time of a cursor; nil if the order is not by a time
}

// byTime sorts by a column with a time.
func (o *sorting[R]) byTime(column string, of func(R) time.Time) {
	o.expression = "%s." + column
	o.number = func(r R) int64 { return of(r).UnixMicro() }
	o.at = time.UnixMicro
	o.value = func(n int64) any { return instant(time.UnixMicro(n)) }
}

// documentSorting returns the order of a list of documents.
func documentSorting(sort document.Sort) sorting[documentRow] {
	o := sorting[documentRow]{ascending: sort.Ascending, id: func(r documentRow) uuid.UUID { return r.ID }}
	if sort.ByUpdate {
		o.byTime("updated_at", func(r documentRow) time.Time { return r.UpdatedAt })
	}
	return o
}

// sorting returns the order of a list of invoices. A list with a range of creation is ordered by the
// time of creation, so that both databases read the range from its index; ids have the same order.
func (s *Store) sorting(sort invoice.Sort, f invoice.Filter) sorting[summaryRow] {
	o := sorting[summaryRow]{ascending: sort.Ascending, id: func(r summaryRow) uuid.UUID { return r.ID }}
	days := func(of func(summaryRow) *day) {
		o.number = func(r summaryRow) int64 { return dayNumber(of(r)) }
		o.at = func(n int64) time.Time { return time.Unix(n*secondsOfDay, 0).UTC() }
		o.value = func(n int64) any { return o.at(n).Format(time.DateOnly) }
	}
	switch sort.By {
	case invoice.SortByCreation:
		if !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero() {
			o.byTime("created_at", func(r summaryRow) time.Time { return r.CreatedAt })
		}
	case invoice.SortByUpdate:
		o.byTime("updated_at", func(r summaryRow) time.Time { return r.UpdatedAt })
	case invoice.SortByIssueDate:
		o.expression = s.dayOf("%s", "issue_date")
		days(func(r summaryRow) *day { return r.IssueDate })
	case invoice.SortByDueDate:
		o.expression = s.dayOf("%s", "due_date")
		days(func(r summaryRow) *day { return r.DueDate })
	case invoice.SortByGross:
		o.expression = fmt.Sprintf("coalesce(%%s.gross_fixed, %d)", noAmount)
		o.number = func(r summaryRow) int64 {
			if n := fixed((*money.Decimal)(r.GrossTotal)); n != nil {
				return *n
			}
			return noAmount
		}
		o.value = func(n int64) any { return n }
	}
	return o
}

const secondsOfDay = 24 * 60 * 60

// dayNumber counts days from 1970-01-01. A missing day is the first of year 1.
func dayNumber(d *day) int64 {
	text := "0001-01-01"
	if d != nil {
		text = calendar.Date(*d).String()
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0
	}
	return t.Unix() / secondsOfDay
}

// clause returns the order by.
func (o sorting[R]) clause() string {
	direction := " DESC"
	if o.ascending {
		direction = ""
	}
	if o.expression == "" {
		return "%s.id" + direction
	}
	return o.expression + direction + ", %s.id" + direction
}

// key returns the key of a row in a cursor.
func (o sorting[R]) key(r R) []byte {
	id := o.id(r)
	if o.expression == "" {
		return id[:]
	}
	return append(numbersKey(o.number(r)), id[:]...)
}

// position is the last row of a page in an order by a value and the id.
type position struct {
	number int64
	id     uuid.UUID
}

// position reads a cursor of an order by a value; nil is the start.
func (o sorting[R]) position(b binding, cursor string) (*position, error) {
	if cursor == "" {
		return nil, nil //nolint:nilnil // the start
	}
	key, err := b.key(cursor, 8+len(uuid.UUID{}))
	if err != nil {
		return nil, err
	}
	return &position{int64(binary.BigEndian.Uint64(key)), uuid.UUID(key[8:])}, nil
}

// comparison returns the sign of values after another one.
func (o sorting[R]) comparison() string {
	if o.ascending {
		return ">"
	}
	return "<"
}

// beyond restricts a query to the rows after a position.
func (o sorting[R]) beyond(q *gorm.DB, t string, p position) *gorm.DB {
	e, sign, value := aliased(o.expression, t), o.comparison(), o.value(p.number)
	return q.Where("("+e+" "+sign+" ? OR "+e+" = ? AND "+t+".id "+sign+" ?)", value, value, p.id)
}

// after reads a cursor. The result restricts a query to the rows after it.
func (o sorting[R]) after(b binding, cursor string) (func(q *gorm.DB, t string) *gorm.DB, error) {
	if cursor == "" {
		return func(q *gorm.DB, _ string) *gorm.DB { return q }, nil
	}
	if o.expression == "" {
		id, err := b.idKey(cursor)
		return func(q *gorm.DB, t string) *gorm.DB { return q.Where(t+".id "+o.comparison()+" ?", id) }, err
	}
	p, err := o.position(b, cursor)
	if err != nil {
		return nil, err
	}
	return func(q *gorm.DB, t string) *gorm.DB {
		// The first condition lets both databases start in the index.
		return o.beyond(q.Where(aliased(o.expression, t)+" "+o.comparison()+"= ?", o.value(p.number)), t, *p)
	}, nil
}
