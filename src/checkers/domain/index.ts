/**
 * `domain`: the expiry of a domain registration, and its status.
 *
 * @module watchpost/checkers/domain
 */

import { daysList } from '../../fields/days.ts'
import type { JsonObject } from '../../model.ts'
import { defineChecker } from '../checker.ts'
import type { CheckContext } from '../checker.ts'
import { DOMAIN_CAUSES, expiryIn, hasMoved, judge } from './judge.ts'
import { createLookup } from './lookup.ts'
import type { Found } from './lookup.ts'
import { domainField, unicodeName } from './name.ts'
import { readOptions } from './options.ts'
import type { DomainOptions } from './options.ts'

export type { DomainOptions } from './options.ts'
export type { WhoisServer } from './servers.ts'

const fields = {
  domain: domainField().required(),
  days_warn: daysList({
    description: 'Days before the end of the registration at which to warn, once for each',
  }).default([30]),
}

/**
 * The list of RDAP servers, the queues of registries and recent answers are kept in the returned
 * checker, for all its monitors.
 *
 * @throws ConfigurationError for an invalid option
 */
export const domain = (options: DomainOptions = {}) => {
  const lookup = createLookup(readOptions(options))
  return defineChecker({
    type: 'domain',
    title: 'Domain registration',
    description:
      'Queries the registry of a domain, over RDAP or WHOIS, for the expiry of the registration and for holds or a pending deletion.',
    fields,
    common: {
      interval_sec: { default: 86_400, min: 3600 },
      timeout_ms: { default: 30_000 },
      singleLocation: true,
      noEffect: {
        confirm_locations:
          'a registry answers the same everywhere, and is checked from one location',
      },
      fail_threshold: { default: 1 },
    },
    causes: DOMAIN_CAUSES,
    events: ['domain_expiring', 'domain_expired'],
    figures: ['days_left'],
    measurements: {
      domain: 'The registered name in A-labels',
      unicode: 'The name as people read it',
      registrar: 'Who registered it for its holder',
      created_at: 'When it was registered first, ISO 8601',
      updated_at: 'When the record was changed last, ISO 8601',
      expires_at: 'When the registration ends, ISO 8601; null where the registry does not tell',
      days_left: 'Whole days until then, rounded down; negative once it is over',
      statuses: 'States of the registration in the words of EPP, such as clientHold',
      nameservers: 'Name servers that the registry has for it',
      dnssec: 'Whether the delegation is signed; null if unknown',
      expiry_unpublished: 'true: the registry does not tell when the registration ends',
      registrar_expires_at: "The registrar's own date, where it is another one than the registry's",
      auto_renew_grace:
        'true: the registry has renewed it by itself, and the registrar may still take that back',
      previous_expires_at: 'The previous expiry date, if it changed',
      source: 'rdap or whois',
      server: 'The server that answered',
      age_ms: 'Age of a result shared with another monitor, ms; 0: new',
      attempts: 'Every query: source, server and result',
    },
    highlights: {
      expires_at: { title: 'Registration ends', format: 'end' },
      created_at: { title: 'Registered', format: 'time' },
      registrar: { title: 'Registrar' },
      nameservers: { title: 'Name servers' },
      statuses: { title: 'Status' },
    },
    charts: [{ title: 'Days left', unit: 'days', figures: { days_left: 'Registration' } }],
    target: ({ domain: name }) => name,

    async run(ctx, { domain: name, days_warn }) {
      ctx.measure({ domain: name, unicode: unicodeName(name) })
      const found = await lookup.find(ctx, name)
      ctx.measure(asked(found))
      const before = expiryIn(ctx.memo)
      noteMove(ctx, found, { name, before })
      return judge({ name, answer: found.answer, now: ctx.clock.now(), days_warn, before })
    },
  })
}

function asked({ answer, attempts, age_ms }: Found): JsonObject {
  const { source, server } = answer
  return { source, server, age_ms: Math.round(age_ms), attempts: [...attempts] }
}

/** A renewal, or a transfer that shortened the term: recorded without a notice. */
function noteMove(
  ctx: CheckContext,
  { answer }: Found,
  { name, before }: { readonly name: string; readonly before: number | null },
): void {
  if (answer.state !== 'registered') return
  const { expires_at } = answer.registration
  if (before === null || expires_at === null || !hasMoved(before, expires_at)) return
  const facts = { domain: name, before, expires_at, server: answer.server }
  if (expires_at > before) ctx.log.info(facts, 'a registration was prolonged')
  else ctx.log.warn(facts, 'a registration ends earlier than was told before')
}
