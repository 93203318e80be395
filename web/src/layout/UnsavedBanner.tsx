import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

import { discardAll, keepOwn, useAllUnsaved } from '@/invoices/edits'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Banner } from '@/ui/parts'

/** States on every page of which invoices something was not saved. The page of the invoice itself shows what. */
export function UnsavedBanner({ person }: { person: string }) {
  useEffect(() => keepOwn(person), [person])
  const path = useRouterState({ select: (s) => s.location.pathname })
  const failed = [...useAllUnsaved()].filter(([id, { edits, problem }]) =>
    path !== `/invoices/${id}` && (problem !== undefined || edits.some((edit) => edit.state !== 'waiting')))
  if (failed.length === 0) {
    return null
  }
  return (
    <div className="banners">
      {failed.map(([id, { number, edits }]) => (
        <Banner
          key={id}
          tone="red"
          title={t('unsaved.title', { number: number ?? t('unsaved.noNumber') })}
          actions={
            <>
              <Link to="/invoices/$id" params={{ id }} className="button small plain">{t('upload.open')}</Link>
              <Button small onPress={() => discardAll(id)}>{t('unsaved.discard')}</Button>
            </>
          }
        >
          {edits.length > 0 ? edits.map((edit) => edit.label).join(', ') : t('unsaved.decision')}
        </Banner>
      ))}
    </div>
  )
}
