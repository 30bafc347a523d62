/**
 * A registry of blocked sites from a file or a URL. The last good copy stays in use until it
 * exceeds its maximum age.
 *
 * @module
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import { ConfigurationError } from '../../errors.ts'
import { parseUrl } from '../../fields/url.ts'
import type { EpochMs } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import { FeedError } from './feed-reader.ts'
import type { FeedFormat, ReadFeed } from './feed-reader.ts'
import { fetchFile, fetchUrl } from './feed-source.ts'
import type { Fetched } from './feed-source.ts'
import type { BlacklistProvider, ProviderContext, ProviderFinding } from './provider.ts'
import { HOUR_MS } from '../../model/time.ts'

export interface RegistryFeedOptions {
  /** Path of the feed. Either this or `url` is required. */
  readonly file?: string | undefined
  /** URL of the feed. Requested with ETag, so that an unchanged feed is not sent again. */
  readonly url?: string | undefined
  /** Default: detected from the first line. */
  readonly format?: FeedFormat | undefined
  /** Label of the WHATWG Encoding standard. Default: windows-1251 for `zapret-csv`, else UTF-8. */
  readonly encoding?: string | undefined
  /**
   * Interval between requests of `url`, in ms; a file is read again whenever it has changed.
   * Default 12 h.
   */
  readonly refreshMs?: number | undefined
  /** With older data the check is unknown. In ms, default 48 h. */
  readonly maxAgeMs?: number | undefined
  /** Maximum bytes of the feed. Default 256 MiB. */
  readonly limitBytes?: number | undefined
}

const OPTIONS: OptionTable<RegistryFeedOptions> = {
  file: option.text,
  url: option.text,
  format: option.text,
  encoding: option.text,
  refreshMs: option.milliseconds(0, Number.MAX_SAFE_INTEGER),
  maxAgeMs: option.milliseconds(0, Number.MAX_SAFE_INTEGER),
  limitBytes: option.wholeNumber(1, 2 ** 31 - 1),
}

/** Retry delay after a failure, so that not every check waits for an unresponsive server. */
const RETRY_MS = 5 * 60_000

interface Copy extends ReadFeed {
  /** The version of the source, such as its ETag. */
  readonly version: Fetched['version']
  /** When the source last confirmed that this is its newest version. */
  readonly confirmed_at: EpochMs
}

/** @throws ConfigurationError */
export function registryFeed(options: RegistryFeedOptions): BlacklistProvider {
  checkOptions('registryFeed', options, OPTIONS)
  const source = readOptions(options)
  const { refreshMs = 12 * HOUR_MS, maxAgeMs = 48 * HOUR_MS } = options
  let copy: Copy | undefined
  let problem: string | undefined
  let nextAt = -Infinity
  let reading: Promise<void> | undefined

  async function read(ctx: ProviderContext): Promise<void> {
    try {
      const fetched = await source(ctx, copy?.version)
      copy = renewed(fetched, copy, ctx.clock.now())
      problem = undefined
      nextAt = ctx.clock.now() + (options.file === undefined ? refreshMs : 0)
    } catch (error) {
      ctx.signal.throwIfAborted()
      problem = problemOf(error)
      nextAt = ctx.clock.now() + RETRY_MS
      ctx.log.warn({ err: error }, 'the registry feed could not be read')
    }
  }

  /** Concurrent checks wait for the same refresh. */
  async function refresh(ctx: ProviderContext): Promise<void> {
    if (ctx.clock.now() < nextAt) return
    reading ??= read(ctx).finally(() => (reading = undefined))
    await reading
  }

  return {
    async lookUp(ctx, subject) {
      await refresh(ctx)
      if (copy === undefined) return outdated(`The registry could not be read: ${problem ?? ''}`)
      const { stated_at, confirmed_at } = copy
      const age_ms = ctx.clock.now() - Math.min(stated_at ?? confirmed_at, confirmed_at)
      if (age_ms > maxAgeMs) {
        const hours = Math.floor(age_ms / HOUR_MS)
        const why = problem === undefined ? '' : `; the last try failed: ${problem}`
        return outdated(`The copy of the registry is ${hours} h old${why}`)
      }
      const entry = copy.content.find(subject)
      if (entry === undefined) return { state: 'clean' }
      return { state: 'listed', categories: ['blocked'], reason: `Entry ${entry}` }
    },
  }
}

type Source = (ctx: ProviderContext, known: Fetched['version'] | undefined) => Promise<Fetched>

function readOptions(options: RegistryFeedOptions): Source {
  const { file, url, limitBytes = 256 * 1024 * 1024 } = options
  const how = { ...options, limitBytes }
  if (file !== undefined && url === undefined) {
    return (ctx, known) => fetchFile(ctx, file, { ...how, known })
  }
  const parsed = url === undefined || file !== undefined ? undefined : parseUrl(url)
  if (parsed === undefined) throw new ConfigurationError('registryFeed: file or url is needed')
  if (!parsed.ok) throw new ConfigurationError(`registryFeed: url: ${parsed.problem}`)
  return (ctx, known) => fetchUrl(ctx, parsed.url, { ...how, known })
}

function renewed({ feed, version, at }: Fetched, copy: Copy | undefined, now: EpochMs): Copy {
  const confirmed_at = at ?? now
  if (feed !== null) return { ...feed, version, confirmed_at }
  if (copy === undefined) throw new FeedError('the source has nothing new, and there is no copy')
  return { ...copy, confirmed_at }
}

/** Only texts of this module: errors of others may contain a path or a URL with a token. */
function problemOf(error: unknown): string {
  if (error instanceof FeedError || error instanceof CheckFailure) return error.message
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return typeof code === 'string' ? code : 'an error of its own'
}

function outdated(cause_text: string): ProviderFinding {
  return { state: 'unknown', cause_code: 'probe_feed_stale', cause_text }
}
