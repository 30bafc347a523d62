/**
 * RDAP on this machine: objects in the form of RFC 9083, a list of servers in that of RFC 9224, and
 * whatever a test wants to be answered instead.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { serve } from '../http-exchange.ts'

export interface RdapServer {
  /** Base address with the slash at its end. */
  readonly base: string
  readonly host: string
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[]
  /** Queries that were under way at the same time, at most. */
  readonly together: number
}

export interface RdapReply {
  /** Default 200. */
  readonly status?: number
  /** Text as it is, anything else as JSON; nothing for no body. */
  readonly body?: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type RdapScript = (
  path: string,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
) => RdapReply | undefined | Promise<RdapReply | undefined>

/** Answers each path as the script says; with nothing, the script has the response for itself. */
export async function rdapServer(
  script: RdapScript,
  tls?: { readonly chain: string; readonly key: string },
): Promise<RdapServer> {
  const asked: string[] = []
  let running = 0
  let together = 0
  const server = await serve((request, response) => {
    asked.push(request.url ?? '')
    together = Math.max(together, ++running)
    response.once('close', () => running--)
    void (async () => {
      const reply = await script(request.url ?? '', { request, response })
      if (reply !== undefined) answer(response, reply)
    })()
  }, tls)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return {
    base: `${server.origin}/`,
    host: new URL(server.origin).host,
    asked,
    get together() {
      return together
    },
  }
}

function answer(
  response: ServerResponse,
  { status = 200, body, type = 'application/rdap+json', headers = {} }: RdapReply,
): void {
  response.writeHead(status, { 'Content-Type': type, ...headers })
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
}

export interface DomainFacts {
  readonly name?: string
  readonly expires?: string | null
  readonly status?: readonly string[]
}

/** A domain object as a registry of generic top-level domains has it. */
export function domainObject({
  name = 'example.com',
  expires = '2027-03-01T10:00:00Z',
  status = ['client transfer prohibited'],
}: DomainFacts = {}): Record<string, unknown> {
  const expiration = expires === null ? [] : [{ eventAction: 'expiration', eventDate: expires }]
  return {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    handle: '1234_DOMAIN-TEST',
    ldhName: name.toUpperCase(),
    status,
    events: [
      { eventAction: 'registration', eventDate: '2001-03-01T10:00:00Z' },
      ...expiration,
      { eventAction: 'last changed', eventDate: '2025-02-01T08:30:00Z' },
    ],
    entities: [
      { objectClassName: 'entity', roles: ['abuse'] },
      {
        objectClassName: 'entity',
        handle: '9999',
        roles: ['registrar'],
        vcardArray: [
          'vcard',
          [
            ['version', {}, 'text', '4.0'],
            ['fn', {}, 'text', 'Test Registrar Ltd.'],
          ],
        ],
      },
    ],
    nameservers: [
      { objectClassName: 'nameserver', ldhName: 'NS1.EXAMPLE.NET' },
      { objectClassName: 'nameserver', ldhName: 'ns2.example.net.' },
    ],
    secureDNS: { delegationSigned: true },
  }
}

/** A list of servers (RFC 9224, 3). */
export function bootstrapList(
  services: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  return {
    version: '1.0',
    publication: '2026-01-01T00:00:00Z',
    services: Object.entries(services).map(([suffix, urls]) => [[suffix], urls]),
  }
}
