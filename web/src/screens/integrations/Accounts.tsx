import type { AccountingAccount } from '@docledger/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { DataTable, type Column } from '@/ui/DataTable'
import { CheckField } from '@/ui/fields'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

const classes = ['ASSET', 'LIABILITY', 'EQUITY', 'REVENUE', 'EXPENSE', 'BANK', 'CREDIT_CARD'] as const
type AccountClass = (typeof classes)[number]

const columns: Column<AccountingAccount>[] = [
  { id: 'code', header: t('integration.accounts.code'), cell: (a) => a.code ?? '–' },
  { id: 'name', header: t('integration.accounts.name'), cell: (a) => <>{a.name}{a.status === 'ARCHIVED' && <span className="muted"> · {t('integration.account.ARCHIVED')}</span>}</> },
  { id: 'class', header: t('integration.accounts.class'), cell: (a) => a.class },
  { id: 'type', header: t('integration.accounts.type'), cell: (a) => <span className="muted">{a.type}</span> },
  { id: 'tax', header: t('integration.accounts.tax'), cell: (a) => a.tax_type ?? '–' },
]

/** The chart of accounts of the ledger, filtered by class. */
export function Accounts({ integrationId }: { integrationId: string }) {
  const [chosen, choose] = useState<ReadonlySet<AccountClass>>(new Set())
  const types = classes.filter((c) => chosen.has(c))
  const accounts = useQuery({
    queryKey: ['integration', integrationId, 'accounts', types],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.listAccountingAccounts({ path: { integrationId }, query: types.length > 0 ? { account_types: types } : {}, signal }).toArray(),
  })
  const toggle = (value: AccountClass, on: boolean) => {
    const next = new Set(chosen)
    if (on) {
      next.add(value)
    } else {
      next.delete(value)
    }
    choose(next)
  }
  return (
    <Section title={t('integration.accounts')}>
      <div className="chips" role="group" aria-label={t('integration.accounts.filter')}>
        {classes.map((c) => <CheckField key={c} label={label('class', c)} isSelected={chosen.has(c)} onChange={(on) => toggle(c, on)} />)}
      </div>
      {accounts.isError && <ErrorBanner error={accounts.error} onRetry={() => void accounts.refetch()} />}
      {accounts.isPending && <Skeleton />}
      {accounts.data && <DataTable label={t('integration.accounts')} columns={columns} rows={accounts.data} rowKey={(a) => a.id} empty={<Empty title={t('integration.accounts.empty')} />} />}
    </Section>
  )
}
