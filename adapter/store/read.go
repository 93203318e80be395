package store

import (
	"context"
	"errors"
	"reflect"
)

// readFirst reads a row of a table that a condition finds, without gorm. This is for the reads of each
// document: gorm takes as much processor time for one as the driver does. The condition has question marks
// for its values. It returns sql.ErrNoRows without a row.
func readFirst[T any](ctx context.Context, s *Store, condition string, values ...any) (*T, error) {
	shape, err := shapeOf(s.db, reflect.TypeFor[T](), nil)
	if err != nil {
		return nil, err
	}
	row := new(T)
	value := reflect.ValueOf(row).Elem()
	columns := make([]any, len(shape.fields))
	for i, f := range shape.fields {
		columns[i] = f.ReflectValueOf(ctx, value).Addr().Interface()
	}
	statement := s.numbered(shape.read + " WHERE " + condition)
	if err := s.Conn(ctx).QueryRowContext(ctx, statement, values...).Scan(columns...); err != nil {
		return nil, err
	}
	return row, nil
}

// readAll reads the rows of a statement without gorm, like readFirst. Its columns are those of T in their
// order, and it has question marks for its values.
func readAll[T any](ctx context.Context, s *Store, statement string, values ...any) (rows []T, err error) {
	shape, err := shapeOf(s.db, reflect.TypeFor[T](), nil)
	if err != nil {
		return nil, err
	}
	found, err := s.Conn(ctx).QueryContext(ctx, s.numbered(statement), values...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	columns := make([]any, len(shape.fields))
	for found.Next() {
		var row T
		value := reflect.ValueOf(&row).Elem()
		for i, f := range shape.fields {
			columns[i] = f.ReflectValueOf(ctx, value).Addr().Interface()
		}
		if err := found.Scan(columns...); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, found.Err()
}

// readWhere reads the rows of a table without gorm. The condition has question marks for its values.
func readWhere[T any](ctx context.Context, s *Store, condition string, values ...any) ([]T, error) {
	shape, err := shapeOf(s.db, reflect.TypeFor[T](), nil)
	if err != nil {
		return nil, err
	}
	return readAll[T](ctx, s, shape.read+" WHERE "+condition, values...)
}

// forUpdate returns the clause that locks the rows of a table for statements without gorm, like lock.
func (s *Store) forUpdate(table string) string {
	if !s.postgres {
		return ""
	}
	return ` FOR UPDATE OF "` + table + `"`
}
