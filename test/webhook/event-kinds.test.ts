/** Each kind of event comes of real checkers over a staged network: the plays that the documentation's examples are made of. */

import { beforeAll, describe, expect, it } from 'vitest'
import { webhookExamples } from '../../scripts/docs/webhook-examples.ts'
import type { WebhookExample } from '../../scripts/docs/webhook-examples.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'

/** Section 6.1 of the specification: the kind, and the type of the monitor in our play. */
const SPECIFIED = [
  ['down', 'http'],
  ['up', 'http'],
  ['repeat', 'http'],
  ['ssl_expiring', 'ssl'],
  ['ssl_changed', 'ssl'],
  ['domain_expiring', 'domain'],
  ['domain_expired', 'domain'],
  ['content_changed', 'content'],
  ['blacklisted', 'blacklist'],
  ['test', null],
] as const

describe('a webhook of the kind', () => {
  let sent: readonly WebhookExample[] = []
  beforeAll(async () => {
    sent = await webhookExamples(builtinCheckers({ extra: true }))
  })

  it.each(SPECIFIED)('%s is sent', (event, type) => {
    const { headers, body } = sent.find((one) => one.event === event) ?? expect.fail('not sent')
    expect(Object.fromEntries(headers)).toMatchObject({
      'Content-Type': 'application/json',
      'X-Service-Event': event,
    })
    expect(body).toMatchObject({
      event,
      monitor: type === null ? null : { type },
      sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      notification_id: expect.any(Number) as number,
    })
  })
})
