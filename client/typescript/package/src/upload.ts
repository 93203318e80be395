import type { Progress } from './options.js'

type OnProgress = (progress: Progress) => void

/**
 * Returns a `fetch` that reports the progress of the upload of form. Browsers
 * report progress only for XMLHttpRequest. Without it, plain sends the request,
 * and only the beginning and the end are reported.
 */
export function fetchWithProgress(form: FormData, onProgress: OnProgress, plain: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (typeof XMLHttpRequest === 'function') {
      return sendByXhr(new Request(input, init), form, onProgress)
    }
    const total = [...form.values()].reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.size), 0)
    onProgress({ loaded: 0, total })
    const response = await plain(input, init)
    onProgress({ loaded: total, total })
    return response
  }
}

/** Sends form instead of the body of the request, which is equal. */
function sendByXhr(request: Request, form: FormData, onProgress: OnProgress): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.signal.throwIfAborted()
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    xhr.open(request.method, request.url)
    xhr.responseType = 'blob'
    xhr.withCredentials = request.credentials === 'include'
    request.headers.forEach((value, name) => {
      // The browser sets it with the boundary of this form.
      if (name !== 'content-type') {
        xhr.setRequestHeader(name, value)
      }
    })
    const report = ({ loaded, total, lengthComputable }: ProgressEvent) => onProgress({ loaded, total: lengthComputable ? total : 0 })
    xhr.upload.onloadstart = report
    xhr.upload.onprogress = report
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
