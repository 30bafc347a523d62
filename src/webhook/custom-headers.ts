/**
 * The field of the headers that a contact adds to its requests.
 *
 * @module
 */

import { defineField } from '../fields/field.ts'
import type { FieldBuilder, FieldInfo } from '../fields/field.ts'
import { headersField } from '../fields/headers.ts'
import type { HeaderMap, HeaderPairs } from '../fields/headers.ts'
import { isHarmlessHeader } from '../secrets/headers.ts'
import type { WebhookHeaders } from './headers.ts'

/** The rules of {@link headersField}, and those of a webhook. */
export function customHeaders(
  naming: WebhookHeaders,
  info: Pick<FieldInfo, 'description'>,
): FieldBuilder<HeaderMap, HeaderPairs> {
  const base = headersField(info)
  const schema: typeof base.schema = {
    '~standard': {
      version: 1,
      vendor: 'watchpost',
      validate(value) {
        const result = base.schema['~standard'].validate(value)
        if (result instanceof Promise || result.issues !== undefined) return result
        const problem = naming.problem(base.decode(result.value))
        return problem === undefined ? result : { issues: [{ message: `invalid: ${problem}` }] }
      },
    },
  }
  return defineField(base.info, schema, base.decode)
}

/** The values that must not reach a log. */
export function secretValues(headers: HeaderPairs): readonly string[] {
  return headers.filter(([name]) => !isHarmlessHeader(name)).map(([, value]) => value)
}
