package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// insertion is an INSERT of rows into one table, without gorm. This is for the statements of each
// document: gorm takes as much processor time for one as the driver does.
type insertion struct {
	*shape
	rows  [][]any
	after string // ON CONFLICT, or ""
	// list reports that the number of rows differs between calls. PostgreSQL gets a list for each
	// column then, so that the text is the same for each number, and its plan is kept.
	list bool
}

// shape is what the statements that store rows of one type have in common.
type shape struct {
	insert string // the INSERT, up to the values
	update string // the UPDATE of a row
	read   string // the SELECT of all columns, up to the conditions
	fields []*schema.Field
	keys   []*schema.Field // of the primary key
	types  []string        // of the columns on PostgreSQL
}

// shapeKey is the key of a shape: the type of the rows, the columns that are not stored, and the dialect.
type shapeKey struct {
	row              reflect.Type
	omitted, dialect string
}

// shapes has the shape of each shapeKey.
var shapes sync.Map

// shapeOf returns the shape of a type of rows for the columns that are not omitted.
func shapeOf(db *gorm.DB, row reflect.Type, omitted []string) (*shape, error) {
	key := shapeKey{row, strings.Join(omitted, ","), db.Name()}
	if known, ok := shapes.Load(key); ok {
		return known.(*shape), nil
	}
	statement := gorm.Statement{DB: db}
	if err := statement.Parse(reflect.New(row).Interface()); err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", row, err)
	}
	made := &shape{keys: statement.Schema.PrimaryFields}
	var columns, changes, conditions []string
	parameter := parameterOf(db)
	for _, f := range statement.Schema.Fields {
		if f.DBName == "" || slices.Contains(omitted, f.DBName) {
			continue
		}
		made.fields, columns, made.types = append(made.fields, f), append(columns, f.DBName), append(made.types, columnType(f.FieldType))
		if !f.PrimaryKey {
			changes = append(changes, `"`+f.DBName+`" = `+parameter(len(changes)+1))
		}
	}
	for _, f := range made.keys {
		conditions = append(conditions, `"`+f.DBName+`" = `+parameter(len(changes)+len(conditions)+1))
	}
	table := `"` + statement.Schema.Table + `"`
	made.insert = "INSERT INTO " + table + ` ("` + strings.Join(columns, `","`) + `")`
	made.read = `SELECT ` + table + `."` + strings.Join(columns, `",`+table+`."`) + `" FROM ` + table
	made.update = "UPDATE " + table + " SET " + strings.Join(changes, ", ") + " WHERE " + strings.Join(conditions, " AND ")
	shapes.Store(key, made)
	return made, nil
}

// parameterOf returns the text of the parameters of a database by their numbers. SQLite searches the name of each
// numbered parameter among all.
func parameterOf(db *gorm.DB) func(n int) string {
	if db.Name() != "postgres" {
		return func(int) string { return "?" }
	}
	return func(n int) string { return "$" + strconv.Itoa(n) }
}

// numbered returns a statement with the parameters of its database instead of question marks, for
// statements without gorm.
func (s *Store) numbered(statement string) string { return s.numberedFrom(1, statement) }

// numberedFrom is numbered for the rest of a statement. Its first parameter has the number first.
func (s *Store) numberedFrom(first int, statement string) string {
	if !s.postgres {
		return statement
	}
	var b strings.Builder
	b.Grow(len(statement) + 16)
	for n := first; ; n++ {
		before, after, more := strings.Cut(statement, "?")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		statement = after
	}
}

// save stores every column of a locked row, without gorm; keep names columns that never change.
func save(q *gorm.DB, row any, keep ...string) error {
	statement, values, err := updateOf(q, row, keep)
	if err != nil {
		return err
	}
	_, err = q.Statement.ConnPool.ExecContext(q.Statement.Context, statement, values...)
	return err
}

// saveIf is save for a row that is stored only if it still meets a condition with question marks for
// its values. It reports whether it does.
func (s *Store) saveIf(ctx context.Context, row any, condition string, of []any, keep ...string) (bool, error) {
	statement, values, err := updateOf(s.handle(ctx), row, keep)
	if err != nil {
		return false, err
	}
	n, err := s.execute(ctx, statement+" AND "+s.numberedFrom(len(values)+1, condition), append(values, of...))
	return n > 0, err
}

// updateOf returns the UPDATE of a row and its values.
func updateOf(q *gorm.DB, row any, keep []string) (string, []any, error) {
	value := reflect.ValueOf(row).Elem()
	shape, err := shapeOf(q, value.Type(), keep)
	if err != nil {
		return "", nil, err
	}
	values := make([]any, 0, len(shape.fields)+len(shape.keys))
	for _, f := range shape.fields {
		if !f.PrimaryKey {
			v, _ := f.ValueOf(q.Statement.Context, value)
			values = append(values, v)
		}
	}
	for _, f := range shape.keys {
		v, _ := f.ValueOf(q.Statement.Context, value)
		values = append(values, v)
	}
	return shape.update, values, nil
}

// insertionOf returns the INSERT of rows, except the omitted columns.
func insertionOf[T any](ctx context.Context, s *Store, rows []T, omitted ...string) (insertion, error) {
	shape, err := shapeOf(s.db, reflect.TypeFor[T](), omitted)
	if err != nil {
		return insertion{}, err
	}
	in := insertion{shape: shape, rows: make([][]any, len(rows))}
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		in.rows[i] = make([]any, len(shape.fields))
		for j, f := range shape.fields {
			in.rows[i][j], _ = f.ValueOf(ctx, row)
		}
	}
	return in, nil
}

// insertionsOf returns the INSERT of a list of rows.
func insertionsOf[T any](ctx context.Context, s *Store, rows []T) (insertion, error) {
	in, err := insertionOf(ctx, s, rows)
	in.list = true
	return in, err
}

// columnType returns the type that a column of a field has on PostgreSQL.
func columnType(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return "uuid"
	case reflect.TypeFor[day]():
		return "date"
	case reflect.TypeFor[time.Time]():
		return "timestamptz"
	case reflect.TypeFor[number]():
		return "text"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "bigint"
	case reflect.Bool:
		return "boolean"
	case reflect.Struct:
		return "jsonb" // jsonOf
	default:
		return "text"
	}
}

// insert stores the rows of the insertions and returns the number of rows of the last one. On PostgreSQL
// it is one statement, which checks foreign keys at its end.
func (s *Store) insert(ctx context.Context, all ...insertion) (n int64, err error) {
	if s.postgres && (len(all) > 1 || all[0].list) {
		var b strings.Builder
		var values []any
		for i, in := range all {
			last := i == len(all)-1
			switch {
			case i == 0 && !last:
				b.WriteString("WITH ")
			case i > 0 && !last:
				b.WriteString(", ")
			case last && i > 0:
				b.WriteByte(' ')
			}
			if !last {
				b.WriteString("part" + strconv.Itoa(i) + " AS (")
			}
			if values, err = in.write(&b, parameterOf(s.db), values); err != nil {
				return 0, err
			}
			if !last {
				b.WriteByte(')')
			}
		}
		return s.execute(ctx, b.String(), values)
	}
	for _, in := range all {
		for rows := range slices.Chunk(in.rows, batch) {
			var b strings.Builder
			in.rows, in.list = rows, false
			values, err := in.write(&b, parameterOf(s.db), nil)
			if err != nil {
				return 0, err
			}
			if n, err = s.execute(ctx, b.String(), values); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// execute runs a statement without gorm and returns the number of its rows.
func (s *Store) execute(ctx context.Context, statement string, values []any) (int64, error) {
	result, err := s.Conn(ctx).ExecContext(ctx, statement, values...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// write appends the statement to b, and its values to those before it.
func (in insertion) write(b *strings.Builder, parameter func(int) string, values []any) ([]any, error) {
	b.WriteString(in.insert)
	if !in.list {
		b.WriteString(" VALUES ")
		for i, row := range in.rows {
			for j, value := range row {
				switch {
				case j > 0:
					b.WriteByte(',')
				case i > 0:
					b.WriteString("),(")
				default:
					b.WriteByte('(')
				}
				values = append(values, value)
				b.WriteString(parameter(len(values)))
			}
		}
		b.WriteString(")" + in.after)
		return values, nil
	}
	b.WriteString(" SELECT * FROM unnest(")
	for j, column := range in.types {
		texts := make([]*string, len(in.rows))
		for i, row := range in.rows {
			var err error
			if texts[i], err = textOfValue(row[j]); err != nil {
				return nil, err
			}
		}
		values = append(values, texts)
		if j > 0 {
			b.WriteString(", ")
		}
		b.WriteString(parameter(len(values)) + "::text[]::" + column + "[]")
	}
	b.WriteString(")" + in.after)
	return values, nil
}

// textOfValue returns the text of a value of a column; nil for NULL.
func textOfValue(value any) (*string, error) {
	plain, err := driver.DefaultParameterConverter.ConvertValue(value)
	if err != nil || plain == nil {
		return nil, err
	}
	var text string
	switch v := plain.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	case bool:
		text = strconv.FormatBool(v)
	case time.Time:
		text = v.UTC().Format(time.RFC3339Nano)
	default:
		return nil, fmt.Errorf("%T is no value of a column", plain)
	}
	return &text, nil
}
