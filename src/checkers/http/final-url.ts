/**
 * The expected URL after redirects, exact or by prefix.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { textSchema } from '../../fields/text.ts'
import { parseUrl } from '../../fields/url.ts'

export interface FinalUrlRule {
  readonly source: string
  accepts(url: string): boolean
}

/** A URL at which the redirects must end; a trailing `*` matches any rest. */
export function finalUrlField(description: string): FieldBuilder<string, FinalUrlRule> {
  const schema = v.pipe(
    textSchema({ max: 2048, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const isPrefix = dataset.value.endsWith('*')
      const parsed = parseUrl(isPrefix ? dataset.value.slice(0, -1) : dataset.value)
      if (parsed.ok) return isPrefix ? `${parsed.url}*` : parsed.url
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    { kind: 'string', format: 'url', min: 1, max: 2048, description },
    schema,
    finalUrlRule,
  )
}

function finalUrlRule(source: string): FinalUrlRule {
  const start = source.endsWith('*') ? source.slice(0, -1) : undefined
  return {
    source,
    accepts: (url) => (start === undefined ? url === source : url.startsWith(start)),
  }
}
