/**
 * The header section of a webhook: the engine's headers, and those that a contact may add.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'

export type HeaderPair = readonly [name: string, value: string]

export interface HeaderNaming {
  /** Names the sender in `User-Agent: <brand>-webhook/1.0`. Default `Watchpost`. */
  readonly brand?: string | undefined
  /** Used in `X-<prefix>-Event` and `X-<prefix>-Signature`. Default `Service`. */
  readonly prefix?: string | undefined
}

const MAX_CUSTOM_HEADERS = 20
const MAX_VALUE_BYTES = 4096
const MAX_TOTAL_BYTES = 16_384

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** One byte per character on the wire, without control characters. */
const VALUE = /^[\u0020-\u007e\u00a0-\u00ff]*$/

/**
 * Headers of the engine, of the connection and its framing, and those that give access to a cloud's
 * metadata service.
 */
const RESERVED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'metadata',
  'metadata-flavor',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
])
const RESERVED_PREFIXES = ['proxy-', 'x-forwarded-', 'x-aws-ec2-metadata-token', 'x-service-']

export interface WebhookHeaders {
  /**
   * The problem of a contact's headers as text (without values, which may be secret), or
   * `undefined`.
   */
  problem(custom: readonly HeaderPair[]): string | undefined
  /** The header section of one attempt; `dropped` lists invalid headers of the contact. */
  compose(message: {
    readonly event: string
    /** Absent if the contact has no secret. */
    readonly signature?: string | undefined
    /** Of another scheme, beside ours. */
    readonly further?: readonly HeaderPair[]
    readonly custom: readonly HeaderPair[]
  }): { readonly headers: readonly HeaderPair[]; readonly dropped: readonly string[] }
}

/** @throws ConfigurationError if brand or prefix is invalid in a header */
export function webhookHeaders(naming: HeaderNaming = {}): WebhookHeaders {
  const { brand = 'Watchpost', prefix = 'Service' } = naming
  for (const [option, value] of Object.entries({ brand, prefix })) {
    if (!TOKEN.test(value)) {
      throw new ConfigurationError(
        `Webhook option ${option}: letters, digits and hyphens are expected`,
      )
    }
  }
  const reserved = [...RESERVED_PREFIXES, `x-${prefix.toLowerCase()}-`]

  function problemOf([name, value]: HeaderPair): string | undefined {
    if (!TOKEN.test(name)) return 'a header name is made of letters, digits and hyphens'
    const lower = name.toLowerCase()
    if (RESERVED.has(lower) || reserved.some((start) => lower.startsWith(start))) {
      return `the header ${name} cannot be set`
    }
    if (name.length + value.length > MAX_VALUE_BYTES) {
      return `the header ${name} is longer than ${MAX_VALUE_BYTES} bytes`
    }
    return VALUE.test(value)
      ? undefined
      : `the header ${name} has line breaks, controls or characters beyond Latin-1`
  }

  function problem(custom: readonly HeaderPair[]): string | undefined {
    const own = custom.map(problemOf).find((text) => text !== undefined)
    if (own !== undefined) return own
    if (custom.length > MAX_CUSTOM_HEADERS) return `at most ${MAX_CUSTOM_HEADERS} headers`
    const bytes = custom.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
    return bytes > MAX_TOTAL_BYTES ? `at most ${MAX_TOTAL_BYTES} bytes of headers` : undefined
  }

  return {
    problem,
    compose({ event, signature, further = [], custom }) {
      const kept: HeaderPair[] = []
      const dropped: string[] = []
      for (const pair of custom) {
        if (problem([...kept, pair]) === undefined) kept.push(pair)
        else dropped.push(pair[0])
      }
      const headers: HeaderPair[] = [
        ['Content-Type', 'application/json'],
        ['User-Agent', `${brand}-webhook/1.0`],
        [`X-${prefix}-Event`, event],
        ...(signature === undefined ? [] : [[`X-${prefix}-Signature`, signature] as const]),
        ...further,
        ...kept,
      ]
      return { headers, dropped }
    },
  }
}
