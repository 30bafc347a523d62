/**
 * The error responses in OpenAPI.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { integer, object, record, ref, text } from './schemas.ts'

export const errorSchema = object(
  {
    ok: { const: false },
    error: text('Stable machine code'),
    message: text('One sentence for a person'),
    fields: record('Problem per field or parameter; each begins with a stable code', {
      type: 'string',
    }),
    retry_after: integer('Seconds'),
    request_id: text('Also in the header `X-Request-Id`; name it when you ask for help'),
  },
  { optional: ['message', 'fields', 'retry_after'] },
)

/** Status to response object. */
export const REFUSALS: Readonly<Record<number, JsonObject>> = {
  400: refusal('The body is not a JSON object, or nested too deep', { error: 'bad_json' }),
  401: refusal('No valid API key', { error: 'unauthorized' }),
  403: refusal(
    'The key may not do this (`forbidden`), or a page of another site asks for it (`cross_site`)',
    { error: 'forbidden' },
  ),
  404: refusal('Unknown, or of another account', { error: 'not_found' }),
  408: refusal('The body did not arrive in time', { error: 'request_timeout' }),
  409: refusal('Not in the present state, or an Idempotency-Key used for something else', {
    error: 'paused',
  }),
  412: refusal('The monitor has another version', { error: 'version_mismatch' }),
  413: refusal('The body is larger than 256 KiB', { error: 'too_large' }),
  415: refusal('The body is not application/json', { error: 'unsupported_media_type' }),
  422: refusal('Invalid fields or parameters, all of them at once', {
    error: 'validation',
    fields: { url: 'required', interval_sec: 'out_of_range: 10..2678400' },
  }),
  429: refusal('Too many requests with this key, or too many wrong keys', {
    error: 'rate_limited',
    retry_after: 12,
  }),
  500: refusal('An internal error', { error: 'internal' }),
  503: refusal('The storage does not answer (`storage`), or the service stops (`unavailable`)', {
    error: 'storage',
  }),
}

function refusal(description: string, example: JsonObject): JsonObject {
  return {
    description,
    content: {
      'application/json': {
        schema: ref('Error'),
        example: { ok: false, ...example, request_id: 'k3v9x0q2m7ab' },
      },
    },
  }
}
