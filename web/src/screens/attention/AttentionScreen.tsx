import './attention.css'

import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'

import { formatAge, formatCount } from '@/format/format'
import { useEntity, useIsAdmin, useMe } from '@/layout/useEntity'
import { t } from '@/text/text'
import { Icon } from '@/ui/Icon'
import { Button } from '@/ui/Button'
import { Empty, ErrorBanner, Page, Skeleton } from '@/ui/parts'
import { UploadButton } from '@/uploads/UploadButton'

import { useAttention } from './useAttention'

const NoEntity = lazy(() => import('@/layout/NoEntity').then((m) => ({ default: m.NoEntity })))
// It loads after the work that needs a person.
const Processing = lazy(() => import('@/screens/overview/Processing').then((m) => ({ default: m.Processing })))

// As many as a person looks through. With 100 entities there are hundreds.
const shownAtFirst = 50

/** The first page: what needs a person, each with its action. */
export function AttentionScreen() {
  const { items, error, hasInvoices } = useAttention()
  const { current, none } = useEntity()
  const me = useMe()
  const isAdmin = useIsAdmin()
  const [all, showAll] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  // The button is gone. The focus continues at the first item that it showed.
  useEffect(() => {
    if (all) {
      list.current?.children[shownAtFirst]?.querySelector('a')?.focus()
    }
  }, [all])
  return (
    <Page title={t('attention.title')} lead={t('attention.lead', { name: current?.name ?? me?.organization.name ?? '' })} actions={<UploadButton />}>
      {error && <ErrorBanner error={error} />}
      {!items && !error && <Skeleton rows={4} />}
      {items?.length === 0 && (
        <div className="panel">
          {none
            ? <Suspense><NoEntity /></Suspense>
            : <Empty title={t(hasInvoices ? 'attention.empty' : 'attention.start.title')}><p>{t(hasInvoices ? 'attention.empty.text' : 'attention.start.text')}</p></Empty>}
        </div>
      )}
      {items && items.length > 0 && (
        <ul className="panel attention" ref={list}>
          {(all ? items : items.slice(0, shownAtFirst)).map((item) => (
            <li key={item.id} className={item.tone}>
              <Icon name={item.tone === 'red' ? 'block' : 'alert'} />
              <span className="grow">
                {item.text}
                {item.since && <span className="muted"> · {t('attention.oldest', { age: formatAge(item.since) })}</span>}
              </span>
              {item.href
                ? <a href={item.href} className="button small plain" rel="noreferrer noopener">{item.action}</a>
                : <Link to={item.to} search={item.search} className="button small plain">{item.action}</Link>}
            </li>
          ))}
          {!all && items.length > shownAtFirst && (
            <li><Button small onPress={() => showAll(true)}>{t('attention.all', { count: formatCount(items.length) })}</Button></li>
          )}
        </ul>
      )}
      {isAdmin && items && hasInvoices && <Suspense fallback={<Skeleton rows={3} />}><Processing /></Suspense>}
    </Page>
  )
}
