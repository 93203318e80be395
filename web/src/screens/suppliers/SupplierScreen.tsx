import type { InvoiceSummary, Supplier, SupplierUpdate } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatDate, formatMoney } from '@/format/format'
import { useLedger, type LedgerOptions } from '@/invoices/ledger'
import { useEntity, useIsAdmin, useMay } from '@/layout/useEntity'
import '@/text/parts/inbox'
import '@/text/parts/review'
import '@/text/parts/suppliers'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ComboField } from '@/ui/choices'
import { DataTable, type Column } from '@/ui/DataTable'
import { TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Facts, Page, Section, Skeleton } from '@/ui/parts'

import { BankAccounts } from './BankAccounts'
import { MergeSupplier } from './MergeSupplier'
import { supplierQuery } from './queries'

/** One supplier: its record, its bank accounts, its coding and its invoices. */
export function SupplierScreen() {
  const { id } = useParams({ from: '/shell/suppliers/$id' })
  const supplier = useQuery(supplierQuery(id))
  if (supplier.isError) {
    return <div className="page"><ErrorBanner error={supplier.error} onRetry={() => void supplier.refetch()} /></div>
  }
  return supplier.data ? <SupplierPage supplier={supplier.data} /> : <Skeleton />
}

function SupplierPage({ supplier }: { supplier: Supplier }) {
  const { entities, several } = useEntity()
  const isAdmin = useIsAdmin()
  const entity = entities.find((e) => e.id === supplier.entity_id)
  const may = useMay(entity, 'APPROVER')
  const ledger = useLedger(supplier.entity_id)
  const [merging, merge] = useState(false)
  const update = useChange(async (body: SupplierUpdate) => {
    await api.updateSupplier({ path: { supplier_id: supplier.id }, body, headers: { 'If-Match': `"${supplier.version}"` } })
    notify(t('common.saved'))
  }, 'suppliers', 'supplier', 'invoices', 'invoice')
  return (
    <Page
      title={supplier.name}
      lead={several ? entity?.name : undefined}
      actions={isAdmin && <Button onPress={() => merge(true)}>{t('suppliers.merge')}</Button>}
    >
      {update.isError && <ErrorBanner error={update.error} />}
      <BankAccounts supplier={supplier} may={may} />
      <Coding supplier={supplier} ledger={ledger} may={may} onChange={(body) => update.mutate(body)} />
      <Record key={supplier.version} supplier={supplier} may={may} isPending={update.isPending} onChange={(body) => update.mutate(body)} />
      <Invoices supplier={supplier} />
      <Dialog title={t('suppliers.merge.title', { name: supplier.name })} isOpen={merging} onClose={() => merge(false)}>
        <MergeSupplier supplier={supplier} onClose={() => merge(false)} />
      </Dialog>
    </Page>
  )
}

const none = 'none'

interface CodingProps {
  supplier: Supplier
  ledger: LedgerOptions
  may: boolean
  onChange: (body: SupplierUpdate) => void
}

function Coding({ supplier, ledger, may, onChange }: CodingProps) {
  const fields = [
    ['default_account_id', ledger.accounts, supplier.default_account_source],
    ['default_tax_rate_id', ledger.taxRates, supplier.default_tax_rate_source],
  ] as const
  return (
    <Section title={t('suppliers.coding')} lead={t('suppliers.coding.lead')}>
      <div className="panel padded form">
        {fields.map(([name, options, source]) => (
          <ComboField
            key={`${name}-${options.length}-${supplier[name]}`}
            label={t(`suppliers.${name}`)}
            hint={!ledger.connected ? t('review.noLedger') : supplier[name] === null || source === null ? t('suppliers.default.none') : label('suppliers.default', source)}
            options={[{ value: none, label: t('common.none') }, ...options]}
            value={supplier[name] ?? none}
            isDisabled={!may || options.length === 0}
            onChange={(value) => (value === none ? null : value) !== supplier[name] && onChange({ [name]: value === none ? null : value })}
          />
        ))}
        <Facts items={[[t('suppliers.contact'), supplier.contact_id === null ? t('suppliers.contact.none') : <code>{supplier.contact_id}</code>]]} />
      </div>
    </Section>
  )
}

const linesOf = (text: string) => text.split('\n').map((l) => l.trim()).filter(Boolean)

interface RecordProps {
  supplier: Supplier
  may: boolean
  isPending: boolean
  onChange: (body: SupplierUpdate) => void
}

function Record({ supplier, may, isPending, onChange }: RecordProps) {
  const [name, setName] = useState(supplier.name)
  const [taxIds, setTaxIds] = useState(supplier.tax_ids.join('\n'))
  const [aliases, setAliases] = useState(supplier.aliases.join('\n'))
  const save = () => onChange({
    ...(name.trim() === supplier.name ? {} : { name: name.trim() }),
    ...(taxIds === supplier.tax_ids.join('\n') ? {} : { tax_ids: linesOf(taxIds) }),
    ...(aliases === supplier.aliases.join('\n') ? {} : { aliases: linesOf(aliases) }),
  })
  const same = name.trim() === supplier.name && taxIds === supplier.tax_ids.join('\n') && aliases === supplier.aliases.join('\n')
  return (
    <Section title={t('suppliers.record')}>
      <form className="panel padded stack loose" onSubmit={(event) => { event.preventDefault(); save() }}>
        <div className="form">
          <TextField label={t('suppliers.name')} value={name} onChange={setName} isReadOnly={!may} isRequired maxLength={200} />
          <TextField lines label={t('suppliers.taxIds')} hint={t('suppliers.taxIds.hint')} value={taxIds} onChange={setTaxIds} isReadOnly={!may} />
          <TextField lines label={t('suppliers.aliases')} hint={t('suppliers.aliases.hint')} value={aliases} onChange={setAliases} isReadOnly={!may} />
        </div>
        {may && <div><Button type="submit" look="primary" isPending={isPending} isDisabled={same || name.trim() === ''}>{t('common.save')}</Button></div>}
      </form>
    </Section>
  )
}

const shownInvoices = 10

function Invoices({ supplier }: { supplier: Supplier }) {
  const list = useQuery({
    queryKey: ['invoices', 'of-supplier', supplier.id],
    queryFn: async ({ signal }) => (await api.listInvoices({ query: { supplier_id: [supplier.id], limit: shownInvoices, sort: '-issue_date' }, signal })).data,
  })
  const columns: Column<InvoiceSummary>[] = [
    { id: 'number', header: t('inbox.column.number'), cell: (i) => <Link to="/invoices/$id" params={{ id: i.id }}>{i.invoice_number ?? t('inbox.withoutNumber')}</Link> },
    { id: 'issued', header: t('inbox.column.issued'), cell: (i) => formatDate(i.issue_date) },
    { id: 'state', header: t('inbox.column.reason'), cell: (i) => label('status', i.status) },
    { id: 'gross', header: t('inbox.column.gross'), kind: 'figure', cell: (i) => <>{formatMoney(i.gross_total)} <span className="muted">{i.currency}</span></> },
  ]
  return (
    <Section
      title={t('suppliers.invoices')}
      actions={<Link to="/inbox" search={{ tab: 'all', supplier: supplier.id }}>{t('suppliers.invoices.all')}</Link>}
    >
      {list.isError && <ErrorBanner error={list.error} />}
      {list.isPending && <Skeleton rows={3} />}
      {list.data && <DataTable label={t('suppliers.invoices')} columns={columns} rows={list.data.items} rowKey={(i) => i.id} empty={<Empty title={t('suppliers.invoices.none')} />} />}
    </Section>
  )
}
