import { Link, type ErrorComponentProps } from '@tanstack/react-router'

import { Empty, ErrorBanner } from '@/ui/parts'
import { t } from '@/text/text'

export function NotFound() {
  return (
    <div className="page">
      <Empty title={t('error.notFound.title')}>
        <p>{t('error.notFound.text')}</p>
        <Link to="/">{t('error.toStart')}</Link>
      </Empty>
    </div>
  )
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <ErrorBanner error={error} onRetry={reset} />
    </div>
  )
}
