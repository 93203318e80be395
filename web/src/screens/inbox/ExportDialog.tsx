import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { save } from '@/invoices/download'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { RadioField, SelectField } from '@/ui/choices'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner } from '@/ui/parts'

import { filtersOf, isFiltered, type InboxSearch } from './search'

const formats = ['csv', 'jsonl', 'zip'] as const
const rows = ['invoices', 'lines', 'taxes'] as const
const styles = ['international', 'european'] as const

/** Downloads what the list shows, with its tab and its filters. */
export function ExportDialog({ search, isOpen, onClose }: { search: InboxSearch; isOpen: boolean; onClose: () => void }) {
  const [format, setFormat] = useState<(typeof formats)[number]>('csv')
  const [row, setRow] = useState<(typeof rows)[number]>('invoices')
  const [style, setStyle] = useState<(typeof styles)[number]>('international')
  const run = useMutation({
    mutationFn: async () => {
      // An export has its own order.
      const { sort: _, ...filters } = filtersOf(search)
      save(await api.exportInvoices({ query: { ...filters, format, rows: row, style } }), `invoices.${format}`)
    },
    onSuccess: onClose,
  })
  return (
    <Dialog title={t('export.title')} isOpen={isOpen} onClose={onClose}>
      <form className="stack loose" onSubmit={(event) => { event.preventDefault(); run.mutate() }}>
        {run.isError && <ErrorBanner error={run.error} />}
        <p>{t(isFiltered(search) ? 'export.scope.filtered' : 'export.scope', { tab: t(`inbox.tab.${search.tab ?? 'check'}`) })}</p>
        <RadioField label={t('export.format')} options={formats.map((f) => ({ value: f, label: t(`export.format.${f}`), detail: t(`export.format.${f}.hint`) }))} value={format} onChange={setFormat} />
        <SelectField label={t('export.rows')} options={rows.map((r) => ({ value: r, label: t(`export.rows.${r}`) }))} value={row} onChange={setRow} />
        {format !== 'jsonl' && <SelectField label={t('export.style')} options={styles.map((s) => ({ value: s, label: t(`export.style.${s}`) }))} value={style} onChange={setStyle} />}
        <div className="actions">
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" look="primary" icon="download" isPending={run.isPending}>{t(run.isPending ? 'export.running' : 'export.do')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
