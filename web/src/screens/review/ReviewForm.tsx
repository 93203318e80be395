import type { Document, Invoice } from '@docledger/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'

import { api } from '@/api/client'
import { settingsQuery } from '@/api/queries'
import { session } from '@/api/session'
import { useInvoiceActions } from '@/invoices/actions'
import { AssignDialog } from '@/invoices/AssignDialog'
import { decide, forgetProblem, save as saveEdit, UnsavedEdits, useUnsaved, type Save } from '@/invoices/edits'
import { History } from '@/invoices/History'
import { keep } from '@/invoices/keep'
import { blockingRules } from '@/invoices/reasons'
import { useEntity, useIsAdmin, useMay } from '@/layout/useEntity'
import { useKeys } from '@/layout/useKeys'
import '@/text/parts/review'
import { t, type MessageKey } from '@/text/text'
import { notify } from '@/ui/notices'
import { Banner, ErrorBanner, Section } from '@/ui/parts'
import { phone } from '@/ui/useMedia'
import { DeleteDocument } from '@/screens/documents/DeleteDocument'
import type { InboxSearch } from '@/screens/inbox/search'

import { CheckList } from './CheckList'
import { Coding } from './Coding'
import { Duplicates } from './Duplicates'
import { EditList } from './EditList'
import { doubtfulPaths, fieldOf, isOpen, order, sections } from './fields'
import { Footer, type Decisions } from './Footer'
import { useLedger } from '@/invoices/ledger'
import { Lines } from './Lines'
import { Notes } from './Notes'
import { PagePane } from './PagePane'
import { Summary } from './Summary'
import { SyncPanel } from './SyncPanel'
import { ValueField } from './ValueField'
import type { Queue } from './useQueue'

interface Props {
  invoice: Invoice
  document: Document
  queue: Queue
  search: InboxSearch
  onOpen: (id: string | undefined) => void
  onWidth: (width: number) => void
}

interface Focused {
  path: string
  fill: (word: string, append: boolean) => void
}

const byReview = ['supplier', 'invoice', 'totals'] as const

export function ReviewForm({ invoice, document, queue, search, onOpen, onWidth }: Props) {
  const cache = useQueryClient()
  const actions = useInvoiceActions()
  const { edits, deciding: busy, problem } = useUnsaved(invoice.id)
  const save: Save = (change) => saveEdit(invoice, change)
  const ledger = useLedger(invoice.entity_id)
  const entity = useEntity().entities.find((e) => e.id === invoice.entity_id)
  const may = { edit: useMay(entity, 'EDITOR'), approve: useMay(entity, 'APPROVER') }
  const [focused, setFocused] = useState<Focused>()
  const [hovered, setHovered] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [done, setDone] = useState(false)
  const [rejecting, setRejecting] = useState(false)
  const [assigning, setAssigning] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const isAdmin = useIsAdmin()
  const column = useRef<HTMLDivElement>(null)
  const threshold = useQuery(settingsQuery(invoice.entity_id)).data?.review_threshold
  const doubtful = useMemo(() => new Set(doubtfulPaths(invoice, threshold)), [invoice, threshold])
  // A change after a decision would not be part of what was decided on.
  const readOnly = busy || !may.edit || invoice.status === 'SYNCED' || invoice.status === 'REJECTED'

  const goTo = (path: string) => column.current?.querySelector<HTMLInputElement>(`[data-path="${path}"] input`)?.focus()

  // A flawless invoice opens without a focused field, another one on its first doubtful one.
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current || threshold === undefined || !may.edit) {
      return
    }
    begun.current = true // once, when the invoice is opened
    const first = doubtfulPaths(invoice, threshold)[0]
    // On a phone the keyboard would cover the page.
    if (first && !window.matchMedia(phone).matches) {
      goTo(first)
    }
  }, [invoice, threshold, may.edit])

  // The next invoice opens when the list is known, which may be after the decision.
  useEffect(() => {
    if (done && !queue.pending) {
      setDone(false)
      onOpen(queue.next)
    }
  }, [done, queue, onOpen])

  const confirmed = (path: string) => {
    const next = order.slice(order.indexOf(path) + 1).find((each) => doubtful.has(each))
    if (next) {
      goTo(next)
    } else {
      (window.document.activeElement as HTMLElement | null)?.blur()
    }
  }

  // When the session ends, the person has not seen why a decision was not made.
  useEffect(() => () => { if (session.get()) { forgetProblem(invoice.id) } }, [invoice.id])
  useEffect(() => {
    if (problem !== undefined) {
      column.current?.scrollTo({ top: 0 })
    }
  }, [problem])

  /** Decides on the version that the person sees, after the field in which they are has been saved. */
  const settle = async (work: (latest: Invoice) => Promise<unknown>, then?: () => void) => {
    (window.document.activeElement as HTMLElement | null)?.blur()
    setError(undefined)
    if (await decide(invoice, work)) {
      then?.()
    }
  }
  const next = () => setDone(true)
  const decisions: Decisions = {
    approve: (acknowledge) => void settle((latest) => actions.approve(latest, acknowledge), next),
    reject: (reason) => void settle((latest) => actions.reject(latest, reason), next),
    reopen: () => void settle((latest) => actions.reopen(latest.id)),
    sync: () => void settle((latest) => actions.sync(latest.id)),
    extractAgain: () => void settle(async (latest) => keep(cache, (await api.extractInvoice({ body: { document_id: latest.document_id, force: true } })).data)),
  }
  const approveByKey = () => {
    if (!isOpen(invoice) || !may.approve || busy) {
      return
    }
    let passed = true
    void settle(async (latest) => {
      // A failed check is accepted by the button alone.
      if (blockingRules(latest.checks).length > 0) {
        notify(t('review.despiteNotWithKeys'))
        passed = false
        return
      }
      await actions.approve(latest)
    }, () => passed && next())
  }
  useKeys({
    'ctrl+enter': approveByKey,
    j: () => queue.next && onOpen(queue.next),
    k: () => queue.previous && onOpen(queue.previous),
    r: () => !busy && may.edit && invoice.status !== 'SYNCED' && invoice.status !== 'REJECTED' && setRejecting(true),
    m: () => may.edit && setAssigning(true),
    n: () => window.document.getElementById('note')?.focus(),
    escape: () => onOpen(undefined),
  }, !rejecting && !assigning && !deleting)

  const fields = (paths: readonly string[]) => (
    <div className="values">
      {paths.map((path) => (
        <ValueField
          key={path}
          invoice={invoice}
          field={fieldOf(path)}
          doubtful={doubtful.has(path)}
          highlighted={hovered === path}
          edit={edits.find((each) => each.key === path)}
          readOnly={readOnly}
          locked={busy}
          save={save}
          onFocus={(at, fill) => setFocused({ path: at, fill })}
          onBlur={() => setFocused(undefined)}
          onConfirmed={confirmed}
        />
      ))}
    </div>
  )
  return (
    <div className="review">
      <PagePane
        invoice={invoice}
        document={document}
        active={focused?.path ?? hovered}
        doubtful={doubtful}
        onHover={setHovered}
        onOpen={goTo}
        fill={focused && !readOnly ? focused.fill : undefined}
        onWidth={onWidth}
      />
      <section className="data-pane" aria-label={t('review.fields')}>
        <Summary invoice={invoice} queue={queue} search={search} onOpen={onOpen} onAssign={may.edit ? () => setAssigning(true) : undefined} />
        <div className="data-scroll" ref={column}>
          {error !== undefined && <ErrorBanner error={error} />}
          {problem instanceof UnsavedEdits
            ? <Banner tone="red" title={t('review.notDecided')}>{t('review.notDecided.text')}</Banner>
            : problem !== undefined && <ErrorBanner error={problem} />}
          <EditList invoice={invoice} edits={edits.filter((edit) => !order.includes(edit.key))} locked={busy} />
          {isOpen(invoice) && <CheckList invoice={invoice} readOnly={readOnly} mayApprove={may.approve && !busy} save={save} onGoTo={goTo} />}
          <Duplicates invoice={invoice} may={may.approve && !busy} />
          {invoice.sync && <Section title={t('review.section.sync')}><SyncPanel invoice={invoice} may={may.approve && !busy} /></Section>}
          {byReview.map((name) => <Section key={name} title={t(`review.section.${name}` as MessageKey)}>{fields(sections[name])}</Section>)}
          <Section title={t('review.section.coding')}><Coding invoice={invoice} edits={edits} ledger={ledger} readOnly={readOnly} save={save} /></Section>
          <Section title={t('review.section.lines')}><Lines invoice={invoice} edits={edits} ledger={ledger} readOnly={readOnly} save={save} /></Section>
          <Section title={t('review.section.buyer')}>{fields(sections.buyer)}</Section>
          <Section title={t('review.section.notes')}>
            {invoice.note !== null && fields(['note'])}
            <Notes invoice={invoice} readOnly={!may.edit} />
          </Section>
          <Section title={t('review.section.history')}><History invoiceId={invoice.id} /></Section>
        </div>
        <Footer invoice={invoice} decisions={decisions} may={may} busy={busy} opening={done} rejecting={rejecting} onRejecting={setRejecting} onDelete={isAdmin ? () => setDeleting(true) : undefined} />
        {isAdmin && <DeleteDocument document={document} isOpen={deleting} onClose={() => setDeleting(false)} onDeleted={next} />}
        <AssignDialog
          isOpen={assigning}
          entities={entity ? [entity] : []}
          current={invoice.assigned_to}
          onClose={() => setAssigning(false)}
          onAssign={(userId) => void actions.assign([invoice.id], userId).catch(setError)}
        />
      </section>
    </div>
  )
}
