/** The services of the demonstration, and what happened to them. Names and addresses are for documentation (RFC 2606, RFC 5737). */

import type { JsonObject, Phase } from '../../src/model.ts'

export interface Service {
  readonly name: string
  readonly input: JsonObject & { readonly type: string }
  /** Typical milliseconds from the nearest location. */
  readonly phases: Readonly<Record<string, number>>
  readonly ip?: string
  /** Of the whole check, where its phases do not make it up. */
  readonly duration_ms?: number
  details?(now: number): JsonObject
}

export interface Outage {
  readonly name: string
  readonly ago_days: number
  /** `null`: it goes on. */
  readonly minutes: number | null
  readonly cause:
    | 'paused'
    | {
        readonly code: string
        readonly text: string
        readonly phase: Phase | null
        readonly ms?: number
        readonly details?: JsonObject
      }
}

const DAY = 86_400_000
const END_OF_CERTIFICATE = Date.UTC(2026, 3, 28, 9, 12, 0)

function web(bytes: number): (now: number) => JsonObject {
  return () => ({
    status: 200,
    http_version: '1.1',
    body_bytes: bytes,
    content_type: 'text/html; charset=utf-8',
    tls: {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      alpn: 'http/1.1',
      authorized: true,
      not_after: new Date(END_OF_CERTIFICATE).toISOString(),
    },
  })
}

const HTTPS = { resolve_ms: 9, connect_ms: 14, tls_ms: 22, first_byte_ms: 64, transfer_ms: 11 }

export const services: readonly Service[] = [
  {
    name: 'Storefront',
    input: {
      type: 'http',
      url: 'https://fjord.example/',
      tags: ['shop', 'public'],
      confirm_locations: 2,
    },
    phases: HTTPS,
    ip: '203.0.113.20',
    details: web(48_211),
  },
  {
    name: 'Checkout API',
    input: {
      type: 'http',
      url: 'https://api.fjord.example/checkout/health',
      tags: ['api', 'public'],
      confirm_locations: 2,
    },
    phases: { ...HTTPS, first_byte_ms: 118 },
    ip: '203.0.113.21',
    details: web(412),
  },
  {
    name: 'Search',
    input: { type: 'http', url: 'https://search.fjord.example/health', tags: ['api', 'public'] },
    phases: { ...HTTPS, first_byte_ms: 46 },
    ip: '203.0.113.22',
    details: web(388),
  },
  {
    name: 'Image CDN',
    input: { type: 'http', url: 'https://img.fjord.example/probe.webp', tags: ['shop', 'public'] },
    phases: { ...HTTPS, first_byte_ms: 21, transfer_ms: 18 },
    ip: '198.51.100.7',
    details: web(90_120),
  },
  {
    name: 'fjord.example certificate',
    input: { type: 'ssl', host: 'fjord.example', tags: ['shop'] },
    phases: { resolve_ms: 8, connect_ms: 15, tls_ms: 31 },
    ip: '203.0.113.20',
    details: (now) => ({
      subject: 'CN=fjord.example',
      names: ['DNS:fjord.example', 'DNS:www.fjord.example', 'DNS:api.fjord.example'],
      issuer: 'C=XX, O=Example Trust Services, CN=Example CA R3',
      protocol: 'TLSv1.3',
      not_before: new Date(END_OF_CERTIFICATE - 90 * DAY).toISOString(),
      not_after: new Date(END_OF_CERTIFICATE).toISOString(),
      days_left: Math.floor((END_OF_CERTIFICATE - now) / DAY),
    }),
  },
  {
    name: 'fjord.example registration',
    input: { type: 'domain', domain: 'fjord.example' },
    phases: { query_ms: 190 },
    details: () => ({
      domain: 'fjord.example',
      registrar: 'Example Registrar AB',
      created_at: '2014-06-02T08:00:00.000Z',
      expires_at: '2026-03-21T08:00:00.000Z',
      nameservers: ['ns1.fjord.example', 'ns2.fjord.example'],
      statuses: ['clientTransferProhibited'],
      source: 'rdap',
    }),
  },
  {
    name: 'Orders database',
    input: {
      type: 'postgres',
      host: 'db.fjord.example',
      user: 'watch',
      pass: 'not-shown',
      database: 'orders',
      query: 'select 1',
      tags: ['data'],
    },
    phases: { resolve_ms: 2, connect_ms: 3, tls_ms: 9, auth_ms: 11, query_ms: 4 },
    ip: '203.0.113.40',
    details: () => ({ server_version: '17.4', rows: 1 }),
  },
  {
    name: 'Outgoing mail',
    input: { type: 'smtp', host: 'mail.fjord.example', port: 587, tags: ['mail'] },
    phases: { resolve_ms: 7, connect_ms: 16, greeting_ms: 41, starttls_ms: 38 },
    ip: '203.0.113.60',
    details: () => ({ banner: '220 mail.fjord.example ESMTP ready', starttls: true }),
  },
  {
    name: 'Nightly backup',
    input: { type: 'heartbeat', grace_sec: 7200, tags: ['data'] },
    phases: {},
  },
  {
    name: 'Warehouse link',
    input: { type: 'ping', host: '192.0.2.44', tags: ['network'] },
    phases: {},
    duration_ms: 4060,
    ip: '192.0.2.44',
    details: (now) => ({
      sent: 5,
      received: 5,
      loss_pct: 0,
      rtt_avg_ms: Math.round(243 + 18 * Math.sin(now / 7e6)) / 10,
      jitter_ms: 1.8,
    }),
  },
  {
    name: 'App server',
    input: { type: 'resources', url: 'https://app1.fjord.example/resources', tags: ['network'] },
    phases: { ...HTTPS, first_byte_ms: 12, transfer_ms: 2 },
    ip: '203.0.113.31',
    details: () => ({ cpu_pct: 34.2, ram_pct: 61.8, disk_pct: 72.4, load: 1.9, cores: 8 }),
  },
  {
    name: 'Staging',
    input: { type: 'http', url: 'https://staging.fjord.example/' },
    phases: HTTPS,
    details: web(48_100),
  },
]

const BAD_GATEWAY: Outage['cause'] = {
  code: 'http_status',
  text: 'Got status 502, expected 200-299',
  phase: 'first_byte',
  details: { status: 502 },
}
const TIMEOUT: Outage['cause'] = {
  code: 'http_response_timeout',
  text: 'The request was not answered within 10 s',
  phase: 'first_byte',
  ms: 10_000,
}
const REFUSED: Outage['cause'] = {
  code: 'connect_refused',
  text: 'mail.fjord.example:587 refused the connection',
  phase: 'connect',
}
const LOSS: Outage['cause'] = {
  code: 'ping_no_reply',
  text: 'No reply from 192.0.2.44 to 5 packets',
  phase: null,
  ms: 10_000,
}
const UNAVAILABLE: Outage['cause'] = {
  code: 'http_status',
  text: 'Got status 503, expected 200-299',
  phase: 'first_byte',
  details: { status: 503 },
}

export const outages: readonly Outage[] = [
  { name: 'Warehouse link', ago_days: 81.3, minutes: 340, cause: LOSS },
  { name: 'Checkout API', ago_days: 70.62, minutes: 26, cause: TIMEOUT },
  { name: 'Outgoing mail', ago_days: 62.4, minutes: 95, cause: REFUSED },
  { name: 'Image CDN', ago_days: 55.1, minutes: 12, cause: BAD_GATEWAY },
  { name: 'Warehouse link', ago_days: 44.9, minutes: 18, cause: LOSS },
  { name: 'Storefront', ago_days: 38.72, minutes: 7, cause: BAD_GATEWAY },
  { name: 'Checkout API', ago_days: 33.41, minutes: 54, cause: BAD_GATEWAY },
  { name: 'Staging', ago_days: 20.5, minutes: null, cause: 'paused' },
  { name: 'Search', ago_days: 17.2, minutes: 9, cause: TIMEOUT },
  { name: 'Warehouse link', ago_days: 11.6, minutes: 41, cause: LOSS },
  { name: 'Checkout API', ago_days: 6.35, minutes: 13, cause: TIMEOUT },
  { name: 'Checkout API', ago_days: 0.18, minutes: 8, cause: BAD_GATEWAY },
  { name: 'Image CDN', ago_days: 0.0215, minutes: null, cause: UNAVAILABLE },
]
