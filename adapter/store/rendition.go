package store

import (
	"context"
	"time"

	"docledger/domain/document"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type renditionRow struct {
	Source    string `gorm:"primaryKey"`
	Name      string `gorm:"primaryKey"`
	SHA256    string `gorm:"column:sha256"`
	SizeBytes int64
	CreatedAt time.Time `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's tabler.
func (renditionRow) TableName() string { return "renditions" }

// Renditions implements document.Renditions.
type Renditions struct{ s *Store }

// Renditions returns the repository of files derived from documents.
func (s *Store) Renditions() Renditions { return Renditions{s} }

// Find implements document.Renditions. It has no scope, because the key is the
// hash of a document that the caller has read within a scope.
func (r Renditions) Find(ctx context.Context, source, name string) (*document.Rendition, error) {
	var rows []renditionRow
	err := r.s.handle(ctx).Where("source = ? AND name = ?", source, name).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, failed("find the rendition", err)
	}
	found := document.Rendition(rows[0])
	found.CreatedAt = instant(found.CreatedAt)
	return &found, nil
}

// Put implements document.Renditions.
func (r Renditions) Put(ctx context.Context, d document.Rendition) (stored bool, err error) {
	r.s.stamp(&d.CreatedAt)
	row := renditionRow(d)
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		// The lock makes a deletion of the document wait, or makes this wait for it.
		var of []uuid.UUID
		err := r.s.handle(ctx).Clauses(lock).Model(&documentRow{}).Where("sha256 = ?", d.Source).Limit(1).Pluck("id", &of).Error
		if err != nil || len(of) == 0 {
			return failed("look up the document of the rendition", err)
		}
		stored = true
		return failed("store the rendition", r.s.handle(ctx).Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "source"}, {Name: "name"}},
			DoUpdates: clause.AssignmentColumns([]string{"sha256", "size_bytes", "created_at"}),
		}).Create(&row).Error)
	})
	return stored && err == nil, err
}

// Remove implements document.Renditions.
func (r Renditions) Remove(ctx context.Context, source string) (blobs []string, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		var removed []string
		q := r.s.handle(ctx)
		if err := q.Raw("DELETE FROM renditions WHERE source = ? RETURNING sha256", source).Scan(&removed).Error; err != nil || len(removed) == 0 {
			return failed("remove the renditions", err)
		}
		err := r.s.handle(ctx).Raw(`SELECT DISTINCT b.sha256 FROM (SELECT sha256 FROM documents WHERE sha256 IN ?
			UNION SELECT sha256 FROM renditions WHERE sha256 IN ?) AS b`, removed, removed).Scan(&blobs).Error
		blobs = without(removed, blobs)
		return failed("find the blobs of renditions", err)
	})
	return blobs, err
}

// without returns the distinct values of all that are not in used.
func without(all, used []string) (out []string) {
	seen := map[string]bool{}
	for _, u := range used {
		seen[u] = true
	}
	for _, v := range all {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
