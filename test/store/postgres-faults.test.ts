import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import pg from 'pg'
import { build } from 'tsup'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { PostgresStoreOptions } from '../../src/store/postgres/index.ts'
import type { Change, FullStore } from '../../src/store/store.ts'
import {
  claim,
  firstAccount,
  incident,
  machine,
  monitor,
  notice,
  on,
  queue,
  result,
} from '../../src/testing/store-suite/case.ts'
import { commitCutter } from '../support/commit-cutter.ts'
import { waitedOnMachine_ms, withDeadline } from '../support/deadlines.ts'
import { tcpProxy } from '../support/proxy.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

const MONITORS = 8
/** Longer than any of the faults lasts on a busy machine, so that every call has to come through. */
const PATIENT = { retryMs: 300_000, connectTimeoutMs: 2000 }

describeWithServer(postgresServer, 'the store in PostgreSQL, when things break', () => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  const urlOf = (port = server.ports.postgres) => `postgres://postgres@127.0.0.1:${port}/app`
  const freshSchema = () => `fault_${++schemas}`

  async function opened(options: PostgresStoreOptions = {}): Promise<FullStore> {
    const store = postgresStore({ url: urlOf(), ...options })
    onTestFinished(() => store.close())
    await store.open()
    await firstAccount(store)
    return store
  }

  /** Somebody else on the database. */
  async function admin(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: urlOf(), application_name: 'admin' })
    client.on('error', () => {})
    onTestFinished(() => client.end())
    await client.connect()
    return client
  }

  test('an immediate restart loses no acknowledged commit, halves none and repeats none', async () => {
    const store = await opened({ schema: freshSchema(), ...PATIENT })
    const work = startCommitting(store)
    for (let restart = 0; restart < 3; restart++) {
      await work.until(8 + restart * 8)
      server.signal('SIGQUIT')
      await server.restart()
    }
    await work.until(32)
    const acknowledged = await work.end()
    await checkGroups(store, acknowledged)
  })

  test('connections that are ended all the time lose, halve and repeat nothing', async () => {
    const schema = freshSchema()
    const stores = [
      await opened({ schema, ...PATIENT, connections: 4 }),
      await opened({ schema, ...PATIENT, connections: 4 }),
    ] as const
    const rows = new Set<number>()
    for (let index = 0; index < 40; index++) {
      rows.add((await queue(stores[0], { contact_id: index % 6 })).id)
    }
    const work = startCommitting(stores[0])
    await work.until(1)
    const sent: number[] = []
    const killer = startEnding(await admin(), () => work.done() + sent.length)
    await Promise.all(stores.map((store) => sendAll(store, rows, sent)))
    await work.until(40)
    const ended = await killer.end()
    const acknowledged = await work.end()

    expect(ended).toBeGreaterThan(10)
    await checkGroups(stores[0], acknowledged)
    // Each row was claimed once: no attempt was lost and taken over.
    expect(sent.toSorted((a, b) => a - b)).toEqual([...rows])
    expect(await stores[0].notifications.attempts([...rows])).toHaveLength(rows.size)
    await expectConnections(await admin(), { atMost: 8 })
    await Promise.all(stores.map((store) => store.close()))
    await expectConnections(await admin(), { atMost: 0 })
  })

  test('a network that resets connections loses, halves and repeats nothing', async () => {
    const proxy = await tcpProxy(server.ports.postgres)
    const store = await opened({ url: urlOf(proxy.port), schema: freshSchema(), ...PATIENT })
    const work = startCommitting(store)
    for (let reset = 1; reset <= 15; reset++) {
      await work.until(reset)
      // Somewhere in the next group, or in its COMMIT.
      await systemClock.sleep(reset)
      proxy.set('reset')
      await systemClock.sleep(1)
      proxy.set('pass')
    }
    await checkGroups(store, await work.end())
  })

  test.each(['request', 'answer'] as const)(
    'a COMMIT whose %s is lost takes effect once, and is answered as if nothing had been',
    async (cut) => {
      const cutter = await commitCutter(server.ports.postgres)
      const store = await opened({ url: urlOf(cutter.port), schema: freshSchema() })
      const made = await store.monitors.create(monitor())
      await queue(store)
      const once = async <T>(call: () => Promise<T>): Promise<T> => {
        const before = cutter.cuts
        cutter.cutNext(cut)
        const answer = await call()
        expect(cutter.cuts).toBe(before + 1)
        return answer
      }
      const [done] = await once(() => store.commit([round(made, 1)]))
      expect(done).toMatchObject({ ok: true, revision: 2 })
      const results = await store.results.list({ monitor_id: made.id, limit: 9 })
      expect(results.map(({ id }) => id)).toEqual(done?.ok === true ? done.result_ids : [])

      await once(() => store.accounts.create({ name: 'one', created_at: 1 }))
      const ones = (await store.accounts.list()).filter(({ name }) => name === 'one')
      expect(ones).toHaveLength(1)

      const [row] = await once(() => claim(store))
      expect(row).toMatchObject({ claims: 1, interruptions: 0 })
      const end = { status: 'sent', attempts: 1, interruptions: 0, error: null, at: 1 } as const
      const finish = { id: row?.id ?? 0, claim: 1, ...end }
      expect(await once(() => store.notifications.finish(finish))).toBe(true)
      expect(await store.notifications.finish(finish)).toBe(false)
    },
  )

  test('a connection that leads nowhere is given up in time, and the next call works', async () => {
    // Each statement has that long, also those that make the tables.
    const attempt = async (limit_ms: number): Promise<void> => {
      const proxy = await tcpProxy(server.ports.postgres)
      const store = await opened({
        url: urlOf(proxy.port),
        schema: freshSchema(),
        connections: 3,
        connectTimeoutMs: limit_ms,
        statementTimeoutMs: limit_ms,
        retryMs: 0,
      })
      const made = await store.monitors.create(monitor())
      // Several connections, all of which will turn out to be dead.
      await Promise.all([1, 2, 3].map(() => store.monitors.list({ account_id: 'all', limit: 1 })))
      proxy.set('blackhole')
      const calls: readonly (() => Promise<unknown>)[] = [
        () => store.monitors.get(made.id),
        () => store.commit([on(made, { results: [result()] })]),
        () => claim(store),
        () => store.meta.set('alive', '1'),
        () => store.monitors.list({ account_id: 'all', limit: 1 }),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'storage' })
      proxy.set('pass')
      expect(await store.monitors.get(made.id)).toEqual(made)
      expect(await store.results.list({ monitor_id: made.id, limit: 9 })).toEqual([])
      await store.close()
    }
    await withDeadline(1500, attempt, waitedOnMachine_ms)
  })

  test('closing does not wait for a server that is gone', async () => {
    const proxy = await tcpProxy(server.ports.postgres)
    const store = await opened({ url: urlOf(proxy.port), schema: freshSchema() })
    await store.changes?.listen(() => undefined)
    proxy.set('blackhole')
    await store.close()
    expect(proxy.open).toBeLessThanOrEqual(2)
  })

  test('a transaction that holds a monitor ends the wait by its timeout, with a word on it', async () => {
    const schema = freshSchema()
    const patient = await opened({ schema })
    const made = await patient.monitors.create(monitor())
    const other = await admin()
    // A statement that waits for nobody has to be quicker than that.
    const attempt = async (statementTimeoutMs: number): Promise<void> => {
      const store = await opened({ schema, statementTimeoutMs })
      await other.query(`BEGIN; SELECT * FROM ${schema}.monitors FOR UPDATE`)
      try {
        await expect(store.commit([on(made, { results: [result()] })])).rejects.toMatchObject({
          code: 'storage',
          message: expect.stringContaining(
            'a statement took longer than statementTimeoutMs',
          ) as string,
        })
      } finally {
        await other.query('ROLLBACK')
      }
      expect(await store.commit([on(made, { results: [result()] })])).toMatchObject([{ ok: true }])
    }
    await withDeadline(200, attempt, waitedOnMachine_ms)
  })

  test('an engine that is stopped while it claims holds its contact only so long, and no other', async () => {
    const schema = freshSchema()
    const store = await opened({ schema })
    const held = await queue(store, { contact_id: 1 })
    const free = await queue(store, { contact_id: 2 })
    const other = await admin()
    await other.query(
      `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('"${schema}".contact', 1))`,
    )
    expect((await claim(store)).map(({ id }) => id)).toEqual([free.id])
    await other.query('ROLLBACK')
    expect((await claim(store)).map(({ id }) => id)).toEqual([held.id])
  })

  test('news that may have been missed are told as such, and those that follow are heard', async () => {
    const store = await opened({ schema: freshSchema() })
    const heard: (number | null)[] = []
    let tell: () => void = () => undefined
    const next = (count: number) =>
      new Promise<void>((resolve) => {
        tell = () => {
          if (heard.length >= count) resolve()
        }
        tell()
      })
    await store.changes?.listen((monitor_id) => {
      heard.push(monitor_id)
      tell()
    })
    const client = await admin()
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    )
    await next(1)
    expect(heard).toEqual([null])
    const made = await store.monitors.create(monitor())
    await next(2)
    expect(heard).toEqual([null, made.id])
  })

  const SECRET = 'pa$$-w0rd'
  const REFUSALS: readonly (readonly [string, () => PostgresStoreOptions, RegExp])[] = [
    [
      'a wrong password',
      () => ({
        url: `postgres://u:${encodeURIComponent(SECRET)}@127.0.0.1:${server.ports.postgres}/app`,
      }),
      /the user or the password is wrong/,
    ],
    [
      'a database that is not there',
      () => ({ url: urlOf().replace('/app', '/nowhere'), connection: { password: SECRET } }),
      /127\.0\.0\.1:\d+\/nowhere: there is no such database/,
    ],
    [
      'a server that is not there',
      () => ({ url: `postgres://u:${encodeURIComponent(SECRET)}@127.0.0.1:1/app`, retryMs: 0 }),
      /127\.0\.0\.1:1\/app: nobody answers there/,
    ],
    [
      'a user who may not make a schema',
      () => ({
        url: `postgres://u:secret@127.0.0.1:${server.ports.postgres}/app`,
        schema: 'forbidden',
      }),
      /lacks a right; it has to own the tables, or needs CREATE/,
    ],
  ]
  test.each(REFUSALS)('%s is told clearly, and never with the password', async (_, make, text) => {
    const store = postgresStore(make())
    const error: unknown = await store.open().then(
      () => undefined,
      (refusal: unknown) => refusal,
    )
    expect(error).toMatchObject({
      code: 'storage',
      message: expect.stringMatching(text) as string,
    })
    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain(SECRET)
    await expect(store.accounts.list()).rejects.toThrow(/not open/)
  })

  test('a URL that is none is refused without being repeated', () => {
    for (const url of [`mysql://u:${SECRET}@h/d`, `postgres://u:${SECRET}@h:port/d`, SECRET]) {
      const make = () => postgresStore({ url })
      expect(make).toThrow(/^url: postgres:\/\/user:password@host/)
      expect(inspect(errorOf(make), { depth: 12, showHidden: true })).not.toContain(SECRET)
    }
  })

  test('a killed process leaves every acknowledged group whole, and no part of another', async () => {
    const program = await commitForever()
    const client = await admin()
    const schema = 'watchpost'
    let kept = 0
    for (let kill = 0; kill < 20; kill++) {
      const first = kill * 100_000
      const acknowledged = await killAfter(1 + ((kill * 7) % 12), [
        program,
        urlOf(),
        '-',
        `${first}`,
      ])
      await expectConnections(client, { atMost: 0 })
      const store = await opened({ schema })
      await checkGroups(store, acknowledged, first)
      await store.close()
      kept += acknowledged.length
    }
    expect(kept).toBeGreaterThanOrEqual(20)
  })
})

function errorOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

/** A round that opens an incident and tells of it: all or nothing of it may be found. */
function round(one: Parameters<typeof on>[0], group: number): Change {
  return on(one, {
    machine: machine({ fails: group }),
    results: [result({ round: group, started_at: group })],
    daily: [{ day: '1970-01-01', ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: {} }],
    open_incident: incident({ started_at: group }),
    notify: [notice({ incident: 'opened', contact_id: 99, due_at: 2 ** 50 })],
  })
}

/** Commits group after group until it is ended; a refused or rejected one fails the test. */
function startCommitting(store: FullStore) {
  const acknowledged: number[] = []
  const stop = new AbortController()
  let tell: () => void = () => undefined
  const work = (async () => {
    const monitors = []
    for (let index = 0; index < MONITORS; index++) {
      monitors.push(await store.monitors.create(monitor()))
    }
    for (let group = 1; !stop.signal.aborted; group++) {
      const changes = monitors.map(({ id }) => round({ id, revision: group }, group))
      const done = await store.commit(changes)
      if (done.some(({ ok }) => !ok)) throw new Error(`group ${group}: ${JSON.stringify(done)}`)
      acknowledged.push(group)
      tell()
    }
  })()
  const failed = work.then(() => new Promise<never>(() => undefined))
  failed.catch(() => undefined)
  return {
    done: () => acknowledged.length,
    until: (count: number) =>
      Promise.race([
        failed,
        new Promise<void>((resolve) => {
          tell = () => {
            if (acknowledged.length >= count) resolve()
          }
          tell()
        }),
      ]),
    async end() {
      stop.abort()
      await work
      return acknowledged
    },
  }
}

/** Every group is there for all monitors or for none, once, with its incident and its notification. */
async function checkGroups(store: FullStore, acknowledged: readonly number[], first = 0) {
  const monitors = await store.monitors.list({ account_id: 'all', limit: 99 })
  expect(monitors).toHaveLength(MONITORS)
  const found = new Set<string>()
  for (const { id } of monitors) {
    const since = { monitor_id: id, from: first, limit: 1e6 }
    const groups = (await store.results.list(since)).map((one) => one.round)
    const incidents = await store.incidents.list({ account_id: 'all', ...since })
    const told = await store.notifications.list({
      account_id: 'all',
      monitor_id: id,
      limit: incidents.length,
    })
    expect(groups).toEqual(expect.arrayContaining([...acknowledged]))
    expect(new Set(groups).size).toBe(groups.length)
    expect(incidents.map(({ started_at }) => started_at)).toEqual(groups)
    expect(told.map(({ incident_id }) => incident_id)).toEqual(incidents.map((one) => one.id))
    found.add(groups.join())
  }
  expect(found.size).toBe(1)
}

/** Claims and ends rows until all have been sent by somebody. */
async function sendAll(store: FullStore, rows: ReadonlySet<number>, sent: number[]): Promise<void> {
  while (sent.length < rows.size) {
    for (const row of await claim(store, { limit: 3, per_contact: 2 })) {
      if (!rows.has(row.id)) continue
      const attempt = { at: 1, duration_ms: 1, http_status: 200, error: null, answer: null }
      const end = { status: 'sent', attempts: 1, interruptions: 0, error: null, at: 1 } as const
      const ended = await store.notifications.finish({
        id: row.id,
        claim: row.claims,
        attempt,
        ...end,
      })
      expect(ended).toBe(true)
      sent.push(row.id)
    }
  }
}

/**
 * Ends a connection of a store some milliseconds after each bit of progress, wherever the next one stands by
 * then: however slow the machine is, there is something to interrupt and something gets done.
 */
function startEnding(client: pg.Client, progress: () => number) {
  const stop = new AbortController()
  const work = (async () => {
    let ended = 0
    for (let seen = 0; !stop.signal.aborted;) {
      await systemClock.sleep(1 + systemClock.random() * 8)
      if (progress() === seen) continue
      seen = progress()
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM (
           SELECT pid FROM pg_stat_activity WHERE application_name = 'watchpost'
           ORDER BY random() LIMIT 1) AS one`,
      )
      ended += rowCount ?? 0
    }
    return ended
  })()
  work.catch(() => undefined)
  return {
    end() {
      stop.abort()
      return work
    },
  }
}

/** Backends take a moment to notice that their client is gone. */
async function expectConnections(client: pg.Client, { atMost }: { readonly atMost: number }) {
  await expect
    .poll(
      async () => {
        const { rows } = await client.query<{ count: string }>(
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'watchpost'",
        )
        return Number(rows[0]?.count)
      },
      { interval: 10 },
    )
    .toBeLessThanOrEqual(atMost)
}

/** Beside the packages that it loads. */
async function commitForever(): Promise<string> {
  const outDir = join(
    import.meta.dirname,
    '../../node_modules/.cache/watchpost-postgres',
    `${process.pid}`,
  )
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }))
  const entry = [join(import.meta.dirname, 'children/commit-forever.ts')]
  const external = ['pg']
  await build({
    entry,
    outDir,
    external,
    format: 'esm',
    target: 'es2023',
    config: false,
    silent: true,
  })
  return join(outDir, 'commit-forever.js')
}

/** Runs it until it has acknowledged so many groups, and kills it. */
async function killAfter(count: number, args: readonly string[]): Promise<number[]> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  const groups: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    groups.push(Number(line))
    if (groups.length === count) child.kill('SIGKILL')
  }
  await exit
  return groups
}
