import './styles/tokens.css'
import './styles/base.css'
import './ui/ui.css'

import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { queryClient } from '@/api/queries'
import { session } from '@/api/session'
import { router } from '@/router'

// When the session ends, here or in another tab, the data leaves the memory and
// the person continues at the same page after the next sign-in.
session.subscribe(() => {
  if (!session.get() && router.state.location.pathname !== '/sign-in') {
    queryClient.clear()
    void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } })
  }
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
