import type { Integration, IntegrationStatusReport } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { api } from '@/api/client'
import { formatCount, formatTime } from '@/format/format'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { Banner, ErrorBanner, Facts, Section, Skeleton, Tag } from '@/ui/parts'

import { IntegrationState } from './IntegrationsScreen'

/** How an integration works: its state, its last and next look, its files. */
export function StatusReport({ integration }: { integration: Integration }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['integration', integration.id, 'status'],
    queryFn: async ({ signal }) => (await api.getIntegrationStatus({ path: { integration_id: integration.id }, signal })).data,
    refetchInterval: 15_000,
  })
  return (
    <Section title={t('integration.status')}>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.paused_reason && <Banner tone="amber" title={label('integration.paused', data.paused_reason)} />}
      {data?.unavailable.map(({ capability, reason, remedy }) => (
        <Banner key={capability} tone="amber" title={label('integration.unavailable', capability)}>
          <p>{reason}</p>
          <p>{remedy}</p>
        </Banner>
      ))}
      {data && <Facts items={factsOf(integration, data)} />}
      {data?.directories && data.directories.length > 0 && (
        <>
          <h3>{t('integration.directories')}</h3>
          <ul className="stack">
            {data.directories.map((d) => (
              <li key={d.path} className="row">
                <code>{d.path}</code>
                {d.folders.length === 0 && <Tag tone="amber">{t('integration.directory.missing')}</Tag>}
                {d.folders.some((f) => f.current_path && f.current_path !== d.path) && <span className="muted">→ {d.folders.map((f) => f.current_path).join(', ')}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

function factsOf(integration: Integration, report: IntegrationStatusReport): [string, ReactNode][] {
  const items: [string, ReactNode][] = [[t('integration.status'), <IntegrationState key="state" integration={{ status: report.status, status_reason: report.status_reason }} />]]
  const name = integration.public_metadata?.organization_name
  if (name) {
    items.push([t('integrations.connectedTo'), name])
  }
  items.push([t('integrations.lastActivity'), formatTime(report.last_activity_at)])
  if (report.type === 'TRIGGER') {
    items.push(
      [t('integration.lastPoll'), formatTime(report.last_poll_at)],
      [t('integration.nextPoll'), formatTime(report.next_poll_at)],
      [t('integration.filesSeen'), formatCount(report.files_seen ?? 0)],
      [t('integration.filesIngested'), formatCount(report.files_ingested ?? 0)],
      [t('integration.filesWaiting'), formatCount(report.files_waiting ?? 0)],
    )
  }
  if (report.retry_at) {
    items.push([t('integration.retryAt'), formatTime(report.retry_at)])
  }
  items.push([t('integration.scopes'), report.scopes.length > 0 ? <code key="scopes">{report.scopes.join(' ')}</code> : '–'])
  return items
}
