import type { EntityUsage, UsageByEntity } from '@docledger/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { formatCount } from '@/format/format'
import { download } from '@/invoices/download'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/billing'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { TextField } from '@/ui/fields'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

/** The invoices of a month by entity. The numbers add up to the total that counts. */
export function Usage() {
  const [month, setMonth] = useState(() => new Date().toISOString().slice(0, 7))
  const { entities } = useEntity()
  const usage = useQuery({
    queryKey: ['billing', 'usage', month],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await api.getBillingUsage({ query: { month }, signal })).data as UsageByEntity,
  })
  const columns: Column<EntityUsage>[] = [
    { id: 'entity', header: t('billing.entity'), cell: (u) => (u.entity_id === null ? t('billing.otherEntities') : (entities.find((e) => e.id === u.entity_id)?.name ?? '–')) },
    { id: 'invoices', header: t('billing.invoices'), kind: 'figure', cell: (u) => formatCount(u.invoices) },
  ]
  return (
    <Section
      title={t('billing.byEntity')}
      lead={usage.data && `${t('billing.total')}: ${formatCount(usage.data.total)}`}
      actions={
        <div className="row">
          <TextField bare label={t('billing.month')} type="month" value={month} onChange={(m) => m && setMonth(m)} />
          <Button icon="download" label={t('billing.csv')} onPress={() => void download(() => api.getBillingUsage({ query: { month, format: 'csv' } }), `usage-${month}.csv`)} />
        </div>
      }
    >
      {usage.isError && <ErrorBanner error={usage.error} />}
      {usage.isPending && <Skeleton rows={2} />}
      {usage.data && <DataTable label={t('billing.byEntity')} columns={columns} rows={usage.data.items} rowKey={(u) => u.entity_id ?? 'others'} empty={<Empty title={t('billing.empty')} />} />}
    </Section>
  )
}
