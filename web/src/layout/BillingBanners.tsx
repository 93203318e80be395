import type { Billing, BillingAlert } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'

import { billingQuery } from '@/api/queries'
import { t, type MessageKey } from '@/text/text'
import { ButtonLink } from '@/ui/Button'
import { Banner } from '@/ui/parts'

import { useIsAdmin } from './useEntity'

const red = new Set(['SUBSCRIPTION_INACTIVE', 'USAGE_LIMIT_REACHED', 'PAYMENT_FAILED'])

/** The warnings of the plan, on every page except that of billing, which shows them in full. */
export function BillingBanners() {
  const { data: billing } = useQuery(billingQuery)
  const onBilling = useRouterState({ select: (s) => s.location.pathname === '/billing' })
  if (!billing || onBilling || billing.alerts.length === 0) {
    return null
  }
  return (
    <div className="banners">
      {billing.alerts.map((alert) => <AlertBanner key={alert.code} alert={alert} billing={billing} />)}
    </div>
  )
}

export function AlertBanner({ alert, billing }: { alert: BillingAlert; billing: Billing }) {
  const isAdmin = useIsAdmin()
  const onBilling = useRouterState({ select: (s) => s.location.pathname === '/billing' })
  const actions = alert.url && isAdmin
    ? <a className="button small plain" href={alert.url}>{t('banner.pay')}</a>
    : isAdmin && !onBilling && <ButtonLink small to="/billing">{t('banner.toBilling')}</ButtonLink>
  return (
    <Banner tone={red.has(alert.code) ? 'red' : 'amber'} title={titleOf(alert, billing)} actions={actions}>
      {textOf(alert, billing)}
    </Banner>
  )
}

function titleOf(alert: BillingAlert, billing: Billing): string {
  if (alert.code === 'TRIAL_EXPIRING' && billing.trial) {
    return billing.trial.days_left > 0 ? t('banner.TRIAL_EXPIRING', { days: billing.trial.days_left }) : t('banner.TRIAL_EXPIRING.today')
  }
  const key = `banner.${alert.code}`
  return known.has(alert.code) ? t(key as MessageKey) : alert.message
}

const known = new Set<string>(['SUBSCRIPTION_INACTIVE', 'USAGE_NEAR_LIMIT', 'USAGE_LIMIT_REACHED', 'PAYMENT_FAILED'])

function textOf(alert: BillingAlert, { limits, usage }: Billing): string | null {
  if (alert.code === 'USAGE_NEAR_LIMIT') {
    const invoicesNear = limits.max_invoices_per_month !== null && usage.invoices_this_month >= 0.8 * limits.max_invoices_per_month
    return invoicesNear
      ? t('banner.USAGE_NEAR_LIMIT.text', { used: usage.invoices_this_month, limit: limits.max_invoices_per_month ?? 0 })
      : t('banner.USAGE_NEAR_LIMIT.entities', { used: usage.entities, limit: limits.max_entities ?? 0 })
  }
  return known.has(alert.code) || alert.code === 'TRIAL_EXPIRING' ? t(`banner.${alert.code}.text` as MessageKey) : null
}
