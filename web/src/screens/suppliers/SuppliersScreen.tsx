import type { Supplier } from '@docledger/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import { formatCount } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/suppliers'
import { t } from '@/text/text'
import { ShowMore } from '@/ui/ShowMore'
import { DataTable, type Column } from '@/ui/DataTable'
import { Empty, ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'
import { SearchInput } from '@/ui/SearchInput'

import { suppliersQuery } from './queries'

export function SuppliersScreen() {
  const { q = '' } = useSearch({ from: '/shell/suppliers' })
  const navigate = useNavigate({ from: '/suppliers' })
  const { entities, entityId, several } = useEntity()
  const list = useInfiniteQuery(suppliersQuery(entityId, q))
  const suppliers = list.data?.pages.flatMap((p) => p.items) ?? []
  const columns: Column<Supplier>[] = [
    { id: 'name', header: t('suppliers.name'), cell: (s) => <Link to="/suppliers/$id" params={{ id: s.id }}>{s.name}</Link> },
    ...(several && !entityId
      ? [{ id: 'entity', header: t('suppliers.entity'), cell: (s: Supplier) => entities.find((e) => e.id === s.entity_id)?.name ?? '–' }]
      : []),
    { id: 'taxIds', header: t('suppliers.taxIds'), cell: (s) => s.tax_ids.join(', ') || '–' },
    { id: 'accounts', header: t('suppliers.accounts'), cell: (s) => <Accounts supplier={s} /> },
    { id: 'invoices', header: t('suppliers.invoices'), kind: 'figure', cell: (s) => formatCount(s.invoices_count) },
  ]
  return (
    <Page
      title={t('nav.suppliers')}
      lead={t('suppliers.lead')}
      actions={
        <SearchInput
          label={t('suppliers.search')}
          value={q}
          onChange={(typed) => void navigate({ search: (old: object) => ({ ...old, q: typed || undefined }), replace: true })}
        />
      }
    >
      {list.isError && <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {list.data && suppliers.length === 0 && (
        <div className="panel"><Empty title={t(q ? 'suppliers.none.filtered' : 'suppliers.none')}>{!q && <p>{t('suppliers.none.hint')}</p>}</Empty></div>
      )}
      {suppliers.length > 0 && <DataTable label={t('nav.suppliers')} columns={columns} rows={suppliers} rowKey={(s) => s.id} />}
      <ShowMore list={list} count={suppliers.length} />
    </Page>
  )
}

function Accounts({ supplier }: { supplier: Supplier }) {
  const open = supplier.ibans.filter((a) => !a.known).length
  if (open > 0) {
    return <Tag tone="amber">{t('suppliers.accounts.toConfirm', { count: open })}</Tag>
  }
  return supplier.ibans.length > 0 ? <span className="muted">{t('suppliers.accounts.known', { count: supplier.ibans.length })}</span> : '–'
}
