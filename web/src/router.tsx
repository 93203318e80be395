import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect, retainSearchParams } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'

import { connected, reconnected } from '@/api/connection'
import { attentionQuery, billingQuery, entitiesQuery, meQuery, queryClient } from '@/api/queries'
import { session } from '@/api/session'
import { CodeMissing, NotFound, RouteError } from '@/layout/RouteError'
import { readConfirmation } from '@/screens/confirm/search'
import { readDocumentsSearch } from '@/screens/documents/search'
import { invoicesQuery } from '@/screens/inbox/queries'
import { filled, readSearch } from '@/screens/inbox/search'
import { readReturn } from '@/screens/integrations/consent'
import { SignInScreen } from '@/screens/sign-in/SignInScreen'

export interface RootSearch {
  /** The chosen entity; all entities without it. */
  entity?: string
}

/** Without a connection the code of a page waits, and the page before it stays. */
const online = <Module,>(load: () => Promise<Module>) => async () => {
  await connected()
  try {
    return await load()
  } catch {
    // The click may be the first sign of a lost connection. The router itself would load the application again at once.
    await reconnected(connected)
    return load().catch(() => { throw new CodeMissing() })
  }
}

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  validateSearch: (search: Record<string, unknown>): RootSearch => ({ entity: typeof search.entity === 'string' ? search.entity : undefined }),
  search: { middlewares: [retainSearchParams(['entity'])] },
  notFoundComponent: NotFound,
  errorComponent: RouteError,
})

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    // Only a path of this application; the server alone passes on to other hosts.
    // What is not returned here would be kept as it is.
    ({ next: typeof search.next === 'string' && /^\/(?![/\\])/.test(search.next) ? search.next : undefined }),
  component: SignInScreen,
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(online(() => import('@/screens/setup/SetupScreen')), 'SetupScreen'),
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    await session.join()
    if (!session.get()) {
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
  // What every page needs is asked for while its code loads.
  loader: () => {
    void queryClient.prefetchQuery(meQuery)
    void queryClient.prefetchQuery(entitiesQuery)
    void queryClient.prefetchQuery(billingQuery)
  },
  component: lazyRouteComponent(online(() => import('@/layout/Shell')), 'Shell'),
})

const screen = <const Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(online(load as () => Promise<Record<string, React.ComponentType>>), name),
  })

const attention = createRoute({
  getParentRoute: () => shell,
  path: '/',
  loaderDeps: ({ search }) => ({ entity: search.entity }),
  loader: ({ deps }) => void queryClient.prefetchQuery(attentionQuery(deps.entity)),
  component: lazyRouteComponent(online(() => import('@/screens/attention/AttentionScreen')), 'AttentionScreen'),
})

const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => void queryClient.prefetchInfiniteQuery(invoicesQuery(deps)),
  component: lazyRouteComponent(online(() => import('@/screens/inbox/InboxScreen')), 'InboxScreen'),
})

const review = createRoute({
  getParentRoute: () => shell,
  path: '/invoices/$id',
  validateSearch: readSearch,
  component: lazyRouteComponent(online(() => import('@/screens/review/ReviewScreen')), 'ReviewScreen'),
})

const suppliers = createRoute({
  getParentRoute: () => shell,
  path: '/suppliers',
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({ q: filled(search.q) }),
  component: lazyRouteComponent(online(() => import('@/screens/suppliers/SuppliersScreen')), 'SuppliersScreen'),
})

const documents = createRoute({
  getParentRoute: () => shell,
  path: '/documents',
  validateSearch: readDocumentsSearch,
  component: lazyRouteComponent(online(() => import('@/screens/documents/DocumentsScreen')), 'DocumentsScreen'),
})

const confirm = createRoute({
  getParentRoute: () => shell,
  path: '/confirm',
  validateSearch: readConfirmation,
  component: lazyRouteComponent(online(() => import('@/screens/confirm/ConfirmScreen')), 'ConfirmScreen'),
})

const connectAssistant = createRoute({
  getParentRoute: () => shell,
  path: '/connect-assistant',
  validateSearch: (search: Record<string, unknown>): { request?: string } => ({ request: typeof search.request === 'string' ? search.request : undefined }),
  component: lazyRouteComponent(online(() => import('@/screens/connect-assistant/ConnectAssistantScreen')), 'ConnectAssistantScreen'),
})

const consentReturn = createRoute({
  getParentRoute: () => shell,
  path: '/integrations',
  validateSearch: readReturn,
  // The provider redirects here. The wizard continues on the page of the integration.
  beforeLoad: ({ search }) => {
    if (search.integration_id) {
      throw redirect({ to: '/integrations/$id', params: { id: search.integration_id }, search: {} })
    }
  },
  component: lazyRouteComponent(online(() => import('@/screens/integrations/IntegrationsScreen')), 'IntegrationsScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([signInRoute, setup, shell.addChildren([
    inbox,
    review,
    confirm,
    attention,
    documents,
    consentReturn,
    connectAssistant,
    suppliers,
    screen('/overview', () => import('@/screens/overview/OverviewScreen'), 'OverviewScreen'),
    screen('/suppliers/$id', () => import('@/screens/suppliers/SupplierScreen'), 'SupplierScreen'),
    screen('/members', () => import('@/screens/members/MembersScreen'), 'MembersScreen'),
    screen('/api-keys', () => import('@/screens/api-keys/ApiKeysScreen'), 'ApiKeysScreen'),
    screen('/webhooks', () => import('@/screens/webhooks/WebhooksScreen'), 'WebhooksScreen'),
    screen('/webhooks/$id', () => import('@/screens/webhooks/WebhookScreen'), 'WebhookScreen'),
    screen('/entities', () => import('@/screens/entities/EntitiesScreen'), 'EntitiesScreen'),
    screen('/entities/$id', () => import('@/screens/entities/EntityScreen'), 'EntityScreen'),
    screen('/settings', () => import('@/screens/settings/SettingsScreen'), 'SettingsIndexScreen'),
    screen('/settings/$id', () => import('@/screens/settings/SettingsScreen'), 'SettingsScreen'),
    screen('/account/sessions', () => import('@/screens/account/SessionsScreen'), 'SessionsScreen'),
    screen('/account/password', () => import('@/screens/account/PasswordScreen'), 'PasswordScreen'),
    screen('/billing', () => import('@/screens/billing/BillingScreen'), 'BillingScreen'),
    screen('/integrations/$id', () => import('@/screens/integrations/IntegrationScreen'), 'IntegrationScreen'),
    screen('/documents/$id', () => import('@/screens/documents/DocumentScreen'), 'DocumentScreen'),
  ])]),
  context: { queryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
