/**
 * Causes of HTTP itself, for every checker that asks over `ctx.net.http`.
 *
 * @module
 */

import type { CauseInfo } from '../causes.ts'

export const HTTP_CAUSES = {
  http_status: { text: 'The status of the answer is not the expected one', phase: 'first_byte' },
  http_protocol_error: { text: 'The answer is not valid HTTP' },
  http_truncated: { text: 'The body ended before it was complete', phase: 'transfer' },
  http_decode_error: { text: 'The body does not unpack', phase: 'transfer' },
  http_coding_limit: {
    text: 'The body is packed in more, or larger, layers than are undone',
    verdict: 'unknown',
    phase: 'transfer',
  },
  http_body_limit: {
    text: 'The body is too long to be looked at to its end',
    verdict: 'unknown',
    phase: 'transfer',
  },
  http_header_limit: {
    text: 'The headers of the answer are longer than is read',
    verdict: 'unknown',
    phase: 'first_byte',
  },
  http_redirect_limit: { text: 'Too many redirects', phase: 'first_byte' },
  http_redirect_loop: { text: 'The redirects go round in a circle', phase: 'first_byte' },
  http_redirect_invalid: {
    text: 'A redirect leads nowhere that can be followed',
    phase: 'first_byte',
  },
  http_final_url_mismatch: { text: 'The redirects lead to another address', phase: 'first_byte' },
} as const satisfies Readonly<Record<string, CauseInfo>>
