package store

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

type entityRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Name           string
	LegalName      string
	TaxIDs         jsonOf[[]string]
	Aliases        jsonOf[[]string]
	Country        string
	BaseCurrency   string
	Access         entity.Access
	DefaultRole    identity.EntityRole
	Archived       bool
	LegalHold      bool
	Version        int
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (entityRow) TableName() string { return "entities" }

type entityMemberRow struct {
	EntityID uuid.UUID `gorm:"primaryKey"`
	UserID   uuid.UUID `gorm:"primaryKey"`
	Role     identity.EntityRole
}

// TableName implements gorm's tabler.
func (entityMemberRow) TableName() string { return "entity_members" }

func (r entityRow) fromRow() entity.Entity {
	return entity.Entity{
		ID: r.ID, OrganizationID: r.OrganizationID, Name: r.Name, LegalName: r.LegalName,
		TaxIDs: r.TaxIDs.V, Aliases: r.Aliases.V, Country: r.Country, BaseCurrency: r.BaseCurrency,
		Access: r.Access, DefaultRole: r.DefaultRole, Archived: r.Archived, LegalHold: r.LegalHold, Version: r.Version,
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toEntityRow(e *entity.Entity) entityRow {
	return entityRow{
		ID: e.ID, OrganizationID: e.OrganizationID, Name: clean(e.Name), LegalName: clean(e.LegalName),
		TaxIDs: jsonOf[[]string]{e.TaxIDs}, Aliases: jsonOf[[]string]{e.Aliases},
		Country: clean(e.Country), BaseCurrency: clean(e.BaseCurrency), Access: e.Access, DefaultRole: e.DefaultRole,
		Archived: e.Archived, LegalHold: e.LegalHold, Version: e.Version, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// Entities implements entity.Repository.
type Entities struct{ s *Store }

// Add implements entity.Repository.
func (r Entities) Add(ctx context.Context, e *entity.Entity) error {
	r.s.stamp(&e.CreatedAt)
	r.s.stamp(&e.UpdatedAt)
	e.Version = max(e.Version, 1)
	row := toEntityRow(e)
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.s.handle(ctx).Create(&row).Error; err != nil {
			return failed("add the entity", err)
		}
		return r.addMembers(ctx, e)
	})
}

// memberOfEntity is an entity with one of its members, or with none.
type memberOfEntity struct {
	Entity entityRow `gorm:"embedded"`
	UserID *uuid.UUID
	Role   *identity.EntityRole
}

// membersColumns are the columns of memberOfEntity.
var membersColumns = sync.OnceValue(func() string {
	parsed, err := schema.Parse(&entityRow{}, &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		panic(err) // a fault of the program
	}
	return "entities." + strings.Join(parsed.DBNames, ", entities.") + ", em.user_id, em.role"
})

// Get implements entity.Reader with one statement, because most requests call it.
func (r Entities) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	condition, values := visibleTo("entities", s)
	rows, err := readAll[memberOfEntity](ctx, r.s, "SELECT "+membersColumns()+" FROM entities LEFT JOIN entity_members AS em ON em.entity_id = entities.id WHERE "+
		condition+" AND entities.id = ? ORDER BY em.user_id", append(values, id)...)
	if err == nil && len(rows) == 0 {
		err = gorm.ErrRecordNotFound
	}
	if err != nil {
		return nil, found("entity", err)
	}
	e := rows[0].Entity.fromRow()
	for _, m := range rows {
		if m.UserID != nil && m.Role != nil {
			e.Members = append(e.Members, entity.Member{UserID: *m.UserID, Role: *m.Role})
		}
	}
	return &e, nil
}

// Intake implements entity.Intakes.
func (r Entities) Intake(ctx context.Context, s identity.Scope, id uuid.UUID) (entity.Intake, error) {
	var row struct{ Archived, AutoExtract bool }
	err := visible(r.s.handle(ctx).Table("entities"), "entities", s).Select("entities.archived, settings.auto_extract").
		Joins("JOIN settings ON settings.entity_id = entities.id").Take(&row, "entities.id = ?", id).Error
	if err != nil {
		return entity.Intake{}, found("entity", err)
	}
	return entity.Intake{EntityID: id, Archived: row.Archived, AutoExtract: row.AutoExtract}, nil
}

// GetForOperator implements entity.Owners.
func (r Entities) GetForOperator(ctx context.Context, id uuid.UUID) (*entity.Entity, error) {
	var row entityRow
	if err := r.s.handle(ctx).Take(&row, "entities.id = ?", id).Error; err != nil {
		return nil, found("entity", err)
	}
	e := row.fromRow()
	return &e, nil
}

// get reads an entity under a lock. Its members are read under the lock, too: a statement that waits
// for the lock would return those of before.
func (r Entities) get(ctx context.Context, q *gorm.DB, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	var row entityRow
	if err := visible(q, "entities", s).Take(&row, "entities.id = ?", id).Error; err != nil {
		return nil, found("entity", err)
	}
	one := []entity.Entity{row.fromRow()}
	if err := r.loadMembers(ctx, one); err != nil {
		return nil, err
	}
	return &one[0], nil
}

// GetShared implements deletion.Entities.
func (r Entities) GetShared(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	return r.get(ctx, r.s.handle(ctx).Clauses(shared), s, id)
}

// List implements entity.Reader.
func (r Entities) List(ctx context.Context, s identity.Scope, f entity.Filter, p page.Request) (page.Of[entity.Entity], error) {
	unbound := bind("entities", s.OrganizationID)
	if f.Archived != nil {
		unbound = unbound.with("archived", *f.Archived)
	}
	b := unbound.done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[entity.Entity]{}, err
	}
	q := visible(r.s.handle(ctx), "entities", s)
	if f.Archived != nil {
		q = q.Where("entities.archived = ?", *f.Archived)
	}
	if after != uuid.Nil {
		q = q.Where("entities.id < ?", after)
	}
	var rows []entityRow
	if err := q.Order("entities.id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[entity.Entity]{}, failed("list entities", err)
	}
	out := pageOf(rows, p.Size(), entityRow.fromRow, func(r entityRow) string { return b.cursor(r.ID[:]) })
	return out, r.loadMembers(ctx, out.Items)
}

// Buyers implements entity.Buyers.
func (r Entities) Buyers(ctx context.Context, organization uuid.UUID) ([]entity.Entity, error) {
	rows, err := readWhere[entityRow](ctx, r.s, "organization_id = ? AND NOT archived ORDER BY id", organization)
	return mapped(rows, entityRow.fromRow), failed("list entities", err)
}

// Update implements entity.Repository.
func (r Entities) Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*entity.Entity) error) (*entity.Entity, error) {
	var e *entity.Entity
	err := r.s.inOne(ctx, func(ctx context.Context) (err error) {
		if e, err = r.get(ctx, r.s.handle(ctx).Clauses(lock), s, id); err != nil {
			return err
		}
		before := *e
		before.Members = slices.Clone(e.Members)
		if err := current(ifVersion, e.Version); err != nil {
			return err
		}
		if err := change(e); err != nil {
			return err
		}
		e.ID, e.OrganizationID, e.CreatedAt, e.Version = before.ID, before.OrganizationID, before.CreatedAt, before.Version+1
		r.s.touch(&e.UpdatedAt, before.UpdatedAt)
		row := toEntityRow(e)
		if err := save(r.s.handle(ctx), &row, "organization_id", "created_at"); err != nil {
			return failed("change the entity", err)
		}
		if slices.Equal(before.Members, e.Members) {
			return nil
		}
		if err := r.s.handle(ctx).Delete(&entityMemberRow{}, "entity_id = ?", e.ID).Error; err != nil {
			return failed("change the entity's members", err)
		}
		return r.addMembers(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (r Entities) addMembers(ctx context.Context, e *entity.Entity) error {
	if len(e.Members) == 0 {
		return nil
	}
	rows := mapped(e.Members, func(m entity.Member) entityMemberRow {
		return entityMemberRow{EntityID: e.ID, UserID: m.UserID, Role: m.Role}
	})
	return failed("store the entity's members", r.s.handle(ctx).CreateInBatches(&rows, batch).Error)
}

// loadMembers loads the members of entities that are already limited to a scope, ordered by user.
func (r Entities) loadMembers(ctx context.Context, entities []entity.Entity) error {
	if len(entities) == 0 {
		return nil
	}
	at := make(map[uuid.UUID]*entity.Entity, len(entities))
	ids := make([]uuid.UUID, len(entities))
	for i := range entities {
		ids[i], at[entities[i].ID] = entities[i].ID, &entities[i]
	}
	var rows []entityMemberRow
	if err := r.s.handle(ctx).Order("entity_id, user_id").Find(&rows, "entity_id IN ?", ids).Error; err != nil {
		return failed("look up the entity's members", err)
	}
	for _, m := range rows {
		e := at[m.EntityID]
		e.Members = append(e.Members, entity.Member{UserID: m.UserID, Role: m.Role})
	}
	return nil
}
