import type { ProcessingReport } from '@docledger/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { formatCount, formatPercent } from '@/format/format'
import '@/text/parts/overview'
import { label, t } from '@/text/text'
import { BarTable } from '@/ui/BarTable'
import { SelectField } from '@/ui/choices'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

import { reportQuery } from './queries'

const periods = ['7', '30', '90', '365'] as const

/** What became of the documents that arrived in a period. Only administrators may read it. */
export function Processing() {
  const [days, setDays] = useState<(typeof periods)[number]>('30')
  const report = useQuery({ ...reportQuery(Number(days)), placeholderData: keepPreviousData })
  return (
    <Section
      title={t('overview.processing')}
      lead={t('overview.processing.lead')}
      actions={<SelectField bare label={t('overview.period')} options={periods.map((p) => ({ value: p, label: t('overview.days', { days: p }) }))} value={days} onChange={setDays} />}
    >
      {report.isError && <ErrorBanner error={report.error} onRetry={() => void report.refetch()} />}
      {report.isPending && <Skeleton rows={3} />}
      {report.data && <Report report={report.data} />}
    </Section>
  )
}

function Report({ report }: { report: ProcessingReport }) {
  const { decided, touchless, documents, invoices, synced, failures, provider_calls: calls } = report
  return (
    <>
      <div className="panel figures">
        <div>
          <span className="muted">{t('overview.touchless')}</span>
          <strong>{decided > 0 ? formatPercent(touchless / decided) : '–'}</strong>
          <span className="muted">{decided > 0 ? t('overview.touchless.of', { touchless: formatCount(touchless), decided: formatCount(decided) }) : t('overview.touchless.none')}</span>
        </div>
        <div>
          <span className="muted">{t('overview.toBill')}</span>
          <strong>{duration(report.median_seconds)}</strong>
          <span className="muted">{synced > 0 ? t('overview.toBill.median', { count: synced }) : t('overview.toBill.none')}</span>
          {synced > 1 && <span className="muted">{t('overview.toBill.more', { ninety: duration(report.ninety_percent_seconds), longest: duration(report.longest_seconds) })}</span>}
        </div>
        <div>
          <span className="muted">{t('overview.documents')}</span>
          <strong>{formatCount(documents)}</strong>
          <span className="muted">{t('overview.documents.of', { invoices })}</span>
        </div>
      </div>
      <h3>{t('overview.failures')}</h3>
      {failures.length === 0
        ? <div className="panel"><Empty title={t('overview.failures.none')} /></div>
        : (
          <BarTable
            label={t('overview.failures')}
            columns={{ label: t('overview.reason'), detail: t('overview.stage'), value: t('overview.count') }}
            rows={failures.map((f) => ({ id: f.stage + f.reason, label: label('failure', f.reason), detail: label('stage', f.stage), size: f.count, value: formatCount(f.count) }))}
          />
        )}
      {calls.length > 0 && (
        <>
          <h3>{t('overview.calls')}</h3>
          <BarTable
            label={t('overview.calls')}
            columns={{ label: t('overview.calls.account'), detail: t('overview.calls.window'), value: t('overview.calls.used') }}
            rows={calls.map((c) => ({ id: c.provider + c.account, label: `${label('provider', c.provider)} · ${c.account}`, detail: duration(c.window_seconds), size: c.used, value: formatCount(c.used) }))}
          />
        </>
      )}
    </>
  )
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** A time in the unit that a person would use. */
function duration(seconds: number | null): string {
  if (seconds === null) {
    return '–'
  }
  if (seconds < minute) {
    return t('overview.duration.seconds', { count: Math.round(seconds) })
  }
  if (seconds < hour) {
    return t('overview.duration.minutes', { count: Math.round(seconds / minute) })
  }
  return seconds < 2 * day ? t('overview.duration.hours', { count: Math.round(seconds / hour) }) : t('overview.duration.days', { count: Math.round(seconds / day) })
}
