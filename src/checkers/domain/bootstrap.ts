/**
 * The RDAP servers of registries: the list that IANA publishes (RFC 9224), fetched on first use and
 * once a day.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import { allowance, within } from './asking.ts'
import type { Asking } from './asking.ts'
import { jsonOf, USER_AGENT } from './rdap.ts'
import { canonicalSuffix } from './servers.ts'
import type { ServerTable } from './servers.ts'
import { isJsonObject } from '../../model/json.ts'
import { canParseUrl } from '../../model/url.ts'

const FRESH_MS = 24 * 60 * 60_000
/** Retry delay after a failure. */
const FAILED_MS = 5 * 60_000
/** The list has about 60 KiB. It is parsed in one turn. */
const BODY_LIMIT_BYTES = 384 * 1024
/** Leaves time for the query of the registry. */
const FETCH_MS = 5000
const SHARE = 0.25

const MAX_ENTRIES = 20_000
const MAX_URLS = 4

export interface Bootstrap {
  /** The list, an old one if a refresh fails; `undefined` if it was never fetched. */
  table(asking: Asking): Promise<ServerTable | undefined>
}

export function createBootstrap(url: string | null): Bootstrap {
  let copy: ServerTable | undefined
  /** Monotonic time. */
  let next_at = -Infinity

  async function refresh({ ctx }: Asking): Promise<void> {
    try {
      const ms = Math.min(FETCH_MS, allowance({ ctx }, SHARE))
      copy = await within(ctx, ms, async () => fetchTable(ctx, url ?? ''))
      next_at = ctx.clock.monotonic() + FRESH_MS
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof CheckFailure)) throw error
      next_at = ctx.clock.monotonic() + FAILED_MS
      ctx.log.warn({ url, reason: error.message }, 'the list of RDAP servers could not be fetched')
    }
  }

  return {
    async table(asking) {
      const { account_id, clock, signal } = asking.ctx
      if (url === null || clock.monotonic() < next_at) return copy
      const wait_ms = Math.min(FETCH_MS, allowance(asking, SHARE))
      const turn = { account_id, clock, signal, wait_ms }
      await asking.queues.run(`bootstrap ${url}`, turn, async () => {
        // A caller that waited uses the list that the previous one fetched.
        if (clock.monotonic() >= next_at) await refresh(asking)
      })
      return copy
    },
  }
}

async function fetchTable({ net }: Asking['ctx'], url: string): Promise<ServerTable> {
  const exchange = await net.http({
    url,
    headers: [['Accept', 'application/json'], USER_AGENT],
    bodyLimit: BODY_LIMIT_BYTES,
  })
  if (exchange.status !== 200) {
    throw new CheckFailure('http_status', `HTTP status ${exchange.status}`)
  }
  const table = readBootstrap(jsonOf(exchange))
  if (table.size === 0) throw new CheckFailure('protocol_error', 'The answer is no such list')
  return table
}

/** Ignores entries that do not follow RFC 9224. */
function readBootstrap(json: unknown): ServerTable {
  const services: unknown = isJsonObject(json) ? json['services'] : undefined
  const table = new Map<string, readonly string[]>()
  if (!Array.isArray(services)) return table
  for (const service of services as readonly unknown[]) {
    if (!Array.isArray(service)) continue
    const [suffixes, urls] = service as readonly unknown[]
    const bases = basesOf(urls)
    if (!Array.isArray(suffixes) || bases.length === 0) continue
    for (const suffix of suffixes as readonly unknown[]) {
      if (table.size >= MAX_ENTRIES || typeof suffix !== 'string') break
      const canonical = canonicalSuffix(suffix)
      if (canonical !== undefined) table.set(canonical, bases)
    }
  }
  return table
}

/** Base URLs, https first. */
export function basesOf(urls: unknown): readonly string[] {
  if (!Array.isArray(urls)) return []
  const bases = (urls as readonly unknown[]).map(baseOf).filter((base) => base !== undefined)
  const secure = bases.filter((base) => base.startsWith('https:'))
  return [...secure, ...bases.filter((base) => !secure.includes(base))].slice(0, MAX_URLS)
}

function baseOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || !canParseUrl(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '') return undefined
  url.hash = ''
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
