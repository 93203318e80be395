// Converts the specification to the form that the generator understands. The
// conversion serves only the generator; the specification stays unchanged.

/** The type that represents any other text in an open list of values. */
const other = '(any other)'

/** Calls visit for every object in value. */
function walk(value, visit) {
  if (Array.isArray(value)) {
    value.forEach((v) => walk(v, visit))
  } else if (value !== null && typeof value === 'object') {
    visit(value)
    Object.values(value).forEach((v) => walk(v, visit))
  }
}

/** The operations of a specification as [operation, method, path]. */
export function operations(spec) {
  const methods = ['get', 'put', 'post', 'delete', 'patch']
  return Object.entries(spec.paths).flatMap(([path, item]) =>
    methods.filter((m) => item[m]).map((m) => [item[m], m, path, item]),
  )
}

/** Follows a reference within the specification. */
export function resolve(spec, value) {
  if (!value?.$ref) {
    return value
  }
  const found = value.$ref.slice(2).split('/').reduce((at, key) => at[key], spec)
  return resolve(spec, found)
}

/**
 * Leaves one media type of each request, since the generator takes the first
 * that it finds: the form for files, so that they are not held in memory in
 * base64, and plain JSON before its relatives. An answer in JSON or text is
 * either.
 */
export function prepare(spec) {
  for (const [operation] of operations(spec)) {
    const content = operation.requestBody?.content
    const taken = ['multipart/form-data', 'application/json'].find((type) => content?.[type])
    if (taken) {
      operation.requestBody.content = { [taken]: content[taken] }
    }
    const answer = operation.responses['200']?.content
    const text = ['text/csv', 'text/plain'].find((type) => answer?.[type])
    if (answer?.['application/json'] && text) {
      const both = [answer['application/json'].schema, answer[text].schema]
      operation.responses['200'].content = { 'application/json': { schema: { anyOf: both } } }
    }
  }
  return spec
}

/**
 * Makes a closed list with one more value of each list of an answer that may
 * get more (x-extensible-enum), and says how many there are. A nullable list has
 * null as a value, because the generator ignores nullable there.
 */
export function closeOpenEnums(spec) {
  let count = 0
  walk(spec, (schema) => {
    const values = schema['x-extensible-enum']
    if (Array.isArray(values)) {
      schema.enum = [...values, other]
      count++
    }
    if (schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) {
      schema.enum = [...schema.enum, null]
    }
  })
  return count
}

/**
 * Opens those lists in the generated types: known values are completed by an
 * editor, and unknown ones are accepted.
 */
export function openEnums(types, count) {
  const parts = types.split(`'${other}'`)
  if (parts.length - 1 < count) {
    throw new Error(`${count} open lists of values were expected in the types, ${parts.length - 1} are there`)
  }
  return parts.join('(string & {})')
}
