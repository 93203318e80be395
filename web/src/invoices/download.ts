import type { Answer } from '@docledger/client'

import { t } from '@/text/text'
import { notify } from '@/ui/notices'
import { errorText } from '@/ui/parts'

/** Saves a file of the API. The token is in the request, never in an address. */
export async function download(get: () => Promise<Answer<unknown>>, fallbackName = 'document'): Promise<void> {
  try {
    const { data, headers } = await get()
    const blob = data instanceof Blob ? data : new Blob([String(data)])
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = nameIn(headers.get('Content-Disposition')) ?? fallbackName
    link.click()
    URL.revokeObjectURL(link.href)
  } catch (error) {
    notify(t('common.downloadFailed', { reason: errorText(error) }))
  }
}

function nameIn(disposition: string | null): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  return extended ? decodeURIComponent(extended) : /filename="([^"]*)"/i.exec(disposition ?? '')?.[1]
}
