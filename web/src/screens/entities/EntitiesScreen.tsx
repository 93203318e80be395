import type { Entity } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { entitiesQuery } from '@/api/queries'
import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/administration'
import '@/text/parts/documents'
import '@/text/parts/no-entity'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { DataTable, type Column } from '@/ui/DataTable'
import { TextField } from '@/ui/fields'
import { Dialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'

const columns: Column<Entity>[] = [
  { id: 'name', header: t('entities.name'), cell: (e) => <Link to="/entities/$id" params={{ id: e.id }}>{e.name}</Link> },
  { id: 'taxIds', header: t('entities.taxIds'), cell: (e) => e.tax_ids.join(', ') || '–' },
  { id: 'access', header: t('entities.access'), cell: (e) => label('access', e.access) },
  { id: 'state', header: t('entities.state'), cell: (e) => <><Tag tone={e.archived ? 'plain' : 'green'}>{t(e.archived ? 'entities.archived' : 'entities.active')}</Tag>{e.legal_hold && <> <Tag tone="amber">{t('entities.held')}</Tag></>}</> },
  { id: 'actions', header: t('documents.actions'), kind: 'actions', cell: (e) => <Link to="/settings/$id" params={{ id: e.id }}>{t('entities.settings')}</Link> },
]

export function EntitiesScreen() {
  const entities = useQuery(entitiesQuery)
  const isAdmin = useIsAdmin()
  const [adding, add] = useState(false)
  return (
    <Page title={t('nav.entities')} lead={t('entities.lead')} actions={isAdmin && <Button look="primary" icon="plus" onPress={() => add(true)}>{t('entities.add')}</Button>}>
      {entities.isError && <ErrorBanner error={entities.error} onRetry={() => void entities.refetch()} />}
      {entities.isPending && <Skeleton />}
      {entities.data && <DataTable label={t('nav.entities')} columns={columns} rows={entities.data} rowKey={(e) => e.id} empty={<Empty title={t('entity.none')}><p>{t(isAdmin ? 'entity.none.text' : 'entity.none.ask')}</p></Empty>} />}
      <Dialog title={t('entities.add')} isOpen={adding} onClose={() => add(false)}><NewEntity entities={entities.data ?? []} /></Dialog>
    </Page>
  )
}

const none = 'none'

function NewEntity({ entities }: { entities: Entity[] }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [copied, copy] = useState(none)
  const create = useChange(async () => {
    const { data } = await api.createEntity({ body: { name: name.trim(), ...(copied === none ? {} : { settings_from: copied }) } })
    await navigate({ to: '/entities/$id', params: { id: data.id } })
  }, 'entities', 'billing')
  return (
    <form className="stack loose" onSubmit={(event) => { event.preventDefault(); create.mutate(undefined) }}>
      {create.isError && <ErrorBanner error={create.error} />}
      <TextField label={t('entities.name')} value={name} onChange={setName} autoFocus isRequired />
      {entities.length > 0 && (
        <SelectField
          label={t('entities.copyFrom')}
          options={[{ value: none, label: t('common.none') }, ...entities.map((e) => ({ value: e.id, label: e.name }))]}
          value={copied}
          onChange={copy}
        />
      )}
      <div className="actions"><Button type="submit" look="primary" isPending={create.isPending} isDisabled={name.trim() === ''}>{t('common.add')}</Button></div>
    </form>
  )
}
