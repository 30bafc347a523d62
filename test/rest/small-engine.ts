/**
 * An engine in a few lines: enough of the interface to see what REST makes of it, nothing checked or
 * sent. Stands in until tests can be run on `createEngine` with the memory store.
 */

import { NotFoundError, ConflictError, ValidationError } from '../../src/errors.ts'
import type { AccountScope, Engine, SignalInput, TypeView } from '../../src/engine/api.ts'
import type {
  IncidentView,
  MonitorSummary,
  MonitorView,
  NotificationView,
  ResultView,
} from '../../src/engine/views.ts'
import { describe as rows } from '../../src/fields/describe.ts'
import { parse } from '../../src/fields/parse.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { JsonObject } from '../../src/model.ts'

const at = '2026-01-01T00:00:00.000Z'

const common = {
  name: field.text({ description: 'Name' }).required(),
  interval_sec: field
    .integer({ description: 'Seconds between checks', min: 10, max: 86_400 })
    .default(60),
  tags: field
    .list(field.text({ description: 'Tag' }), { description: 'Tags', max: 50 })
    .default([]),
}
const tables = new Map([
  [
    'tcp',
    {
      title: 'TCP port',
      common,
      fields: {
        host: field.host({ description: 'Host' }).required(),
        port: field.port({ description: 'Port' }).required(),
        pass: field.secret({ description: 'Password' }),
      },
    },
  ],
  [
    'heartbeat',
    {
      title: 'Heartbeat',
      common,
      fields: {
        grace_sec: field.integer({ description: 'Grace', min: 0, max: 86_400 }).default(60),
      },
    },
  ],
])

type Stored = JsonObject & {
  id: number
  account_id: number
  version: number
  state: MonitorSummary['state']
}

export interface SmallEngine {
  readonly engine: Engine
  readonly signals: SignalInput[]
  /** How often a monitor was made, checked, paused, …: what idempotency is about. */
  readonly calls: string[]
  /** Set to make every store access fail with it. */
  failure: Error | undefined
}

export function smallEngine(): SmallEngine {
  const monitors = new Map<number, Stored>()
  const replies = new Map<string, { request_hash: string; status: number; body: string }>()
  const keys = new Map<string, number>([
    ['key-of-one', 1],
    ['key-of-two', 2],
  ])
  const small: SmallEngine = {
    engine: undefined as never,
    signals: [],
    calls: [],
    failure: undefined,
  }
  let last_id = 0

  const settingsOf = (type: unknown, input: JsonObject): JsonObject => {
    const table = typeof type === 'string' ? tables.get(type) : undefined
    if (table === undefined)
      throw new ValidationError({ type: type === undefined ? 'required' : 'invalid' })
    const parsed = parse({ ...table.common, ...table.fields }, input)
    if (!parsed.ok) throw new ValidationError(parsed.fields)
    return parsed.value as JsonObject
  }

  const scope = (account_id: number): AccountScope => {
    const find = (id: number): Stored => {
      if (small.failure !== undefined) throw small.failure
      const monitor = monitors.get(id)
      if (monitor?.account_id !== account_id) throw new NotFoundError('monitor')
      return monitor
    }
    const store = (id: number, version: number | undefined, change: JsonObject): Stored => {
      const monitor = find(id)
      if (version !== undefined && version !== monitor.version)
        throw new ConflictError('version_mismatch', 'Another version')
      const next = { ...monitor, ...change } as Stored
      monitors.set(id, next)
      return next
    }
    const incident: IncidentView = {
      id: 5,
      monitor: { id: 1, name: 'a', type: 'tcp', target: 'a:1' },
      state: 'open',
      started_at: at,
      detected_at: at,
      ended_at: null,
      duration_sec: 3,
      cause_code: 'refused',
      cause_text: 'Refused',
      causes: [{ at, cause_code: 'refused', cause_text: 'Refused' }],
      locations_failed: [1],
      closed_reason: null,
    }
    const notification: NotificationView = {
      id: 9,
      event: 'test',
      monitor_id: null,
      incident_id: null,
      contact_id: 3,
      status: 'sent',
      error: null,
      repeat: 0,
      created_at: at,
      sent_at: at,
      next_attempt_at: null,
      finished_at: at,
      attempts: [{ at, duration_ms: 4, http_status: 200, error: null, answer: 'ok' }],
    }
    const only = <T extends { id: number }>(item: T, id: number, what: string): T => {
      if (item.id !== id) throw new NotFoundError(what)
      return item
    }
    return {
      account_id,
      monitors: {
        async create(input) {
          if (small.failure !== undefined) throw small.failure
          const { type, ...rest } = input as unknown as JsonObject
          const settings = settingsOf(type, rest)
          small.calls.push('create')
          await Promise.resolve()
          const id = ++last_id
          const token =
            type === 'heartbeat'
              ? { token: `token-${id}`, ping_url: `http://localhost/hb/token-${id}` }
              : {}
          const monitor = {
            ...settings,
            ...token,
            id,
            type,
            account_id,
            version: 1,
            state: 'pending',
          } as unknown as Stored
          monitors.set(id, monitor)
          return viewOf(monitor)
        },
        async list(filter = {}) {
          if (small.failure !== undefined) throw small.failure
          const all = [...monitors.values()].filter(
            (monitor) =>
              monitor.account_id === account_id &&
              monitor.id > (filter.after ?? 0) &&
              (filter.type?.includes(String(monitor['type'])) ?? true) &&
              (filter.status?.includes(monitor.state) ?? true) &&
              (filter.tag?.every((any) =>
                any.some((tag) => (monitor['tags'] as string[]).includes(tag)),
              ) ??
                true) &&
              String(monitor['name']).includes(filter.q ?? ''),
          )
          const items = all.slice(0, filter.limit ?? 50)
          return {
            items: items.map(summaryOf),
            next: items.length < all.length ? (items.at(-1)?.id ?? null) : null,
          }
        },
        get: async (id) => viewOf(find(id)),
        async update(id, patch, options) {
          const {
            id: _id,
            account_id: _a,
            version,
            state: _s,
            type,
            token: _t,
            ping_url: _p,
            ...settings
          } = find(id)
          if ('type' in patch && patch['type'] !== type)
            throw new ValidationError({ type: 'immutable' })
          return viewOf(
            store(id, options?.version, {
              ...settingsOf(type, { ...settings, ...patch }),
              version: version + 1,
            }),
          )
        },
        async remove(id, options) {
          store(id, options?.version, {})
          monitors.delete(id)
        },
        async pause(id) {
          small.calls.push('pause')
          return summaryOf(store(id, undefined, { state: 'paused' }))
        },
        async resume(id) {
          small.calls.push('resume')
          return summaryOf(store(id, undefined, { state: 'pending' }))
        },
        async check(id) {
          small.calls.push('check')
          const monitor = find(id)
          if (monitor.state === 'paused') throw new ConflictError('paused', 'The monitor is paused')
          return { results: [resultOf(id, 1)], monitor: summaryOf(monitor) }
        },
        async queueCheck(id) {
          small.calls.push('queue')
          if (find(id).state === 'paused')
            throw new ConflictError('paused', 'The monitor is paused')
        },
        async status(id) {
          const { state } = find(id)
          return {
            state,
            status: 'unknown',
            since: at,
            last_check_at: null,
            next_check_at: null,
            stale: false,
            cause_code: null,
            cause_text: null,
            incident: null,
            locations: [],
            uptime_24h: null,
          }
        },
        async uptime(id, options) {
          find(id)
          const seconds = {
            up_sec: 86_400,
            down_sec: 0,
            paused_sec: 0,
            maintenance_sec: 0,
            unknown_sec: 0,
            incidents: 0,
          }
          const day = {
            date: '2026-01-01',
            uptime: 100,
            ...seconds,
            checks: 1440,
            avg_ms: 12.5,
            p95_ms: null,
            partial: false,
          }
          return {
            from: at,
            to: at,
            tz: 'UTC',
            overall: 100,
            ...seconds,
            days: Array.from({ length: options?.days ?? 30 }, () => day),
          }
        },
      },
      results: {
        async list(id, filter = {}) {
          find(id)
          const all = Array.from({ length: 250 }, (_, n) => resultOf(id, 250 - n)).filter(
            (result) =>
              result.id < (filter.after ?? Infinity) && (filter.verdict ?? 'ok') === result.verdict,
          )
          const items = all.slice(0, filter.limit ?? 100)
          return { items, next: items.length < all.length ? (items.at(-1)?.id ?? null) : null }
        },
      },
      incidents: {
        get: async (id) => only(incident, id, 'incident'),
        list: async (filter = {}) => ({
          items: filter.open === false ? [] : [incident],
          next: null,
        }),
      },
      contacts: {
        create: async () => Promise.reject(new NotFoundError('contact')),
        get: async () => Promise.reject(new NotFoundError('contact')),
        list: async () => [
          {
            id: 3,
            kind: 'webhook',
            name: 'Ops',
            all_monitors: true,
            settings: { url: 'https://example.com/hook', secret: '***' },
            last_delivery: { at, ok: true, error: null },
            created_at: at,
          },
        ],
        update: async () => Promise.reject(new NotFoundError('contact')),
        remove: async () => Promise.reject(new NotFoundError('contact')),
        async test(id) {
          if (id !== 3) throw new NotFoundError('contact')
          small.calls.push('test')
          return notification
        },
      },
      notifications: {
        get: async (id) => only(notification, id, 'notification'),
        list: async () => ({ items: [notification], next: null }),
        resend: async (id) => ({
          ...only(notification, id, 'notification'),
          id: 10,
          status: 'queued',
        }),
      },
      keys: {
        create: async () => Promise.reject(new NotFoundError('key')),
        list: async () => [],
        revoke: async () => undefined,
      },
    }
  }

  const types = {
    list: (): readonly TypeView[] =>
      [...tables].map(([type, { title, fields }]) => ({
        type,
        name: title,
        description: title,
        fields: rows(fields),
        causes: [{ code: 'timeout', text: 'Too slow', verdict: 'fail', phase: null }],
        measurements: [],
        events: [],
        defaults: { interval_sec: 60, timeout_ms: 10_000 },
        available: true,
      })),
    common: () => rows(common),
    tables: () => tables,
  }
  const engine: Engine = {
    ...scope(1),
    start: async () => undefined,
    open: async () => undefined,
    stop: async () => undefined,
    running: false,
    on: () => () => undefined,
    account: scope,
    accounts: {
      create: async () => ({ id: 3, name: 'three', created_at: at }),
      list: async () => [
        { id: 1, name: 'one', created_at: at },
        { id: 2, name: 'two', created_at: at },
      ],
    },
    locations: { list: async () => [{ id: 1, name: 'local', online: true }] },
    async authenticate(key) {
      if (small.failure !== undefined) throw small.failure
      const account_id = keys.get(key)
      if (account_id === undefined) return undefined
      return {
        account_id,
        key: {
          id: account_id,
          account_id,
          name: key,
          prefix: key.slice(0, 4),
          created_at: at,
          last_used_at: null,
          revoked_at: null,
        },
      }
    },
    async signal(token, signal) {
      if (small.failure !== undefined) throw small.failure
      if (![...monitors.values()].some((monitor) => monitor['token'] === token))
        throw new NotFoundError('heartbeat')
      small.signals.push(signal)
      return { state: 'up', next_expected_at: at }
    },
    types,
    replies: {
      get: async (account_id, key) => replies.get(`${account_id}:${key}`),
      put: async (account_id, key, reply) => void replies.set(`${account_id}:${key}`, reply),
    },
    health: async () => ({
      running: false,
      monitors: monitors.size,
      checks_running: 0,
      outbox_depth: 0,
      lag_ms: 0,
    }),
    [Symbol.asyncDispose]: async () => undefined,
  }
  return Object.assign(small, { engine })
}

function summaryOf(monitor: Stored): MonitorSummary {
  return {
    id: monitor.id,
    type: String(monitor['type']),
    name: String(monitor['name']),
    target: String(monitor['host'] ?? ''),
    state: monitor.state,
    status: monitor.state === 'paused' ? 'paused' : 'unknown',
    stale: false,
    interval_sec: Number(monitor['interval_sec']),
    tags: monitor['tags'] as string[],
    last_check_at: null,
    next_check_at: null,
    last_duration_ms: null,
    cause_code: null,
    open_incident_id: null,
    version: monitor.version,
    created_at: at,
    updated_at: at,
  }
}

function viewOf(monitor: Stored): MonitorView {
  const { account_id: _account, pass, ...shown } = monitor
  return {
    ...shown,
    ...(pass === undefined ? {} : { pass: '***' }),
    ...summaryOf(monitor),
    locations: [],
    counters: { fails: 0, oks: 0, inconclusive: 0 },
  } as unknown as MonitorView
}

function resultOf(monitor_id: number, id: number): ResultView {
  return {
    id,
    monitor_id,
    location_id: 1,
    round: at,
    lag_ms: 0,
    verdict: 'ok',
    cause_code: null,
    cause_text: null,
    phase: null,
    started_at: at,
    duration_ms: 12.5,
    phases: { connect_ms: 12 },
    remote_ip: '127.0.0.1',
    details: {},
  }
}
