/**
 * Turns a registry's answer into a verdict and notices. Pure.
 *
 * @module
 */

import { iso, isoOrNull } from '../../clock.ts'
import type { EpochMs, Json, JsonObject, Notice } from '../../model.ts'
import { down, unknown, up } from '../checker.ts'
import type { CauseTable, Findings, Judgement } from '../checker.ts'
import type { Registration, Sourced } from './registration.ts'
import { daysLeft, standingOf, thresholdPassed } from './registration.ts'
import { isJsonObject } from '../../model/json.ts'
import { DAY_MS } from '../../model/time.ts'

export const DOMAIN_CAUSES = {
  /** Call the registrar now: these have deadlines. See [domain](../checkers/domain.md#advice). */
  domain_expired: { text: 'The registration of the domain has ended', phase: 'query' },
  /**
   * A typing error, or the registration is lost: look it up at the registry before someone else registers
   * it.
   */
  domain_not_registered: { text: 'Nobody has registered the domain', phase: 'query' },
  /** As `domain_expired`. */
  domain_hold: {
    text: 'The domain is on hold: it is registered, but not in the DNS',
    phase: 'query',
  },
  /** As `domain_expired`. */
  domain_redemption: {
    text: 'The domain was deleted and can be restored by its holder only for a short time',
    phase: 'query',
  },
  /** As `domain_expired`. */
  domain_pending_delete: {
    text: 'The domain is about to be deleted and can no longer be restored',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_rdap_unreachable: {
    text: 'The registry did not answer over RDAP, and there was no WHOIS to ask instead',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_rdap_unparsed: {
    text: 'The answer of the registry over RDAP could not be read',
    verdict: 'unknown',
    phase: 'query',
  },
  /**
   * The state of the target is unknown; the next check tries again. If it persists: use a longer
   * interval, or configure the server. See [domain](../checkers/domain.md#options-for-the-host).
   */
  probe_rate_limited: {
    text: 'The registry limits how often it may be asked',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_whois_unreachable: {
    text: 'The WHOIS server did not answer',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_whois_empty: {
    text: 'The WHOIS server sent nothing',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_whois_unparsed: {
    text: 'The answer of the WHOIS server could not be read with certainty',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_registry_unknown: {
    text: 'No server is known that could tell of the domain',
    verdict: 'unknown',
    phase: 'query',
  },
  /** As `probe_rate_limited`. */
  probe_expiry_unpublished: {
    text: 'The registry tells neither when the registration ends nor how it stands',
    verdict: 'unknown',
    phase: 'query',
  },
} as const satisfies CauseTable

export type DomainCause = keyof typeof DOMAIN_CAUSES | 'probe_overloaded'

export interface Case {
  readonly name: string
  readonly answer: Sourced
  readonly now: EpochMs
  readonly days_warn: readonly number[]
  /** The expiry that the last check reported. */
  readonly before: EpochMs | null
}

export function judge({ name, answer, now, days_warn, before }: Case): Judgement<DomainCause> {
  if (answer.state === 'unanswered') return unknown(answer.cause_code, answer.cause_text)
  if (answer.state === 'free') {
    return down('domain_not_registered', `Nobody has registered ${name}`)
  }
  const { registration } = answer
  const findings: Findings = {
    details: registered(registration, { now, before }),
    notices: news(registration, { now, days_warn }),
    memo: { expires_at: registration.expires_at ?? before },
  }
  const standing = standingOf(registration, now)
  if (standing === 'good') return up(findings)
  return down(standing, sentence(standing, { name, registration }), findings)
}

/**
 * Expiry dates further apart than this differ; RDAP and WHOIS may report the same day with another
 * hour.
 */
export function hasMoved(before: EpochMs | null, expires_at: EpochMs | null): boolean {
  return before !== null && expires_at !== null && Math.abs(expires_at - before) > DAY_MS
}

export function expiryIn(memo: Json | undefined): EpochMs | null {
  const at = isJsonObject(memo) ? memo['expires_at'] : undefined
  return typeof at === 'number' && Number.isSafeInteger(at) ? at : null
}

function registered(
  registration: Registration,
  { now, before }: Pick<Case, 'now' | 'before'>,
): JsonObject {
  const { expires_at, registrar_expires_at, statuses } = registration
  return {
    registrar: registration.registrar,
    created_at: isoOrNull(registration.created_at),
    updated_at: isoOrNull(registration.updated_at),
    expires_at: isoOrNull(expires_at),
    days_left: expires_at === null ? null : daysLeft(expires_at, now),
    statuses,
    nameservers: registration.nameservers,
    dnssec: registration.dnssec,
    ...(expires_at === null ? { expiry_unpublished: true } : {}),
    ...(registrar_expires_at === null || registrar_expires_at === expires_at
      ? {}
      : { registrar_expires_at: iso(registrar_expires_at) }),
    ...(statuses.includes('autoRenewPeriod') ? { auto_renew_grace: true } : {}),
    ...(hasMoved(before, expires_at) ? { previous_expires_at: isoOrNull(before) } : {}),
  }
}

function news(
  { expires_at, registrar, statuses }: Registration,
  { now, days_warn }: Pick<Case, 'now' | 'days_warn'>,
): readonly Notice[] {
  if (expires_at === null) return []
  const days_left = daysLeft(expires_at, now)
  const at = iso(expires_at)
  // Day precision: WHOIS may round what RDAP reports exactly, and must not cause a second notice.
  const day = at.slice(0, 10)
  const domain = { expires_at: at, days_left, registrar, statuses }
  if (expires_at <= now) return [{ event: 'domain_expired', key: day, data: { domain } }]
  const threshold = thresholdPassed(days_left, days_warn)
  if (threshold === undefined) return []
  return [
    {
      event: 'domain_expiring',
      key: `${day}:${threshold}`,
      data: { domain: { ...domain, threshold } },
    },
  ]
}

function sentence(
  standing: Exclude<ReturnType<typeof standingOf>, 'good'>,
  { name, registration }: { readonly name: string; readonly registration: Registration },
): string {
  const { expires_at, statuses } = registration
  switch (standing) {
    case 'domain_expired':
      return `The registration of ${name} ended at ${isoOrNull(expires_at) ?? 'an unknown time'}`
    case 'domain_hold': {
      const holds = statuses.filter((status) => status.endsWith('Hold'))
      return `${name} is on hold (${holds.join(', ')}): it is not in the DNS`
    }
    case 'domain_redemption':
      return `${name} was deleted and is in its redemption period: its holder can still restore it`
    case 'domain_pending_delete':
      return `${name} is about to be deleted and can no longer be restored`
  }
}
