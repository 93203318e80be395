import type { Entity, EntityRoleInput, EntityUpdate, Member } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { entitiesQuery, membersQuery } from '@/api/queries'
import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/administration'
import { label, t } from '@/text/text'
import { Button, ButtonLink } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { DataTable, type Column } from '@/ui/DataTable'
import { SwitchField, TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { ConfirmDialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Page, Section, Skeleton } from '@/ui/parts'

import { EntityEmail } from './EntityEmail'

const roles = ['VIEWER', 'EDITOR', 'APPROVER'] as const
const none = 'NONE'

/** One entity: its names, who may see it, and the roles of members. */
export function EntityScreen() {
  const { id } = useParams({ from: '/shell/entities/$id' })
  const entities = useQuery(entitiesQuery)
  if (entities.isPending) {
    return <Skeleton />
  }
  const entity = entities.data?.find((e) => e.id === id)
  return entity ? <EntityForm key={entity.version} entity={entity} /> : <div className="page"><Empty title={t('error.notFound.title')} /></div>
}

const linesOf = (text: string) => text.split('\n').map((l) => l.trim()).filter(Boolean)

function EntityForm({ entity }: { entity: Entity }) {
  const isAdmin = useIsAdmin()
  const [name, setName] = useState(entity.name)
  const [legalName, setLegalName] = useState(entity.legal_name ?? '')
  const [country, setCountry] = useState(entity.country ?? '')
  const [currency, setCurrency] = useState(entity.base_currency ?? '')
  const [taxIds, setTaxIds] = useState(entity.tax_ids.join('\n'))
  const [aliases, setAliases] = useState(entity.aliases.join('\n'))
  const [archiving, archive] = useState(false)
  const [endingHold, endHold] = useState(false)
  const update = useChange(async (body: EntityUpdate) => {
    await api.updateEntity({ path: { entity_id: entity.id }, body, headers: { 'If-Match': `"${entity.version}"` } })
    notify(t('common.saved'))
  }, 'entities', 'billing')
  const save = () =>
    update.mutate({
      name: name.trim(), legal_name: legalName.trim() || null, country: country.trim().toUpperCase() || null,
      base_currency: currency.trim().toUpperCase() || null, tax_ids: linesOf(taxIds), aliases: linesOf(aliases),
    })
  return (
    <Page
      title={entity.name}
      actions={<ButtonLink to={`/settings/${entity.id}`} icon="settings">{t('entities.settings')}</ButtonLink>}
    >
      {update.isError && <ErrorBanner error={update.error} />}
      <form className="stack loose" onSubmit={(event) => { event.preventDefault(); save() }}>
        <div className="form">
          <TextField label={t('entities.name')} value={name} onChange={setName} isReadOnly={!isAdmin} isRequired />
          <TextField label={t('entities.legalName')} value={legalName} onChange={setLegalName} isReadOnly={!isAdmin} />
          <TextField label={t('entities.country')} value={country} onChange={setCountry} maxLength={2} isReadOnly={!isAdmin} />
          <TextField label={t('entities.currency')} value={currency} onChange={setCurrency} maxLength={3} isReadOnly={!isAdmin} />
          <TextField lines label={t('entities.taxIds')} hint={t('entities.taxIds.hint')} value={taxIds} onChange={setTaxIds} isReadOnly={!isAdmin} />
          <TextField lines label={t('entities.aliases')} hint={t('entities.aliases.hint')} value={aliases} onChange={setAliases} isReadOnly={!isAdmin} />
        </div>
        {isAdmin && <div><Button type="submit" look="primary" isPending={update.isPending}>{t('common.save')}</Button></div>}
      </form>
      <EntityEmail entityId={entity.id} />
      {isAdmin && <Roles entity={entity} onChange={(body) => update.mutate(body)} />}
      {isAdmin && (
        <Section
          title={t('entities.keeping')}
          lead={t('entities.keeping.lead')}
          actions={entity.archived
            ? <Button onPress={() => update.mutate({ archived: false })}>{t('entities.restore')}</Button>
            : <Button look="danger" onPress={() => archive(true)}>{t('entities.archive')}</Button>}
        >
          <SwitchField
            label={t('entities.hold')}
            hint={t('entities.hold.hint')}
            isSelected={entity.legal_hold}
            onChange={(on) => (on ? update.mutate({ legal_hold: true }) : endHold(true))}
          />
        </Section>
      )}
      <ConfirmDialog
        title={t('entities.hold.end.title', { name: entity.name })}
        text={t('entities.hold.end.text')}
        action={t('entities.hold.end')}
        isOpen={endingHold}
        onClose={() => endHold(false)}
        onConfirm={() => update.mutate({ legal_hold: false })}
      />
      <ConfirmDialog
        title={t('entities.archive.title', { name: entity.name })}
        text={t('entities.archive.text')}
        action={t('entities.archive')}
        isOpen={archiving}
        onClose={() => archive(false)}
        onConfirm={() => update.mutate({ archived: true })}
      />
    </Page>
  )
}

function Roles({ entity, onChange }: { entity: Entity; onChange: (body: EntityUpdate) => void }) {
  const members = useQuery(membersQuery)
  const own = (id: string) => entity.members.find((m) => m.user_id === id)?.role ?? none
  const setRole = (id: string, role: string) => {
    const others = entity.members.filter((m) => m.user_id !== id).map((m) => ({ user_id: m.user_id, role: m.role as EntityRoleInput }))
    onChange({ members: role === none ? others : [...others, { user_id: id, role: role as EntityRoleInput }] })
  }
  const roleOptions = roles.map((r) => ({ value: r as string, label: label('entityRole', r) }))
  const columns: Column<Member>[] = [
    { id: 'name', header: t('members.name'), cell: (m) => m.name || m.email },
    { id: 'email', header: t('members.email'), cell: (m) => <span className="muted">{m.email}</span> },
    {
      id: 'role',
      header: t('members.role'),
      cell: (m) => m.role === 'admin'
        ? label('role', m.role)
        : <SelectField bare label={`${t('members.role')}: ${m.name || m.email}`} options={[{ value: none, label: t('entities.noRole') }, ...roleOptions]} value={own(m.user_id)} onChange={(r) => setRole(m.user_id, r)} />,
    },
  ]
  return (
    <Section title={t('entities.roles')} lead={t('entities.roles.lead')}>
      <div className="form">
        <SelectField
          label={t('entities.access')}
          hint={t('entities.access.hint')}
          options={(['ORGANIZATION', 'RESTRICTED'] as const).map((a) => ({ value: a, label: label('access', a) }))}
          value={entity.access as 'ORGANIZATION'}
          onChange={(access) => onChange({ access })}
        />
        {entity.access === 'ORGANIZATION' && (
          <SelectField label={t('entities.defaultRole')} options={roleOptions} value={entity.default_role} onChange={(r) => onChange({ default_role: r as EntityRoleInput })} />
        )}
      </div>
      {members.data && <DataTable label={t('entities.roles')} columns={columns} rows={members.data} rowKey={(m) => m.user_id} />}
    </Section>
  )
}
