import { readFileSync } from 'node:fs'

interface Operation {
  id: string
  method: string
  path: RegExp
}

interface Spec {
  paths: Record<string, Record<string, { operationId?: string }>>
}

const spec = JSON.parse(readFileSync(new URL('../../../openapi/docledger.json', import.meta.url), 'utf8')) as Spec

const operations: Operation[] = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => ({
      id: operation.operationId!,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
)

/** The operationIds of the specification. */
export const operationIds = operations.map((o) => o.id).sort()

/** Every operation that succeeded at least once. */
export const answered = new Set<string>()

/** A fetch that records the operation of each request. */
export const countingFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { pathname } = new URL(request.url)
  // A fixed path takes precedence over a path with a parameter.
  const operation = operations
    .filter((o) => o.method === request.method && o.path.test(pathname))
    .sort((a, b) => a.path.source.split('[^').length - b.path.source.split('[^').length)[0]
  if (operation === undefined) {
    throw new Error(`the specification has no ${request.method} ${pathname}`)
  }
  const response = await fetch(request)
  if (response.status < 400) {
    answered.add(operation.id)
  }
  return response
}
