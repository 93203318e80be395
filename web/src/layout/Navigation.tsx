import { Link, useNavigate, useRouterState } from '@tanstack/react-router'

import { t, type MessageKey } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon, type IconName } from '@/ui/Icon'
import { Menu } from '@/ui/overlays'

import { useIsAdmin } from './useEntity'

interface Item {
  to: string
  text: MessageKey
  icon: IconName
}

const work: Item[] = [
  { to: '/', text: 'nav.attention', icon: 'attention' },
  { to: '/inbox', text: 'nav.inbox', icon: 'inbox' },
  { to: '/documents', text: 'nav.documents', icon: 'document' },
  { to: '/suppliers', text: 'nav.suppliers', icon: 'supplier' },
  { to: '/overview', text: 'nav.overview', icon: 'chart' },
  { to: '/integrations', text: 'nav.integrations', icon: 'plug' },
  { to: '/billing', text: 'nav.billing', icon: 'bill' },
]

const administration: Item[] = [
  { to: '/entities', text: 'nav.entities', icon: 'company' },
  { to: '/settings', text: 'nav.settings', icon: 'settings' },
  { to: '/members', text: 'nav.members', icon: 'people' },
  { to: '/api-keys', text: 'nav.apiKeys', icon: 'key' },
  { to: '/webhooks', text: 'nav.webhooks', icon: 'webhook' },
]

export function Navigation() {
  const isAdmin = useIsAdmin()
  return (
    <nav aria-label={t('nav.label')} className="nav">
      <ul>{work.map((item) => <Entry key={item.to} {...item} />)}</ul>
      {isAdmin && (
        <>
          <h2 id="nav-administration">{t('nav.administration')}</h2>
          <ul aria-labelledby="nav-administration">{administration.map((item) => <Entry key={item.to} {...item} />)}</ul>
        </>
      )}
    </nav>
  )
}

function Entry({ to, text, icon }: Item) {
  return (
    <li>
      <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
        <Icon name={icon} />
        {t(text)}
      </Link>
    </li>
  )
}

/** The bar at the bottom of a phone or tablet: the first pages, and the others in a menu. */
export function PhoneNavigation() {
  const navigate = useNavigate()
  const isAdmin = useIsAdmin()
  const others = [...work.slice(3), ...(isAdmin ? administration : [])]
  const path = useRouterState({ select: (s) => s.location.pathname })
  const inOthers = others.some(({ to }) => path === to || path.startsWith(`${to}/`))
  return (
    <nav aria-label={t('nav.label')} className="phone-nav">
      {work.slice(0, 3).map((item) => (
        <Link key={item.to} to={item.to} activeOptions={{ exact: item.to === '/', includeSearch: false }}>
          <Icon name={item.icon} />
          {t(item.text)}
        </Link>
      ))}
      <Menu
        label={t('nav.more')}
        entries={others.map((item) => ({ id: item.to, label: t(item.text), onAction: () => void navigate({ to: item.to }) }))}
        trigger={<Button look="quiet" icon="menu" data-status={inOthers ? 'active' : undefined}>{t('nav.more')}</Button>}
      />
    </nav>
  )
}
