/**
 * The next step after an attempt, and whether its message may have arrived. Pure: spec 6.3 and 8, and the decisions of
 * docs/design/decisions.md.
 *
 * @module
 */

/** `delivered` and `failed` are final. */
export type DeliveryClass = 'delivered' | 'temporary' | 'failed'

/** The result of one attempt: a status, or an error. */
export interface AttemptFacts {
  readonly http_status: number | null
  /**
   * Error code if there was no response: `timeout`, `blocked`, `connect_refused`, `dns_nxdomain`, …
   */
  readonly error: string | null
}

export interface RetryRules {
  /**
   * 4xx statuses that are retried (408, 425, 429), with their `Retry-After`. Default: none; by spec
   * 6.3.5 every 4xx is final.
   */
  readonly retryStatuses?: readonly number[] | undefined
  /** Default `true`. `false` takes spec 6.3.4 literally: only 5xx and timeouts are temporary. */
  readonly retryConnectionErrors?: boolean | undefined
}

/** Attempts per delivery (spec 8). */
export const MAX_ATTEMPTS = 5

/** Interrupted attempts (the process died) that are repeated without being counted. */
const MAX_UNCOUNTED_INTERRUPTIONS = 3

const FIRST_PAUSE_MS = 30_000
const JITTER = 0.1

/** Failures of this machine: they do not count as attempts (spec 6.3.4). */
const OWN_TROUBLE = new Set([
  'probe_offline',
  'probe_resolver_broken',
  'probe_overloaded',
  'storage',
  // Of the operator.
  'proxy_unreachable',
  'proxy_auth',
])
/**
 * Maximum per row; further ones count. With the longest pause this is a day, after which a
 * notification is obsolete.
 */
const OWN_TROUBLE_CLAIMS = 300
const OWN_PAUSE_MS = { least: 30_000, most: 5 * 60_000 } as const

/** A further attempt would fail in the same way. */
const FINAL_ERRORS = new Set(['blocked', 'invalid_request', 'invalid_url'])

export function classify(
  { http_status, error }: AttemptFacts,
  rules: RetryRules = {},
): DeliveryClass {
  if (http_status === null) return classifyError(error ?? 'internal_error', rules)
  if (http_status >= 200 && http_status <= 299) return 'delivered'
  if (http_status >= 500 && http_status <= 599) return 'temporary'
  return rules.retryStatuses?.includes(http_status) === true ? 'temporary' : 'failed'
}

function classifyError(error: string, { retryConnectionErrors = true }: RetryRules): DeliveryClass {
  if (FINAL_ERRORS.has(error)) return 'failed'
  // A local failure says nothing about the receiver.
  const always = /timeout$|^stopped$|^internal_error$/.test(error) || OWN_TROUBLE.has(error)
  return always || retryConnectionErrors ? 'temporary' : 'failed'
}

export interface PauseOptions {
  /** The delay that the receiver requested; `null` if none. Extends the pause, to at most twice. */
  readonly retryAfterMs?: number | null | undefined
  /** Uniform in [0, 1): jitter that only extends. Default: none. */
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

/** The attempt counters of a claimed row. */
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
 * The next step of a row taken over from an interrupted attempt. `null`: repeat the attempt at
 * once. The first three interruptions of a delivery do not count: their result is unknown, and a
 * crash must not use up the attempts. Further ones count, since a row that crashes the process
 * would be retried forever; they are followed by the pause of a failed attempt, since a process
 * that crashes repeatedly would use up all attempts within seconds.
 */
export function afterInterruption(
  { attempts, interruptions }: AttemptCounts,
  { now, random }: NextAttemptOptions,
): NextStep | null {
  const free = Math.min(interruptions, MAX_UNCOUNTED_INTERRUPTIONS)
  if (interruptions === free) return null
  // Two at once if the process died before the first one was recorded.
  const counted = Math.min(MAX_ATTEMPTS, attempts + (interruptions - free))
  const counts = { attempts: counted, interruptions: free }
  const pause_ms = pauseAfter(counts.attempts, { random })
  if (pause_ms === null) return { status: 'failed', ...counts }
  return { status: 'queued', ...counts, due_at: now + pause_ms }
}

/** The next step of a claimed row after this result. */
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
  // Nothing was sent: the next claim repeats the same attempt.
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

/** Longer by a quarter each time, within limits; `null` if the attempt counts. */
function ownPause(error: string | null | undefined, claims: number): number | null {
  if (!OWN_TROUBLE.has(error ?? '') || claims >= OWN_TROUBLE_CLAIMS) return null
  return Math.min(OWN_PAUSE_MS.most, OWN_PAUSE_MS.least * 1.25 ** (claims - 1))
}

/**
 * Failures before any part of the message is sent: names, addresses, connections, handshakes, and
 * local failures.
 */
const NOTHING_SENT =
  /^(?:dns|tls|probe|auth)_|^connect_(?:refused|timeout|unreachable|blocked)$|^(?:blocked|invalid_url|invalid_request|missing_dependency|lease_over|storage)$/

/** A mail server that refuses has not accepted the message (RFC 5321, 4.2.1). */
const REFUSED = /^smtp_[45]\d\d$/

/**
 * Whether a receiver may have received the message of an attempt. What it may have received must be
 * closed later, so doubt counts as received.
 *
 * `false` only if certain: the receiver refused the message (3xx, 4xx), or no part of it was sent.
 * A receiver that answers 5xx may have processed it before it failed, and 502 and 504 come from a
 * gateway.
 */
export function mayHaveArrived({ http_status, error }: AttemptFacts): boolean {
  if (http_status !== null) return http_status < 300 || http_status > 499
  return error === null || !(NOTHING_SENT.test(error) || REFUSED.test(error))
}
