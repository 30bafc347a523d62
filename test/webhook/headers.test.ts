import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { webhookHeaders } from '../../src/webhook/headers.ts'
import type { HeaderPair } from '../../src/webhook/headers.ts'

const naming = webhookHeaders()

const REFUSED: readonly HeaderPair[] = [
  ...[
    'Host',
    'HOST',
    'host',
    'Content-Type',
    'Content-Length',
    'Content-Encoding',
    'User-Agent',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Date',
    'Via',
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'Metadata',
    'Metadata-Flavor',
    'X-aws-ec2-metadata-token',
    'X-aws-ec2-metadata-token-ttl-seconds',
    'Webhook-Id',
    'Webhook-Signature',
    'Webhook-Timestamp',
    'X-Service-Event',
    'X-Service-Signature',
    'x-service-anything',
  ].map((name) => [name, 'x'] as const),
  ['', 'x'],
  ['a b', 'x'],
  ['a:', 'x'],
  ['a\r\nb', 'x'],
  ['naïve', 'x'],
  ['X-A', 'a\r\nHost: b'],
  ['X-A', 'a\nb'],
  ['X-A', 'a\0b'],
  ['X-A', 'a\tb'],
  ['X-A', 'a\u007fb'],
  ['X-A', 'a\u0085b'],
  ['X-A', 'ключ'],
  ['X-A', '🔑'],
  ['X-A', 'x'.repeat(4094)],
]

describe('custom headers of a webhook', () => {
  it.each(REFUSED)(
    'refuses %j with %j, and drops it where it was stored all the same',
    (name, value) => {
      expect(naming.problem([[name, value]])).toBeTypeOf('string')
      const custom: HeaderPair[] = [
        [name, value],
        ['X-Good', 'yes'],
      ]
      const { headers, dropped } = naming.compose({ event: 'down', custom })
      expect(dropped).toEqual([name])
      expect(headers).toEqual([
        ['Content-Type', 'application/json'],
        ['User-Agent', 'Watchpost-webhook/1.0'],
        ['X-Service-Event', 'down'],
        ['X-Good', 'yes'],
      ])
    },
  )

  it.each<[name: string, value: string, problem: string]>([
    ['a b', 'x', 'a header name is made of letters, digits and hyphens'],
    ['Host', 'x', 'the header Host cannot be set'],
    ['X-A', 'x'.repeat(4094), 'the header X-A is longer than 4096 bytes'],
    ['X-A', 'a\nb', 'the header X-A has line breaks, controls or characters beyond Latin-1'],
  ])('says of %j: %j what is wrong', (name, value, problem) => {
    expect(
      naming.problem([
        ['X-Good', 'yes'],
        [name, value],
      ]),
    ).toBe(problem)
  })

  it('does not repeat a value, which may be a secret', () => {
    expect(naming.problem([['Authorization', 'Bearer s3cr3t\n']])).not.toContain('s3cr3t')
  })

  it.each<HeaderPair>([
    ['Authorization', 'Bearer abc'],
    ['X-Api-Key', 'abc'],
    ['X-Empty', ''],
    ['X-Latin', 'caf\u00e9'],
    ['X-Servicing', 'x'],
    ['Accept', 'text/plain'],
    ['X-A', 'x'.repeat(4093)],
  ])('lets %j pass', (name, value) => {
    expect(naming.problem([[name, value]])).toBeUndefined()
  })

  it('has at most 20 headers of 16 KiB in all', () => {
    const many = (count: number, value: string): HeaderPair[] =>
      Array.from({ length: count }, (_, n) => [`X-${n}`, value])
    expect(naming.problem(many(20, 'x'))).toBeUndefined()
    expect(naming.problem(many(21, 'x'))).toBe('at most 20 headers')
    // On the wire each has a colon, a space and a line break as well.
    expect(naming.problem(many(4, 'x'.repeat(4096 - 'X-0: \r\n'.length)))).toBeUndefined()
    expect(naming.problem(many(4, 'x'.repeat(4097 - 'X-0: \r\n'.length)))).toBe(
      'at most 16384 bytes of headers',
    )
    const { headers, dropped } = naming.compose({ event: 'down', custom: many(25, 'x') })
    expect([headers.length, dropped.length]).toEqual([3 + 20, 5])
  })
})

describe('the naming of the sender', () => {
  it('puts brand and prefix where the specification has its own', () => {
    const own = webhookHeaders({ brand: 'Acme', prefix: 'Acme' })
    const { headers } = own.compose({ event: 'up', signature: 'sha256=00', custom: [] })
    expect(headers).toEqual([
      ['Content-Type', 'application/json'],
      ['User-Agent', 'Acme-webhook/1.0'],
      ['X-Acme-Event', 'up'],
      ['X-Acme-Signature', 'sha256=00'],
    ])
    expect(own.problem([['x-acme-event', 'down']])).toBeTypeOf('string')
    expect(own.problem([['x-acme', 'down']])).toBeUndefined()
  })

  it('leaves room for the headers of another scheme, before those of the contact', () => {
    const { headers } = naming.compose({
      event: 'up',
      signature: 'sha256=00',
      further: [['webhook-id', 'msg_1']],
      custom: [['X-Good', 'yes']],
    })
    expect(headers.slice(2)).toEqual([
      ['X-Service-Event', 'up'],
      ['X-Service-Signature', 'sha256=00'],
      ['webhook-id', 'msg_1'],
      ['X-Good', 'yes'],
    ])
  })

  it.each([{ brand: 'My Brand' }, { prefix: 'a:b' }, { brand: '' }, { prefix: 'é' }])(
    'refuses %j at creation',
    (options) => {
      const [option] = Object.keys(options)
      expect(() => webhookHeaders(options)).toThrow(
        new ConfigurationError(
          `Webhook option ${option}: letters, digits and hyphens are expected`,
        ),
      )
    },
  )
})
