import type { Answer } from '@docledger/client'

import { t } from '@/text/text'
import { notify } from '@/ui/notices'
import { errorText } from '@/ui/parts'

/** Saves a file of the API. The token was in the request, never in an address. */
export function save({ data, headers }: Answer<unknown>, fallbackName = 'document'): void {
  const blob = data instanceof Blob ? data : new Blob([String(data)])
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = nameIn(headers.get('Content-Disposition')) ?? fallbackName
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Gets a file and saves it. */
export async function download(get: () => Promise<Answer<unknown>>, fallbackName?: string): Promise<void> {
  try {
    save(await get(), fallbackName)
  } catch (error) {
    notify(t('common.downloadFailed', { reason: errorText(error) }))
  }
}

function nameIn(disposition: string | null): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  return extended ? decodeURIComponent(extended) : /filename="?([^";]*)/i.exec(disposition ?? '')?.[1]
}
