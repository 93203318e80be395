import type { InvoiceLine } from '@docledger/client'
import { Dialog, DialogTrigger, Popover } from 'react-aria-components'

import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ComboField } from '@/ui/choices'

import type { LedgerOptions } from '@/invoices/ledger'

interface Props {
  line: InvoiceLine
  ledger: LedgerOptions
  readOnly: boolean
  onChange: (accountId: string) => void
}

/** The account of one line. The list of accounts is made only when it is opened. */
export function LineCoding({ line, ledger, readOnly, onChange }: Props) {
  const name = ledger.accountName(line.account_id) ?? line.account_id ?? t('line.choose')
  const source = line.account_source && <span className="muted"> · {label('source', line.account_source)}</span>
  if (readOnly) {
    return <span>{line.account_id === null ? '–' : name}{source}</span>
  }
  return (
    <div className="row">
      <DialogTrigger>
        <Button small look="quiet">{name}</Button>
        <Popover className="popover">
          <Dialog className="filters" aria-label={t('line.cell', { column: t('line.account'), position: line.position })}>
            {({ close }) => (
              <ComboField label={t('line.account')} options={ledger.accounts} value={line.account_id} onChange={(id) => { onChange(id); close() }} />
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
      {source}
    </div>
  )
}
