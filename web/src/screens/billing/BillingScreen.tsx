import type { Billing, PlanOffer } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { billingQuery } from '@/api/queries'
import { formatCount, formatDate, formatMoney, formatTime } from '@/format/format'
import { AlertBanner } from '@/layout/BillingBanners'
import { useIsAdmin, useMe } from '@/layout/useEntity'
import '@/text/parts/billing'
import '@/text/parts/documents'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { ErrorBanner, Facts, Page, Section, Skeleton, Tag } from '@/ui/parts'

import { Usage } from './Usage'

const good = new Set(['active', 'trialing'])

export function BillingScreen() {
  const billing = useQuery(billingQuery)
  const isAdmin = useIsAdmin()
  const me = useMe()
  const portal = useChange(async () => location.assign((await api.createPortalSession({ body: { return_url: location.href } })).data.url))
  const selfHosted = billing.data?.plan === 'self_hosted'
  return (
    <Page
      title={t('nav.billing')}
      lead={t('billing.lead', { name: me?.organization.name ?? '' })}
      actions={isAdmin && billing.data && !selfHosted && <Button isPending={portal.isPending} onPress={() => portal.mutate(undefined)}>{t('billing.portal')}</Button>}
    >
      {(billing.error ?? portal.error) && <ErrorBanner error={billing.error ?? portal.error} onRetry={() => void billing.refetch()} />}
      {!billing.data && !billing.error && <Skeleton />}
      {billing.data && (
        <>
          {billing.data.alerts.map((alert) => <AlertBanner key={alert.code} alert={alert} billing={billing.data} />)}
          <Section title={t('billing.plan')}>
            {selfHosted ? <p>{t('billing.selfHosted')}</p> : <Facts items={factsOf(billing.data)} />}
          </Section>
          <Section title={t('billing.usage')}>
            <div className="form">
              <Meter name={t('billing.usage.invoices')} used={billing.data.usage.invoices_this_month} limit={billing.data.limits.max_invoices_per_month} />
              <Meter name={t('billing.usage.entities')} used={billing.data.usage.entities} limit={billing.data.limits.max_entities} />
            </div>
          </Section>
          <Usage />
          {isAdmin && !selfHosted && <Plans />}
        </>
      )}
    </Page>
  )
}

function factsOf({ plan, subscription_status: status, billing_cycle_end: end, trial }: Billing): [string, React.ReactNode][] {
  return [
    [t('billing.current'), plan],
    [t('billing.status'), <Tag key="status" tone={good.has(status) ? 'green' : 'red'}>{label('subscription', status)}</Tag>],
    ...(end && !trial ? [[t('billing.cycleEnd'), formatTime(end)] as [string, string]] : []),
    ...(trial
      ? [[t('billing.trial'), t(trial.active ? 'billing.trial.until' : 'billing.trial.ended', { date: formatDate(trial.expiry_date), days: trial.days_left })] as [string, string]]
      : []),
  ]
}

function Meter({ name, used, limit }: { name: string; used: number; limit: number | null }) {
  const text = limit === null
    ? t('billing.usage.unlimited', { used: formatCount(used) })
    : t('billing.usage.of', { used: formatCount(used), limit: formatCount(limit) })
  const level = limit === null ? '' : used >= limit ? 'full' : used >= 0.8 * limit ? 'near' : ''
  return (
    <div className="meter">
      <div className="row"><span className="grow">{name}</span><span className="tabular">{text}</span></div>
      {limit !== null && <progress className={level} value={Math.min(used, limit)} max={Math.max(limit, 1)} aria-label={`${name}: ${text}`} />}
    </div>
  )
}

function Plans() {
  const plans = useQuery({ queryKey: ['plans'], queryFn: ({ signal }) => api.listPlans({ signal }).toArray() })
  const choose = useChange(async (price: string) => {
    const { data } = await api.createCheckoutSession({ body: { price_id: price, success_url: location.href, cancel_url: location.href } })
    location.assign(data.url)
  })
  const columns: Column<PlanOffer>[] = [
    { id: 'name', header: t('billing.plan'), cell: (p) => p.name },
    { id: 'price', header: t('billing.priceColumn'), cell: (p) => t('billing.price', { amount: formatMoney(p.amount), currency: p.currency, interval: label('billing.interval', p.interval) }) },
    {
      id: 'limits',
      header: t('billing.usage'),
      cell: ({ limits }) => t('billing.limits', {
        entities: limits.max_entities === null ? t('billing.unlimited') : formatCount(limits.max_entities),
        invoices: limits.max_invoices_per_month === null ? t('billing.unlimited') : formatCount(limits.max_invoices_per_month),
      }),
    },
    { id: 'choose', header: t('documents.actions'), kind: 'actions', cell: (p) => <Button small isDisabled={choose.isPending} onPress={() => choose.mutate(p.price_id)}>{t('billing.choose')}</Button> },
  ]
  return (
    <Section title={t('billing.plans')} lead={t('billing.plans.lead')}>
      {(plans.error ?? choose.error) && <ErrorBanner error={plans.error ?? choose.error} />}
      {plans.data && <DataTable label={t('billing.plans')} columns={columns} rows={plans.data} rowKey={(p) => p.price_id} />}
    </Section>
  )
}
