// Copied from client/typescript/package/src. DO NOT EDIT here.

import type { Progress } from './options.js'

type Told = (progress: Progress) => void

/**
 * A `fetch` that tells how far the upload of form has got. Browsers tell that
 * of XMLHttpRequest alone; where there is none, plain sends the request and
 * only its beginning and its end are told.
 */
export function tellingFetch(form: FormData, told: Told, plain: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (typeof XMLHttpRequest === 'function') {
      return sendByXhr(new Request(input, init), form, told)
    }
    const total = [...form.values()].reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.size), 0)
    told({ loaded: 0, total })
    const response = await plain(input, init)
    told({ loaded: total, total })
    return response
  }
}

/** Sends form in place of the request's own body, which it equals. */
function sendByXhr(request: Request, form: FormData, told: Told): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.signal.throwIfAborted()
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    xhr.open(request.method, request.url)
    xhr.responseType = 'blob'
    xhr.withCredentials = request.credentials === 'include'
    request.headers.forEach((value, name) => {
      // The browser writes it, with the boundary of this form.
      if (name !== 'content-type') {
        xhr.setRequestHeader(name, value)
      }
    })
    const tell = ({ loaded, total, lengthComputable }: ProgressEvent) => told({ loaded, total: lengthComputable ? total : 0 })
    xhr.upload.onloadstart = tell
    xhr.upload.onprogress = tell
    xhr.onload = () => resolve(new Response(xhr.response as Blob, { status: xhr.status, headers: headersOf(xhr) }))
    xhr.onerror = () => reject(new TypeError('The upload failed: the connection was lost or refused.'))
    xhr.onabort = () => reject(request.signal.reason)
    xhr.onloadend = () => request.signal.removeEventListener('abort', abort)
    request.signal.addEventListener('abort', abort, { once: true })
    xhr.send(form)
  })
}

function headersOf(xhr: XMLHttpRequest): Headers {
  const headers = new Headers()
  for (const line of xhr.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) {
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
    }
  }
  return headers
}
