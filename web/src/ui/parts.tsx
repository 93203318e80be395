// The parts that every page is made of.
import { isDocledgerError } from '@docledger/client'
import type { ReactNode } from 'react'

import { t } from '@/text/text'

import { Button } from './Button'
import { Icon, type IconName } from './Icon'

export type Tone = 'red' | 'amber' | 'green' | 'plain'

const toneIcons: Record<Tone, IconName> = { red: 'block', amber: 'alert', green: 'check', plain: 'document' }

/** A state: always an icon and a word. */
export function Tag({ tone = 'plain', icon, children }: { tone?: Tone; icon?: IconName; children: ReactNode }) {
  return (
    <span className={`tag ${tone}`}>
      <Icon name={icon ?? toneIcons[tone]} />
      <span>{children}</span>
    </span>
  )
}

interface BannerProps {
  tone: Exclude<Tone, 'plain'>
  icon?: IconName
  title: ReactNode
  /** It is within an element that screen readers announce already. */
  silent?: boolean
  children?: ReactNode
  actions?: ReactNode
}

/** A message that stays until its cause is gone. */
export function Banner({ tone, icon, title, silent, children, actions }: BannerProps) {
  return (
    <div className={`banner ${tone}`} role={silent ? undefined : tone === 'red' ? 'alert' : 'status'}>
      <Icon name={icon ?? toneIcons[tone]} />
      <div className="grow">
        <div className="title">{title}</div>
        {children && <div>{children}</div>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </div>
  )
}

/** Returns what went wrong, for a person. */
export function errorText(error: unknown): string {
  if (isDocledgerError(error)) {
    return error.code === 'connection_failed' ? t('error.connection') : error.message
  }
  return t('error.unexpected')
}

export function ErrorBanner({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const id = isDocledgerError(error) ? error.requestId : undefined
  return (
    <Banner tone="red" title={errorText(error)} actions={onRetry && <Button small onPress={onRetry}>{t('common.retry')}</Button>}>
      {id && <span className="muted">{t('error.request', { id })}</span>}
    </Banner>
  )
}

interface PageProps {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  wide?: boolean
  children: ReactNode
}

export function Page({ title, lead, actions, wide, children }: PageProps) {
  return (
    <div className={`page${wide ? ' wide' : ''}`}>
      <header>
        <div className="words">
          <h1>{title}</h1>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions && <div className="row wrap">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function Section({ title, lead, actions, children }: { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <header>
        <div className="grow">
          <h2>{title}</h2>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** The shape of a list that is not there yet. It never covers data that is shown. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, row) => <i key={row} />)}
    </div>
  )
}

export function Facts({ items }: { items: [label: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {items.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
