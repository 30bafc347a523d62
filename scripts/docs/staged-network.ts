/** What servers say in the examples of docs/reference/webhook.md: the network as a checker sees it, with answers written down. */

import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../src/clock.ts'
import type { HttpExchange, Net } from '../../src/net/net.ts'
import { ENDING, RENEWED } from './staged-certificates.ts'

/** Makes what `ctx.net` answers at a time. */
export type Scene = (clock: Clock) => Partial<Net>

/** One monitor, and how the world changes around it. */
export interface Play {
  readonly type: string
  /** Events that come of it. */
  readonly shows: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly first: Scene
  /** After five minutes. */
  readonly then?: Scene
  /** At the end. */
  readonly last?: Scene
  readonly repeats?: true
  /** Somebody takes the incident on before the end. */
  readonly acknowledged?: true
  /** The contact has quiet hours, in which the failure begins and ends. */
  readonly quiet?: true
  /** Of two monitors, told in one message. */
  readonly grouped?: true
  /** Lasts three days instead of forty minutes: certificates, domains and blocklists are checked at long intervals. */
  readonly days?: true
  /** Begins with a test delivery. */
  readonly test?: true
}

export const plays: readonly Play[] = [
  {
    type: 'http',
    shows: ['test', 'down', 'repeat', 'acknowledged', 'up'],
    settings: { name: 'Shop', url: 'https://shop.example.com/' },
    first: page(200, 'Welcome'),
    then: page(503, 'Back soon'),
    last: page(200, 'Welcome'),
    repeats: true,
    acknowledged: true,
    test: true,
  },
  {
    type: 'http',
    shows: ['outage'],
    settings: { name: 'Shop', url: 'https://shop.example.com/' },
    first: page(200, 'Welcome'),
    then: page(503, 'Back soon'),
    last: page(200, 'Welcome'),
    quiet: true,
  },
  {
    type: 'http',
    shows: ['digest'],
    settings: { name: 'Shop', url: 'https://shop.example.com/' },
    first: page(200, 'Welcome'),
    then: page(503, 'Back soon'),
    grouped: true,
  },
  {
    type: 'ssl',
    shows: ['ssl_expiring', 'ssl_changed'],
    settings: { name: 'Shop certificate', host: 'shop.example.com', alert_on_change: true },
    first: certificate(ENDING),
    then: certificate(RENEWED),
    days: true,
  },
  {
    type: 'domain',
    shows: ['domain_expiring', 'domain_expired'],
    settings: { name: 'Shop domain', domain: 'example.com' },
    first: registry('2026-05-05T21:00:00Z'),
    then: registry('2026-05-05T21:00:00Z'),
    days: true,
  },
  {
    type: 'content',
    shows: ['content_changed'],
    settings: { name: 'Price list', url: 'https://shop.example.com/prices' },
    first: page(200, '<p>Tea 4.20</p>'),
    then: page(200, '<p>Tea 4.40</p>'),
  },
  {
    type: 'blacklist',
    shows: ['blacklisted'],
    settings: { name: 'Mail server', target: '192.0.2.25', lists: ['bl.example.org'] },
    first: listings([]),
    then: listings(['25.2.0.192']),
    days: true,
  },
  {
    type: 'http',
    shows: ['flapping'],
    settings: {
      name: 'Shop',
      url: 'https://shop.example.com/',
      fail_threshold: 1,
      flap_detection: true,
    },
    first: page(200, 'Welcome'),
    then: flickering,
  },
  {
    type: 'http',
    shows: ['degraded', 'restored'],
    settings: {
      name: 'Shop',
      url: 'https://shop.example.com/',
      warn: { response: { above: 800 } },
    },
    first: page(200, 'Welcome'),
    then: page(200, 'Welcome', 912),
    last: page(200, 'Welcome'),
    repeats: true,
  },
]

/** RFC 5782, 5: what every list has. */
const ALWAYS_LISTED = '2.0.0.127'

/** A DNS blocklist with these entries. */
function listings(entries: readonly string[]): Scene {
  return () => ({
    dns: ({ name, type }) => {
      const listed = [ALWAYS_LISTED, ...entries].some((entry) => name === `${entry}.bl.example.org`)
      const data = type === 'A' ? '127.0.0.2' : 'sends spam, see bl.example.org'
      return Promise.resolve({
        name,
        type,
        rcode: listed ? 'NOERROR' : 'NXDOMAIN',
        authoritative: false,
        truncated: false,
        authenticated: false,
        recursion_available: true,
        records: listed ? [{ name, type, value: data, ttl: 300 }] : [],
        server: '192.0.2.53:53',
        transport: 'udp',
        attempts: [],
      } as never)
    },
  })
}

/** A registry that tells over RDAP when the registration ends. */
function registry(expires_at: string): Scene {
  const answers: Readonly<Record<string, unknown>> = {
    '/rdap/dns.json': { services: [[['com'], ['https://rdap.example.net/']]] },
    '/domain/example.com': {
      objectClassName: 'domain',
      ldhName: 'example.com',
      status: ['active'],
      events: [
        { eventAction: 'registration', eventDate: '2016-05-05T21:00:00Z' },
        { eventAction: 'expiration', eventDate: expires_at },
      ],
      entities: [
        {
          objectClassName: 'entity',
          roles: ['registrar'],
          vcardArray: ['vcard', [['fn', {}, 'text', 'Example Registrar']]],
        },
      ],
    },
  }
  return () => ({
    http: ({ url }) => {
      const answer = answers[new URL(url).pathname]
      const status = answer === undefined ? 404 : 200
      return Promise.resolve(exchange(url, status, JSON.stringify(answer ?? {})))
    },
  })
}

/** A server that shows this certificate. */
function certificate(pem: string): Scene {
  const x509 = new X509Certificate(pem)
  const socket = { getPeerX509Certificate: () => x509 }
  return () => ({
    connect: ({ port }) =>
      Promise.resolve({
        remote: { address: '192.0.2.10', family: 4, port },
        attempts: [],
        socket,
        end: () => Promise.resolve(),
        tls: {
          protocol: 'TLSv1.3',
          cipher: 'TLS_AES_256_GCM_SHA384',
          alpn: 'h2',
          authorized: true,
          not_after: x509.validTo,
        },
      } as never),
  })
}

/** Fails in one minute of three. */
function flickering(clock: Clock): Partial<Net> {
  const broken = Math.floor(clock.now() / 60_000) % 3 === 0
  return broken ? page(503, 'Back soon')(clock) : page(200, 'Welcome')(clock)
}

function page(status: number, text: string, took_ms = 124): Scene {
  return (clock) => ({
    async http({ url }, readerFor) {
      await clock.sleep(took_ms)
      const reader = readerFor?.(status)
      for (const _step of reader?.take(text) ?? []);
      for (const _step of reader?.end({ bytes: text.length, whole: true }) ?? []);
      return exchange(url, status, text)
    },
  })
}

function exchange(url: string, status: number, text: string): HttpExchange {
  const body = Buffer.from(text)
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    http_version: '1.1',
    hops: [
      {
        url,
        status,
        remote_ip: '192.0.2.10',
        resolve_ms: 4.1,
        connect_ms: 11.8,
        tls_ms: 24.6,
        first_byte_ms: 81.2,
        transfer_ms: 2.3,
      },
    ],
    final_url: url,
    body,
    elapsed_ms: 143,
    decoded_bytes: body.length,
    body_cut: false,
    body_bytes: body.length,
    tls: null,
    text: () => text,
    *textSteps() {
      yield
      return text
    },
  }
}
