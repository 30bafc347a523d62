/** A browser without pictures: cookies, forms and redirects, over `fetch` of the page alone. */

import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { createPage } from '../../src/page/index.ts'
import type { StatusPage, StatusPageOptions } from '../../src/page/index.ts'
import type { ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'

export const KEY = 'key-of-account-one'
export const OTHER_KEY = 'key-of-account-two'
export const ORIGIN = 'http://watch.test'

export interface Site {
  readonly engine: Engine
  readonly clock: SimulatedClock
  readonly page: StatusPage
  /** The second account. */
  readonly other: ReturnType<Engine['account']>
  /** Hosts that fail, and what for. */
  readonly failing: Map<string, string>
  /** Names of contacts whose receiver refuses everything. */
  readonly refusing: Set<string>
  create(host: string, more?: Record<string, unknown>): Promise<number>
  visitor(): Visitor
}

export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  text(path: string): Promise<string>
  /** A form as a page of ours sends it, unless other headers are given. */
  post(
    path: string,
    fields?: Record<string, string> | Blob,
    headers?: Record<string, string>,
  ): Promise<Response>
  signIn(key?: string): Promise<Response>
  readonly cookies: Map<string, string>
}

export async function site(
  options: StatusPageOptions = {},
  {
    probes,
    checkers = [],
    locations,
    store = (clock) => memoryStore({ clock }),
  }: {
    readonly probes?: (clock: SimulatedClock) => ProbeTransport
    /** Beside those that every site has. */
    readonly checkers?: readonly AnyChecker[]
    readonly locations?: readonly string[]
    readonly store?: (clock: SimulatedClock) => FullStore
  } = {},
): Promise<Site> {
  const clock = simulatedClock()
  const failing = new Map<string, string>()
  const refusing = new Set<string>()
  const engine: Engine = createEngine({
    clock,
    store: store(clock),
    checkers: [scripted(failing), heartbeat(), ...checkers],
    contacts: [silent(refusing)],
    ...(locations === undefined ? {} : { locations }),
    ...(probes === undefined ? {} : { probes: probes(clock) }),
  })
  await engine.open()
  await engine.keys.create({ name: 'one', key: KEY })
  const { id } = await engine.accounts.create({ name: 'second' })
  const other = engine.account(id)
  await other.keys.create({ name: 'two', key: OTHER_KEY })
  await engine.start()
  const page = createPage(engine, { clock, ...options })
  return {
    engine,
    clock,
    page,
    other,
    failing,
    refusing,
    async create(host, more = {}) {
      const input = { type: 'scripted', host, name: host, ...more }
      const { id } = await engine.monitors.create(input)
      await clock.settle()
      return id
    },
    visitor: () => visitor(page),
  }
}

export function visitor(page: StatusPage): Visitor {
  const cookies = new Map<string, string>()
  async function go(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    if (jar !== '') headers.set('Cookie', jar)
    const response = await page.fetch(new Request(ORIGIN + path, { ...init, headers }))
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (cookie.includes('Max-Age=0;')) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const visit: Visitor = {
    cookies,
    get: (path, headers = {}) => go(path, { headers }),
    async text(path) {
      return (await go(path, {})).text()
    },
    post: (path, fields = {}, headers = { 'Sec-Fetch-Site': 'same-origin' }) =>
      go(path, {
        method: 'POST',
        body: fields instanceof Blob ? fields : new URLSearchParams(fields),
        headers,
      }),
    signIn: (key = KEY) => visit.post('/sign-in', { key }),
  }
  return visit
}

function scripted(failing: ReadonlyMap<string, string>) {
  return defineChecker({
    type: 'scripted',
    title: 'Scripted',
    description: 'Does as the test says',
    fields: {
      host: field.text({ description: 'Target' }).required(),
      password: field.secret({ description: 'A secret' }),
    },
    causes: { broken: { text: 'It is broken', phase: 'connect' } },
    measurements: { ends_at: 'When it ends', said: 'What it said', nested: 'More' },
    highlights: {
      ends_at: { title: 'Licence ends', format: 'end' },
      'nested.level': { title: 'Level', format: 'percent' },
      said: { title: 'Greeting' },
    },
    target: ({ host }) => host,
    async run(ctx, { host }) {
      const cause = failing.get(host)
      ctx.measure({
        ends_at: '2026-01-10T00:00:00.000Z',
        nested: { level: 12.34 },
        said: `from ${host}`,
      })
      await ctx.phase('connect', () => ctx.clock.sleep(20, ctx.signal))
      return cause === undefined ? up() : down('broken', cause)
    },
  })
}

function silent(refusing: ReadonlySet<string>) {
  return defineContactKind({
    kind: 'silent',
    title: 'Silent',
    fields: { to: field.text({ description: 'Name' }).required() },
    policy: () => undefined,
    check: () => Promise.resolve({}),
    deliver: (_ctx, { to }) => {
      const end = { answer: null, duration_ms: 5, retry_after_ms: null }
      return Promise.resolve(
        refusing.has(to)
          ? { ...end, class: 'failed', http_status: 410, error: 'http_410' }
          : { ...end, class: 'delivered', http_status: 202, error: null },
      )
    },
  })
}
