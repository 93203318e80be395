import type { Supplier } from '@docledger/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import '@/text/parts/suppliers'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { RadioField } from '@/ui/choices'
import { notify } from '@/ui/notices'
import { ErrorBanner } from '@/ui/parts'
import { SearchInput } from '@/ui/SearchInput'

import { suppliersQuery } from './queries'

/** Chooses the supplier of the same entity that another one becomes part of. */
export function MergeSupplier({ supplier, onClose }: { supplier: Supplier; onClose: () => void }) {
  const navigate = useNavigate()
  const [q, search] = useState('')
  const [chosen, choose] = useState<string | null>(null)
  const list = useInfiniteQuery(suppliersQuery(supplier.entity_id, q))
  const others = (list.data?.pages.flatMap((p) => p.items) ?? []).filter((s) => s.id !== supplier.id)
  // A supplier that the search no longer shows is not merged into.
  const into = others.some((s) => s.id === chosen) ? chosen : null
  const merge = useChange(async () => {
    await api.mergeSupplier({ path: { supplier_id: supplier.id }, body: { into: into! } })
    notify(t('suppliers.merge.done'))
    onClose()
    await navigate({ to: '/suppliers/$id', params: { id: into! } })
  }, 'suppliers', 'supplier', 'invoices', 'invoice')
  const options = others.map((s) => ({ value: s.id, label: s.name, detail: s.tax_ids.join(', ') }))
  return (
    <form className="stack loose" onSubmit={(event) => { event.preventDefault(); merge.mutate(undefined) }}>
      {(merge.error ?? list.error) && <ErrorBanner error={merge.error ?? list.error} />}
      <p>{t('suppliers.merge.text')}</p>
      <SearchInput label={t('suppliers.search')} value={q} onChange={search} />
      {list.data && (others.length === 0
        ? <p className="muted">{t('suppliers.merge.none')}</p>
        : <RadioField label={t('suppliers.merge.into')} options={options} value={into} onChange={choose} />)}
      <div className="actions">
        <Button onPress={onClose}>{t('common.cancel')}</Button>
        <Button type="submit" look="danger" isDisabled={into === null} isPending={merge.isPending}>{t('suppliers.merge.do')}</Button>
      </div>
    </form>
  )
}
