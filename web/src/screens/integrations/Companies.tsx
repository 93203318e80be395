import type { AccountingOrganization, ConnectedEntity, Integration } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { integrationsQuery } from '@/api/queries'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/integrations'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { DataTable, type Column } from '@/ui/DataTable'
import { CheckField } from '@/ui/fields'
import { ErrorBanner, Section, Skeleton, Tag } from '@/ui/parts'

const none = 'none'

/** The companies of one consent, each with the entity that gets its bills. Several are connected at once. */
export function Companies({ integration }: { integration: Integration }) {
  const { entities } = useEntity()
  const { data: providers = [] } = useQuery(integrationsQuery)
  const companies = useQuery({
    queryKey: ['integration', integration.id, 'companies'],
    queryFn: ({ signal }) => api.listAccountingOrganizations({ path: { integrationId: integration.id }, query: { entity_id: integration.entity_id }, signal }).toArray(),
  })
  const [chosen, choose] = useState<Record<string, string>>({})
  const [untaxed, setUntaxed] = useState<string[]>([])
  const [results, setResults] = useState<ConnectedEntity[]>([])
  const free = (companies.data ?? []).filter((c) => c.used_by_entity_id === null)
  const taken = new Set(providers.flatMap((p) => p.integrations).filter((i) => i.type === 'ACCOUNTING' && i.status !== 'DISCONNECTED').map((i) => i.entity_id))
  const open = entities.filter((e) => !e.archived && !taken.has(e.id))
  const entityOf = (id: string) => chosen[id] ?? none
  const items = free
    .map((c) => ({ organization_id: c.organization_id, entity_id: entityOf(c.organization_id), pays_tax: !untaxed.includes(c.organization_id) }))
    .filter((i) => i.entity_id !== none)
  const connect = useChange(async () => {
    const { data } = await api.connectEntities({ path: { integrationId: integration.id }, body: { items } })
    setResults(data.items)
    choose({})
  }, 'integrations', 'integration', 'settings')
  if (companies.data && free.length === 0 && results.length === 0) {
    return null
  }
  const nameOf = (id: string | null) => entities.find((e) => e.id === id)?.name ?? '–'
  const failed = results.filter((r) => r.error)
  const columns: Column<AccountingOrganization>[] = [
    { id: 'company', header: t('wizard.company'), cell: (c) => <>{c.name} <span className="muted">{[c.country, c.base_currency].filter(Boolean).join(', ')}</span></> },
    {
      id: 'entity',
      header: t('wizard.entity'),
      cell: (c) => {
        if (c.used_by_entity_id !== null) {
          return <Tag tone="green">{nameOf(c.used_by_entity_id)}</Tag>
        }
        // An entity has one company.
        const others = new Set(Object.entries(chosen).filter(([id]) => id !== c.organization_id).map(([, entity]) => entity))
        return (
          <SelectField
            bare
            label={t('companies.entityOf', { name: c.name })}
            options={[{ value: none, label: t('wizard.notConnected') }, ...open.filter((e) => !others.has(e.id)).map((e) => ({ value: e.id, label: e.name }))]}
            value={entityOf(c.organization_id)}
            onChange={(entity) => choose({ ...chosen, [c.organization_id]: entity })}
          />
        )
      },
    },
    {
      id: 'tax',
      header: t('wizard.paysTax'),
      cell: (c) => c.used_by_entity_id === null && (
        <CheckField
          bare
          label={t('companies.paysTaxOf', { name: c.name })}
          isSelected={!untaxed.includes(c.organization_id)}
          onChange={(on) => setUntaxed(on ? untaxed.filter((id) => id !== c.organization_id) : [...untaxed, c.organization_id])}
        />
      ),
    },
  ]
  return (
    <Section title={t('companies.title')} lead={t('companies.lead')}>
      {(companies.error ?? connect.error) && <ErrorBanner error={companies.error ?? connect.error} />}
      {companies.isPending && <Skeleton rows={3} />}
      {companies.data && <DataTable label={t('companies.title')} columns={columns} rows={companies.data} rowKey={(c) => c.organization_id} />}
      {results.length > failed.length && <Tag tone="green">{t('companies.done', { count: results.length - failed.length })}</Tag>}
      {failed.map((r) => <Tag key={r.entity_id} tone="red">{t('companies.failed', { name: nameOf(r.entity_id), reason: r.error!.message })}</Tag>)}
      {free.length > 0 && (
        <div><Button look="primary" isDisabled={items.length === 0} isPending={connect.isPending} onPress={() => connect.mutate(undefined)}>{items.length === 0 ? t('companies.connect.none') : t('companies.connect', { count: items.length })}</Button></div>
      )}
    </Section>
  )
}
