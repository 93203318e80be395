import { Link, type ErrorComponentProps } from '@tanstack/react-router'

import { Button } from '@/ui/Button'
import { Banner, Empty, ErrorBanner } from '@/ui/parts'
import { t } from '@/text/text'

/** The code of a page cannot be loaded, for example because the application was updated. */
export class CodeMissing extends Error {}

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
      {error instanceof CodeMissing
        ? <Banner tone="red" title={t('error.code')} actions={<Button small onPress={() => location.reload()}>{t('error.reload')}</Button>} />
        : <ErrorBanner error={error} onRetry={reset} />}
    </div>
  )
}
