import './layout.css'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'

import { signOut, switchOrganization } from '@/api/client'
import { useLive } from '@/api/live'
import { meQuery } from '@/api/queries'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { Notices } from '@/ui/notices'
import { Menu, type MenuEntry } from '@/ui/overlays'
import { ErrorBanner, Skeleton } from '@/ui/parts'

import { BillingBanners } from './BillingBanners'
import { ConnectionBanner } from './ConnectionBanner'
import { EntitySwitcher } from './EntitySwitcher'
import { Navigation, PhoneNavigation } from './Navigation'

// What the first page does not show is loaded after it.
const Uploads = lazy(() => import('@/uploads/Uploads').then((m) => ({ default: m.Uploads })))
const UnsavedBanner = lazy(() => import('./UnsavedBanner').then((m) => ({ default: m.UnsavedBanner })))
const KeysHelp = lazy(() => import('./KeysHelp').then((m) => ({ default: m.KeysHelp })))

/** The frame of every page after sign-in. */
export function Shell() {
  const me = useQuery(meQuery)
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: (s) => s.location.pathname })
  useEffect(() => main.current?.focus({ preventScroll: true }), [path])
  useLive()
  if (me.isPending) {
    return <><ConnectionBanner /><Skeleton rows={10} /></>
  }
  if (me.isError) {
    return <div className="page"><ConnectionBanner /><ErrorBanner error={me.error} onRetry={() => void me.refetch()} /></div>
  }
  return (
    <div className="shell">
      <a className="skip" href="#main">{t('nav.skip')}</a>
      <header className="side">
        <Link to="/" className="brand">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          {t('app.name')}
        </Link>
        <EntitySwitcher />
        <Navigation />
        <AccountMenu />
      </header>
      <main id="main" ref={main} tabIndex={-1} className="main">
        <ConnectionBanner />
        <Suspense><UnsavedBanner person={me.data.user.id} /></Suspense>
        <BillingBanners />
        <Outlet />
      </main>
      <PhoneNavigation />
      <Suspense>
        <Uploads />
        <KeysHelp />
      </Suspense>
      <Notices />
    </div>
  )
}

function AccountMenu() {
  const { data: me } = useQuery(meQuery)
  const navigate = useNavigate()
  const cache = useQueryClient()
  if (!me) {
    return null
  }
  const name = me.user.name || me.user.email
  const others: MenuEntry[] = me.organizations
    .filter((o) => o.id !== me.organization.id)
    .map((o) => ({
      id: o.id,
      label: t('account.organization', { name: o.name }),
      onAction: () => void switchOrganization(o.id).then(async () => {
        cache.clear()
        await navigate({ to: '/', search: { entity: undefined } })
      }),
    }))
  const entries: MenuEntry[] = [
    ...others,
    { id: 'sessions', label: t('account.sessions'), onAction: () => void navigate({ href: '/account/sessions' }) },
    { id: 'password', label: t('account.password'), onAction: () => void navigate({ href: '/account/password' }) },
    { id: 'api', label: t('nav.api'), onAction: () => void window.open('/docs', '_blank', 'noopener') },
    { id: 'out', label: t('account.signOut'), onAction: () => void signOut().finally(() => import('@/invoices/edits').then((edits) => edits.keepOwn(undefined))) },
  ]
  return (
    <Menu
      label={t('account.menu', { name })}
      entries={entries}
      trigger={
        <Button look="quiet">
          <Icon name="user" />
          <span className="account">
            <span className="ellipsis">{name}</span>
            <span className="ellipsis muted">{me.organization.name}</span>
          </span>
        </Button>
      }
    />
  )
}
