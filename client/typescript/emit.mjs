// Generates the class Docledger. Its methods call the generated functions of
// the operations through the transport of package/src.
import { operations, resolve } from './prepare.mjs'

const header = '// Generated from openapi/docledger.json by client/typescript/emit.mjs. DO NOT EDIT.\n'

const capital = (name) => name[0].toUpperCase() + name.slice(1)

function comment(lines, indent) {
  const safe = lines.join('\n').trim().replaceAll('*/', '*\\/').split('\n')
  return [`${indent}/**`, ...safe.map((l) => `${indent} * ${l}`.trimEnd()), `${indent} */`].join('\n')
}

/** Returns the properties of an operation that the transport requires. */
function facts(spec, [operation, method, , item]) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((p) => resolve(spec, p))
  const has = (place, name) => parameters.some((p) => p.in === place && p.name === name)
  const content = operation.responses['200']?.content ?? {}
  const answer = resolve(spec, content['application/json']?.schema)
  const list = answer?.properties?.items && answer.properties.next_cursor
  const next = ['cursor', 'after'].find((name) => has('query', name))
  const binary = Object.values(content).some((c) => c.schema?.format === 'binary')
  return {
    id: operation.operationId,
    safe: method === 'get',
    keyed: has('header', 'Idempotency-Key'),
    form: operation.requestBody?.content['multipart/form-data'] !== undefined,
    open: operation.security?.length === 0,
    answers: binary ? 'file' : answer === undefined ? 'redirect' : answer.anyOf ? 'text' : undefined,
    list: Boolean(list),
    next,
    required: parameters.some((p) => p.required) || operation.requestBody?.required === true,
  }
}

function method(f, operation) {
  const type = capital(f.id)
  const options = `${f.form ? 'UploadCall' : 'Call'}<types.${type}Data>`
  const answer = f.answers === 'redirect' ? 'undefined' : `types.${type}Response`
  const properties = [
    `id: '${f.id}'`,
    ...['open', 'safe', 'keyed', 'form'].filter((name) => f[name]).map((name) => `${name}: true`),
    ...(f.answers ? [`answers: '${f.answers}'`] : []),
  ].join(', ')
  const parameter = f.required ? `options: ${options}` : `options: ${options} = {}`
  const lines = [
    comment([operation.summary, '', operation.description ?? ''], '  '),
  ]
  if (f.list) {
    const next = f.next ? `'${f.next}'` : 'undefined'
    lines.push(
      `  ${f.id}(${parameter}): Pages<${answer}> {`,
      `    return this.#transport.list({ ${properties} }, sdk.${f.id}, options, ${next})`,
    )
  } else {
    lines.push(
      `  ${f.id}(${parameter}): Promise<Answer<${answer}>> {`,
      `    return this.#transport.call({ ${properties} }, sdk.${f.id}, options)`,
    )
  }
  return [...lines, '  }'].join('\n')
}

/** Returns the source of the class. */
export function docledger(spec) {
  const all = operations(spec).map((entry) => method(facts(spec, entry), entry[0]))
  return `${header}
import * as sdk from './generated/sdk.gen.js'
import type * as types from './generated/types.gen.js'
import type { Answer, Call, DocledgerOptions, UploadCall } from './options.js'
import type { Pages } from './pages.js'
import { Transport } from './transport.js'

/** The docledger API. Each operation is a method, named by its operationId. */
export class Docledger {
  readonly #transport: Transport

  constructor(options: DocledgerOptions) {
    this.#transport = new Transport(options)
  }

${all.join('\n\n')}
}
`
}

/** Returns the source of the list of error codes. */
export function errorCodes(spec) {
  const { description, 'x-extensible-enum': codes } = spec.components.schemas.ErrorCode
  const meaning = Object.fromEntries([...description.matchAll(/^- `(\w+)`: (.+)$/gm)].map((m) => [m[1], m[2]]))
  const lines = codes.map((code) => `  /** ${capital(meaning[code])} */\n  '${code}',`)
  return `${header}
/** Every \`error.code\` of this release. */
export const errorCodes = [
${lines.join('\n')}
] as const

/** An \`error.code\` of this release. */
export type KnownErrorCode = (typeof errorCodes)[number]
`
}
