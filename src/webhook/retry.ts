/**
 * What an attempt's end means for the next one. Pure: spec 6.3 and 8, and for what they leave open the
 * decisions of docs/design/decisions.md.
 *
 * @module
 */

/** `delivered` and `failed` are final. */
export type DeliveryClass = 'delivered' | 'temporary' | 'failed'

/** How one attempt ended: with a status, or without an answer and why. */
export interface AttemptEndFacts {
  readonly http_status: number | null
  /** Machine code where there was no answer: `timeout`, `blocked`, `connect_refused`, `dns_nxdomain`, … */
  readonly error: string | null
}

export interface RetryRules {
  /** 4xx that are worth another attempt (408, 425, 429), whose `Retry-After` counts. Default: none; by spec 6.3.5 every 4xx is final. */
  readonly retryStatuses?: readonly number[] | undefined
  /** Default `true`. `false` takes spec 6.3.4 literally: only 5xx and timeouts are temporary. */
  readonly retryConnectionErrors?: boolean | undefined
}

/** Attempts per delivery (spec 8). */
export const MAX_ATTEMPTS = 5

/** Attempts whose end nobody saw (the process died) that are run again without being counted. */
const MAX_UNCOUNTED_INTERRUPTIONS = 3

const FIRST_PAUSE_MS = 30_000
const JITTER = 0.1

/** Failures of this machine, which the receiver has no part in: they are no attempts (spec 6.3.4). */
const OWN_TROUBLE = new Set([
  'probe_offline',
  'probe_resolver_broken',
  'probe_overloaded',
  'storage',
])
/** Of a row; further ones are counted. With the longest pause that is a day: nobody waits for such old news. */
const OWN_TROUBLE_CLAIMS = 300
const OWN_PAUSE_MS = { least: 30_000, most: 5 * 60_000 } as const

/** Another attempt would end in the same way. */
const FINAL_ERRORS = new Set(['blocked', 'invalid_request', 'invalid_url'])

export function classify(
  { http_status, error }: AttemptEndFacts,
  rules: RetryRules = {},
): DeliveryClass {
  if (http_status === null) return classifyError(error ?? 'internal_error', rules)
  if (http_status >= 200 && http_status <= 299) return 'delivered'
  if (http_status >= 500 && http_status <= 599) return 'temporary'
  return rules.retryStatuses?.includes(http_status) === true ? 'temporary' : 'failed'
}

function classifyError(error: string, { retryConnectionErrors = true }: RetryRules): DeliveryClass {
  if (FINAL_ERRORS.has(error)) return 'failed'
  // Our own end says nothing about the receiver.
  const always = /timeout$|^stopped$|^internal_error$/.test(error) || OWN_TROUBLE.has(error)
  return always || retryConnectionErrors ? 'temporary' : 'failed'
}

export interface PauseOptions {
  /** What the receiver asked for; `null` where it did not. Lengthens the pause, up to twice. */
  readonly retryAfterMs?: number | null | undefined
  /** Uniform in [0, 1): jitter, upwards only. Default: none. */
  readonly random?: (() => number) | undefined
}

/**
 * Milliseconds from the end of the `attempt`-th counted attempt (from 1) to the next: 30, 60, 120, 240 s,
 * each up to 10 % longer. `null` after the last one.
 */
export function pauseAfter(attempt: number, options: PauseOptions = {}): number | null {
  if (attempt >= MAX_ATTEMPTS) return null
  const pause_ms = FIRST_PAUSE_MS * 2 ** (Math.max(1, attempt) - 1)
  const jittered = pause_ms * (1 + JITTER * (options.random?.() ?? 0))
  const asked = Math.min(options.retryAfterMs ?? 0, 2 * pause_ms)
  return Math.round(Math.max(jittered, asked))
}

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds from `now`; `null` where it is missing, malformed or
 * in the past.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // The form that servers must send; Date.parse alone takes "-5" for a date.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return null
  const at = Date.parse(text)
  return at > now ? at - now : null
}

/** What a claimed row knows of its attempts. */
export interface AttemptCounts {
  readonly attempts: number
  readonly interruptions: number
}

export interface NextStep {
  readonly status: 'sent' | 'failed' | 'queued'
  readonly attempts: number
  readonly interruptions: number
  /** Time of the next attempt, only with `queued`. */
  readonly due_at?: number
}

export interface NextAttemptOptions {
  /** End of the attempt, epoch milliseconds. */
  readonly now: number
  readonly random: () => number
}

/**
 * What becomes of a row that was taken over from an attempt whose end nobody saw. `null`: the attempt is
 * made again at once. The first three interruptions of a delivery are free: their outcome is unknown, and
 * a crash must not eat the receiver's attempts. Further ones count, or a row that makes the process crash
 * would be run for ever; they are followed by the pause of an attempt that failed, or a process that dies
 * again and again would use up all attempts within seconds.
 */
export function afterInterruption(
  { attempts, interruptions }: AttemptCounts,
  { now, random }: NextAttemptOptions,
): NextStep | null {
  const free = Math.min(interruptions, MAX_UNCOUNTED_INTERRUPTIONS)
  if (interruptions === free) return null
  // Two at once where the process died before the first one was noted.
  const counted = Math.min(MAX_ATTEMPTS, attempts + (interruptions - free))
  const counts = { attempts: counted, interruptions: free }
  const pause_ms = pauseAfter(counts.attempts, { random })
  if (pause_ms === null) return { status: 'failed', ...counts }
  return { status: 'queued', ...counts, due_at: now + pause_ms }
}

/** What becomes of a claimed row after an attempt that ended in this way. */
export function nextAttempt(
  row: AttemptCounts & { readonly claims?: number },
  end: {
    readonly class: DeliveryClass
    readonly error?: string | null
    readonly retry_after_ms: number | null
    readonly uncounted?: true
  },
  { now, random }: NextAttemptOptions,
): NextStep {
  const counts = { attempts: row.attempts + 1, interruptions: row.interruptions }
  if (end.class === 'delivered') return { status: 'sent', ...counts }
  if (end.class === 'failed') return { status: 'failed', ...counts }
  // Nothing was sent: the same attempt is made again by whoever claims the row next.
  if (end.uncounted === true) {
    return { status: 'queued', ...counts, attempts: counts.attempts - 1, due_at: now }
  }
  const own_ms = ownPause(end.error, row.claims ?? 1)
  if (own_ms !== null) {
    return { status: 'queued', ...counts, attempts: row.attempts, due_at: now + own_ms }
  }
  const pause_ms = pauseAfter(counts.attempts, { retryAfterMs: end.retry_after_ms, random })
  if (pause_ms === null) return { status: 'failed', ...counts }
  return { status: 'queued', ...counts, due_at: now + pause_ms }
}

/** Longer by a quarter each time, within bounds; `null` where the attempt counts. */
function ownPause(error: string | null | undefined, claims: number): number | null {
  if (!OWN_TROUBLE.has(error ?? '') || claims >= OWN_TROUBLE_CLAIMS) return null
  return Math.min(OWN_PAUSE_MS.most, OWN_PAUSE_MS.least * 1.25 ** (claims - 1))
}
