/**
 * PagerDuty by its Events API v2 (https://developer.pagerduty.com/docs/send-alert-event).
 *
 * An incident is one alert: all its events have one `dedup_key`, `down` triggers, `acknowledged`
 * acknowledges and `up` resolves, for any reason of its end. `repeat` triggers again with the same
 * key, which PagerDuty adds to the open alert without paging. An event without an incident (a
 * certificate near its expiry) is its own alert, which a person resolves.
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import type { JsonObject } from '../model.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { baseOf, brandOf, postingKind, postingOptions } from './posting.ts'
import type { PostingOptions } from './posting.ts'
import { alertKey } from './template.ts'
import { cut } from './text.ts'
import type { Message } from './message.ts'
import type { Severity } from './message.ts'

/** PagerDuty rejects longer ones. */
const SUMMARY_CHARS = 1024
const SOURCE_CHARS = 255

const SEVERITIES: Readonly<Record<Severity, string>> = {
  down: 'critical',
  up: 'info',
  warning: 'warning',
  info: 'info',
}

/** Actions on an existing alert. */
const FOLLOW_UPS: Readonly<Record<string, string>> = {
  up: 'resolve',
  outage: 'resolve',
  acknowledged: 'acknowledge',
}

const REGIONS = {
  us: 'https://events.pagerduty.com',
  eu: 'https://events.eu.pagerduty.com',
} as const

const fields = {
  routing_key: field
    .secret({ description: 'Integration key of a service with the Events API v2' })
    .required(),
  region: field
    .oneOf(['us', 'eu'], { description: 'Service region of the PagerDuty account' })
    .default('us'),
}

export interface PagerdutyOptions extends PostingOptions {
  /** Replaces the addresses of both regions: your own event gateway. */
  readonly baseUrl?: string | undefined
}

/** @throws ConfigurationError for an invalid option */
export function pagerdutyContact(
  options: PagerdutyOptions = {},
): ContactKind<typeof fields, 'pagerduty'> {
  checkOptions('pagerdutyContact', options, { ...postingOptions, baseUrl: option.text })
  const own = options.baseUrl === undefined ? undefined : baseOf(options.baseUrl)
  const client = brandOf(options)
  return postingKind(options, {
    kind: 'pagerduty',
    title: 'PagerDuty',
    fields,
    digests: false,
    target: ({ region }) => ({ field: 'region', url: `${own ?? REGIONS[region]}/v2/enqueue` }),
    refine: ({ routing_key }): { routing_key?: string } =>
      /^[a-z0-9]{32}$/i.test(routing_key)
        ? {}
        : { routing_key: 'invalid: an integration key has 32 letters and digits' },
    secrets: ({ routing_key }) => [routing_key],
    compose: (message, { routing_key }) => ({
      body: { routing_key, ...event(message), client },
    }),
  })
}

function event(message: Message): JsonObject {
  const { title, source, severity, sent_at, facts, link } = message
  const dedup_key = alertKey(message)
  const event_action = Object.hasOwn(FOLLOW_UPS, message.event) && FOLLOW_UPS[message.event]
  if (event_action) return { event_action, dedup_key }
  return {
    event_action: 'trigger',
    dedup_key,
    payload: {
      summary: cut(title, SUMMARY_CHARS),
      source: cut(source, SOURCE_CHARS),
      severity: SEVERITIES[severity],
      timestamp: sent_at,
      class: message.event,
      custom_details: Object.fromEntries(facts.map(({ label, text }) => [label, text])),
    },
    ...(link === null ? {} : { links: [{ href: link, text: 'Target' }] }),
  }
}
