/**
 * Forms, and the test for their origin.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

/** Far more than any form of the page needs. */
const LIMIT_BYTES = 4096
const DEADLINE_MS = 10_000

/**
 * Whether a form was sent by the page. Browsers say so in `Sec-Fetch-Site` (on https and on localhost) or `Origin`; a
 * request with neither is rejected.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host)
}

/** The fields of a form; `undefined` if it is not a form, too long, or incomplete. */
export async function readForm(
  request: Request,
  clock: Pick<Clock, 'timer'>,
): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? 'application/x-www-form-urlencoded'
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim())) return undefined
  const text = request.body === null ? '' : await readText(request.body, clock)
  return text === undefined ? undefined : new URLSearchParams(text)
}

async function readText(
  body: ReadableStream<Uint8Array>,
  clock: Pick<Clock, 'timer'>,
): Promise<string | undefined> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  const late = new AbortController()
  const timer = clock.timer(DEADLINE_MS, () => {
    late.abort()
    reader.cancel().catch(() => undefined)
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return late.signal.aborted ? undefined : Buffer.concat(chunks).toString('utf8')
      size += value.length
      if (size > LIMIT_BYTES) return undefined
      chunks.push(value)
    }
  } catch {
    return undefined
  } finally {
    timer.cancel()
    reader.cancel().catch(() => undefined)
  }
}
