import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'mysql2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { readSqlite } from '../../src/cli/import/kuma-database.ts'
import { readMariadb } from '../../src/cli/import/kuma-mariadb.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { fromKumaDatabase, KUMA_TABLES } from '../../src/importers/kuma/database.ts'
import type { KumaTables } from '../../src/importers/kuma/database.ts'
import { syncMonitors } from '../../src/monitors/sync.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { commandLine, folder } from '../support/command-line.ts'
import { packet } from '../support/hostile/mysql.ts'
import { mariadbServer, startMariadb } from '../support/servers/mariadb.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'

// Tables and columns as `db/knex_init_db.js` and `db/knex_migrations` of Uptime Kuma 2 make them.
const SCHEMA = [
  `CREATE TABLE monitor (id INTEGER PRIMARY KEY, name VARCHAR(150), active BOOLEAN NOT NULL DEFAULT 1, user_id INTEGER,
    \`interval\` INTEGER NOT NULL DEFAULT 20, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000,
    hostname VARCHAR(255), port INTEGER, keyword VARCHAR(255), maxretries INTEGER NOT NULL DEFAULT 0,
    ignore_tls BOOLEAN NOT NULL DEFAULT 0, upside_down BOOLEAN NOT NULL DEFAULT 0,
    maxredirects INTEGER NOT NULL DEFAULT 10, accepted_statuscodes_json VARCHAR(500) NOT NULL DEFAULT '["200-299"]',
    dns_resolve_type VARCHAR(5), dns_resolve_server VARCHAR(255), retry_interval INTEGER NOT NULL DEFAULT 0,
    push_token VARCHAR(32), method VARCHAR(20) NOT NULL DEFAULT 'GET', body TEXT, headers TEXT,
    basic_auth_user TEXT, basic_auth_pass TEXT, proxy_id INTEGER, expiry_notification BOOLEAN DEFAULT 1,
    database_connection_string VARCHAR(2000), database_query TEXT, auth_method VARCHAR(250),
    resend_interval INTEGER NOT NULL DEFAULT 0, packet_size INTEGER NOT NULL DEFAULT 56,
    http_body_encoding VARCHAR(25), description TEXT, parent INTEGER, invert_keyword BOOLEAN NOT NULL DEFAULT 0,
    timeout DOUBLE NOT NULL DEFAULT 0, gamedig_given_port_only BOOLEAN NOT NULL DEFAULT 1,
    ping_count INTEGER NOT NULL DEFAULT 1, ping_numeric BOOLEAN NOT NULL DEFAULT 1,
    domain_expiry_notification BOOLEAN DEFAULT 1, snmp_version VARCHAR(10) DEFAULT '2c',
    a_column_of_tomorrow INTEGER DEFAULT 7)`,
  'CREATE TABLE tag (id INTEGER PRIMARY KEY, name VARCHAR(255), color VARCHAR(255))',
  'CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT)',
  `CREATE TABLE notification (id INTEGER PRIMARY KEY, name VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1,
    user_id INTEGER, is_default BOOLEAN NOT NULL DEFAULT 0, config TEXT)`,
  'CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER, notification_id INTEGER)',
  `CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title VARCHAR(150), description TEXT, active BOOLEAN NOT NULL DEFAULT 1,
    strategy VARCHAR(50), start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME,
    weekdays VARCHAR(250), days_of_month VARCHAR(250), interval_day INTEGER, cron TEXT, timezone VARCHAR(255),
    duration INTEGER)`,
  'CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER, maintenance_id INTEGER)',
  `CREATE TABLE proxy (id INTEGER PRIMARY KEY, protocol VARCHAR(10), host VARCHAR(255), port INTEGER,
    auth BOOLEAN, username VARCHAR(255), password VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1)`,
  'CREATE TABLE setting (id INTEGER PRIMARY KEY, `key` VARCHAR(200), value TEXT, type VARCHAR(20))',
  `CREATE TABLE stat_daily (id INTEGER PRIMARY KEY, monitor_id INTEGER, timestamp INTEGER, ping FLOAT, up INTEGER,
    down INTEGER)`,
]

type Value = string | number | null
const insert = (table: string, row: Readonly<Record<string, Value>>): string => {
  const values = Object.values(row).map((value) =>
    value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`,
  )
  const names = Object.keys(row).map((name) => `\`${name}\``)
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`
}

const slack = { type: 'slack', slackwebhookURL: 'https://hooks.slack.com/services/T0/B0/x' }
const mail = {
  ...{ type: 'smtp', smtpHost: 'mx.example', smtpPort: 465, smtpSecure: true },
  ...{ smtpFrom: 'Kuma <watch@example.com>' },
  ...{ smtpTo: 'ops@example.com, Boss <boss@example.com>' },
  ...{ smtpUsername: 'watch', smtpPassword: 's3cret' },
}
const window = { strategy: 'recurring-weekday', start_time: '23:30:00', end_time: '01:00:00' }
const ROWS = [
  insert('monitor', { id: 1, name: 'Europe', type: 'group', active: 0 }),
  insert('monitor', { id: 2, name: 'Shops', type: 'group', parent: 1 }),
  insert('monitor', {
    ...{ id: 3, name: 'Shop', type: 'http', parent: 2, url: 'https://shop.example/' },
    ...{ interval: 60, maxretries: 2, retry_interval: 60, proxy_id: 1, timeout: 48 },
    ...{ accepted_statuscodes_json: '["200-299","301"]', http_body_encoding: 'json' },
  }),
  insert('monitor', {
    ...{ id: 4, name: 'Router', type: 'ping', hostname: '192.0.2.1', interval: 60 },
    ...{ expiry_notification: 0, description: "it's the way out", a_column_of_tomorrow: 8 },
  }),
  insert('monitor', { id: 5, name: 'Broker', type: 'mqtt', hostname: 'x.example' }),
  insert('tag', { id: 1, name: 'team', color: '#fff' }),
  insert('monitor_tag', { id: 1, monitor_id: 3, tag_id: 1, value: 'web' }),
  insert('notification', { id: 1, name: 'Chat', config: JSON.stringify(slack) }),
  insert('notification', { id: 2, name: 'Mail', config: JSON.stringify(mail) }),
  insert('notification', { id: 3, name: 'Bell', config: '{"type":"gotify"}' }),
  ...[1, 2, 3].map((id) =>
    insert('monitor_notification', { id, monitor_id: 3, notification_id: id }),
  ),
  insert('maintenance', { id: 1, title: 'Nights', ...window, weekdays: '[0,1]' }),
  insert('maintenance', {
    ...{ id: 2, title: 'Move', strategy: 'single', timezone: 'Europe/Berlin' },
    ...{ start_date: '2026-07-01 22:00:00', end_date: '2026-07-02 02:00:00' },
  }),
  insert('maintenance', { id: 3, title: 'By hand', strategy: 'manual' }),
  insert('maintenance', {
    ...{ id: 4, title: 'Weekends', strategy: 'cron', timezone: 'Europe/Berlin' },
    ...{ cron: '0 22 * * 6', duration: 7200 },
  }),
  insert('maintenance', {
    id: 5,
    title: 'Often',
    strategy: 'cron',
    cron: '*/5 * * * *',
    duration: 60,
  }),
  insert('maintenance', {
    ...{ id: 6, title: 'Last year', strategy: 'single', timezone: 'UTC' },
    ...{ start_date: '2025-07-01 22:00:00', end_date: '2025-07-02 02:00:00' },
  }),
  ...[1, 2, 3, 4, 5, 6].map((id) =>
    insert('monitor_maintenance', { id, monitor_id: 4, maintenance_id: id }),
  ),
  insert('proxy', {
    ...{ id: 1, protocol: 'socks5h', host: 'proxy.example', port: 1080 },
    ...{ auth: 1, username: 'kuma', password: 'secret' },
  }),
  insert('setting', { id: 1, key: 'serverTimezone', value: '"Asia/Tokyo"', type: 'general' }),
  insert('stat_daily', {
    id: 1,
    monitor_id: 3,
    timestamp: 1_777_852_800,
    ping: 120.5,
    up: 1438,
    down: 2,
  }),
]

async function kumaFile(): Promise<string> {
  const file = join(folder(), 'kuma.db')
  const handle = (await loadDriver()).open(file)
  for (const sql of [...SCHEMA, ...ROWS]) handle.exec(sql)
  handle.close()
  return file
}

const now = Date.UTC(2026, 4, 4)
const asked = { now, contacts: true, history: true }

const none = Object.fromEntries(KUMA_TABLES.map((name) => [name, []])) as unknown as KumaTables

it('goes past a proxy that is switched off or belongs to no request, and names a protocol left out', () => {
  const row = { id: 1, type: 'http', url: 'https://shop.example/' }
  const imported = fromKumaDatabase({
    ...asked,
    defaults: {},
    tables: {
      ...none,
      monitor: [
        { ...row, name: 'Off', proxy_id: 1 },
        { ...row, name: 'Old', proxy_id: 2 },
        { ...row, name: 'Ping', type: 'ping', hostname: 'router.example', proxy_id: 3 },
      ],
      proxy: [
        { id: 1, protocol: 'http', host: 'a.example', port: 3128, active: 0 },
        { id: 2, protocol: 'socks4', host: 'b.example', port: 1080, active: 1 },
        { id: 3, protocol: 'http', host: 'c.example', port: 3128, active: 1 },
      ],
    },
  })
  for (const monitor of imported.monitors) expect(monitor).not.toHaveProperty('proxy')
  expect(imported.not_carried_over).toEqual([
    { of: 'Old', what: 'the proxy socks4://b.example:1080: checks do not speak this protocol' },
  ])
})

it('reads addresses as mail programs write them', () => {
  const config = JSON.stringify({
    ...mail,
    smtpFrom: '"Kuma, at night" <watch@example.com>',
    smtpTo: '"Boss; or deputy" <boss@example.com>,ops@example.com,',
  })
  const { contacts } = fromKumaDatabase({
    ...asked,
    defaults: {},
    tables: { ...none, notification: [{ id: 1, name: 'Mail', config }] },
  })
  expect(contacts).toMatchObject([
    { from: 'watch@example.com', to: ['boss@example.com', 'ops@example.com'] },
  ])
})

it('leaves out days that no calendar has', () => {
  const monitor = [{ id: 1, name: 'Shop', type: 'http', url: 'https://shop.example/' }]
  const times = [1e300, -1e15, 253_402_300_800, 'soon', 1_767_225_600]
  const stat_daily = times.map((timestamp) => ({ monitor_id: 1, timestamp, up: 1, down: 0 }))
  const imported = fromKumaDatabase({
    ...asked,
    defaults: {},
    tables: { ...none, monitor, stat_daily },
  })
  expect(imported.history).toMatchObject({ shop: [{ day: '2026-01-01' }] })
})

it('names groups as tags, the nearest first, however many there are in one another', () => {
  const monitor = Array.from({ length: 20_000 }, (_, id) => ({
    ...{ id, name: `M${id}`, type: 'ping', hostname: 'a.example', parent: id + 1 },
  }))
  const { monitors, not_carried_over } = fromKumaDatabase({
    ...{ ...asked, defaults: {} },
    tables: { ...none, monitor },
  })
  expect(monitors).toHaveLength(20_000)
  expect(monitors[0]?.['tags']).toEqual(Array.from({ length: 20 }, (_, at) => `M${at + 1}`))
  expect(not_carried_over[0]).toEqual({
    of: 'M0',
    what: 'it is in more than 20 groups, one in the other: the nearest ones became tags',
  })
})

const notes = (imported: ReturnType<typeof fromKumaDatabase>, of: string) =>
  imported.not_carried_over.filter((note) => note.of === of).map(({ what }) => what)

function expectAll(imported: ReturnType<typeof fromKumaDatabase>): void {
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'shop', name: 'Shop', type: 'http', url: 'https://shop.example/', method: 'GET' },
      ...{ interval_sec: 60, fail_threshold: 3, timeout_ms: 48_000, paused: true },
      expected_status: '200-299,301',
      tags: ['Shops', 'team: web', 'Europe'],
      contacts: ['Chat', 'Mail'],
      proxy: 'socks5://proxy.example:1080',
      proxy_auth: { user: 'kuma', pass: 'secret' },
    },
    {
      ...{ key: 'shop-certificate', name: 'Shop certificate', type: 'ssl', port: 443 },
      ...{ host: 'shop.example', days_warn: [7, 14, 21], tags: ['Shops', 'team: web'] },
    },
    {
      ...{ key: 'router', name: 'Router', type: 'ping', host: '192.0.2.1', tags: [] },
      ...{ interval_sec: 60, fail_threshold: 1 },
      maintenance: [
        { at: '23:30', duration_min: 90, time_zone: 'Asia/Tokyo', weekdays: ['sun', 'mon'] },
        { start: '2026-07-01T20:00:00.000Z', end: '2026-07-02T00:00:00.000Z' },
        { cron: '0 22 * * 6', duration_min: 120, time_zone: 'Europe/Berlin' },
      ],
    },
  ])
  expect(imported.contacts).toEqual([
    { kind: 'slack', name: 'Chat', url: slack.slackwebhookURL },
    {
      ...{ kind: 'email', name: 'Mail', host: 'mx.example', port: 465, tls: 'implicit' },
      ...{ from: 'watch@example.com', to: ['ops@example.com', 'boss@example.com'] },
      ...{ user: 'watch', pass: 's3cret' },
    },
  ])
  expect(imported.history).toMatchObject({
    shop: [{ day: '2026-05-04', up: 1438, down: 2, ping_ms: 120.5 }],
    router: [],
  })
  expect(notes(imported, 'Shop')).toEqual([
    'told Bell: make these contacts, and name them in "contacts"',
  ])
  expect(notes(imported, 'Mail')).toEqual(['"Kuma", the name of the sender, has no counterpart'])
  expect(notes(imported, 'Router')).toEqual([
    'description has no counterpart',
    'aColumnOfTomorrow has no counterpart',
  ])
  expect(notes(imported, 'Broker')).toEqual(['not imported: the type mqtt has no counterpart'])
  expect(notes(imported, 'Bell')).toEqual([
    'not imported: a notification of the type gotify has no counterpart',
  ])
  expect(notes(imported, 'By hand')).toEqual([
    'manual maintenance is left out: pause the monitors, or give them a window',
  ])
  expect(notes(imported, 'Often')).toEqual([
    'the window by cron "*/5 * * * *" is left out: it opens more than once in an hour',
  ])
  expect(notes(imported, 'Last year')).toEqual(['a window that ended on 2025-07-02 is left out'])
}

describe('the database of Uptime Kuma 2', () => {
  it('is carried over: monitors, tags, groups, contacts, maintenance, days', async () => {
    const imported = fromKumaDatabase({ ...(await readSqlite(await kumaFile())), ...asked })
    expectAll(imported)
    const engine = createEngine({
      ...{ store: memoryStore(), checkers: builtinCheckers(), contacts: builtinContacts() },
      clock: simulatedClock({ now }),
    })
    for (const contact of imported.contacts ?? []) await engine.contacts.create(contact as never)
    const plan = await syncMonitors(engine, imported.monitors as never)
    expect(plan.create).toHaveLength(3)
  })

  it.runIf(process.platform !== 'win32')(
    'is copied to where nothing stays of it if the command is killed while it reads',
    async () => {
      const file = await kumaFile()
      const place = folder()
      vi.stubEnv('TMPDIR', place)
      onTestFinished(() => void vi.unstubAllEnvs())
      const end = new AbortController()
      const reading = readSqlite(file).finally(() => end.abort())
      const seen = new Set<string>()
      while (!end.signal.aborted) {
        // Between two queries it lets others run.
        for (let n = 0; n < 20; n++) {
          for (const own of readdirSync(place)) seen.add(readdirSync(join(place, own)).join())
          await Promise.resolve()
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await reading).tables.monitor.length).toBeGreaterThan(0)
      // The lock of a driver is an empty folder.
      expect([...seen].at(-1)).toMatch(/^(?:kuma\.db\.lock)?$/)
      expect(readdirSync(place)).toEqual([])
    },
  )

  it('is read by the command, which writes contacts and days for nobody else to read', async () => {
    const file = await kumaFile()
    const before = readFileSync(file)
    const cwd = folder()
    const flags = ['--contacts', 'contacts.json', '--history', 'history.json']
    const { code, stdout, stderr } = await watchpost.run(['import', 'kuma', file, ...flags], {
      cwd,
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ monitors: [{ contacts: ['Chat', 'Mail'] }, {}, {}] })
    expect(JSON.parse(readFileSync(join(cwd, 'contacts.json'), 'utf8'))).toHaveLength(2)
    expect(statSync(join(cwd, 'contacts.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cwd, 'history.json'), 'utf8')).toContain('"day": "2026-05-04"')
    expect(stderr).toContain('By hand: manual maintenance is left out')
    expect(readFileSync(file)).toEqual(before)
    // A second time they are there already.
    const again = await watchpost.run(['import', 'kuma', file, ...flags], { cwd })
    expect(again.code).toBe(64)
  })

  it('is read with what only its log has, also through a link', async () => {
    const file = await kumaFile()
    const handle = (await loadDriver()).open(file)
    onTestFinished(() => handle.close())
    handle.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL')
    handle.exec("INSERT INTO monitor (id, name) VALUES (99, 'Only in the log')")
    const link = join(folder(), 'linked.db')
    symlinkSync(file, link)
    for (const path of [file, link]) {
      const { monitor } = (await readSqlite(path)).tables
      expect(monitor.map(({ name }) => name)).toContain('Only in the log')
    }
  })

  it.each([
    // A few bytes in the file, and of any size when they are read.
    `CREATE TABLE monitor (id INTEGER, name TEXT GENERATED ALWAYS AS (hex(zeroblob(id))) VIRTUAL)`,
    `CREATE TABLE monitor (id INTEGER, name TEXT GENERATED ALWAYS AS (hex(zeroblob(id))) STORED)`,
    'CREATE VIRTUAL TABLE monitor USING fts5(id, name)',
    `CREATE VIEW monitor AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c LIMIT 9)
     SELECT id, 'm' AS name FROM c`,
  ])('has no values that its file computes: %s', async (sql) => {
    const file = join(folder(), 'kuma.db')
    const handle = (await loadDriver()).open(file)
    const links = SCHEMA.filter((each) => each.startsWith('CREATE TABLE monitor_notification'))
    for (const each of [sql, ...links]) handle.exec(each)
    if (sql.startsWith('CREATE TABLE')) handle.exec('INSERT INTO monitor (id) VALUES (9)')
    handle.close()
    await expect(readSqlite(file)).rejects.toThrow('is no database of Uptime Kuma')
  })

  it('has no name that begins a line of its own on a terminal', async () => {
    const file = join(folder(), 'backup.json')
    const name = 'Shop\nwatchpost: 9 monitors, 0 notes'
    writeFileSync(file, JSON.stringify({ monitorList: [{ name, type: 'mqtt' }] }))
    const { stderr } = await watchpost.run(['import', 'kuma', file])
    expect(stderr.trimEnd().split('\n')).toEqual([
      'watchpost: Shop watchpost: 9 monitors, 0 notes: not imported: the type mqtt has no counterpart',
      'watchpost: 0 monitors, 1 notes',
    ])
  })

  it('has its address in a variable, which no message repeats', async () => {
    const ask = (env: Record<string, string>) =>
      watchpost.run(['import', 'kuma', 'env:KUMA_URL'], { env: { KUMA_URL: '', ...env } })
    for (const KUMA_URL of ['', 'postgres://u:hunter2@h/kuma']) {
      const { code, stderr } = await ask({ KUMA_URL })
      expect({ code, stderr }).toEqual({
        code: 64,
        stderr: 'watchpost: env:KUMA_URL: the variable is not set to mariadb://…\n',
      })
    }
    const refused = {
      'mariadb://u:hunter2@127.0.0.1:1/kuma': '127.0.0.1:1: cannot be read (ECONNREFUSED)',
      'mariadb://u:hunter2@:bad:/kuma':
        'mariadb://user:password@host:3306/database is expected, special characters percent-encoded',
    }
    for (const [KUMA_URL, problem] of Object.entries(refused))
      expect(await ask({ KUMA_URL })).toMatchObject({ code: 64, stderr: `watchpost: ${problem}\n` })
  })

  it('in a MariaDB that answers no query is given up', async () => {
    const url = await hostileMariadb(() => undefined)
    const asked = readMariadb(url, { ...LIMITS, query_ms: 200 })
    await expect(asked).rejects.toThrow(/cannot be read \(PROTOCOL_SEQUENCE_TIMEOUT\)/)
  })

  it.each<[string, (connection: Talking) => void, RegExp]>([
    ['rows', sends((connection) => connection.writeTextRow(['a'])), /more than 1000 rows\)/],
    [
      'long rows',
      sends((connection) => connection.writeTextRow(['a'.repeat(100_000)])),
      /more than 1048576 bytes\)/,
    ],
    [
      'columns',
      ({ stream }) => {
        // 65,535 of them, which are never all there.
        stream.write(packet(1, Buffer.of(0xfc, 0xff, 0xff)))
        let number = 2
        endlessly(stream, () => stream.write(packet(number++ & 0xff, COLUMN)))
      },
      /more than 1048576 bytes\)/,
    ],
    [
      'parts of one row',
      (connection) => {
        const { stream } = connection
        connection.writeColumns([column('name')])
        stream.write(packet(4, Buffer.from('fe', 'hex'), 0xff_ffff))
        endlessly(stream, () => stream.write(Buffer.alloc(10_000, 'a')))
      },
      /more than 1048576 bytes\)/,
    ],
  ])('in a MariaDB that sends %s without end is given up', async (_, send, problem) => {
    const url = await hostileMariadb(send)
    // No time limit decides: the size does.
    const reading = readMariadb(url, { ...LIMITS, query_ms: 600_000 })
    await expect(reading).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(problem) as string,
    })
    await expect(reading).rejects.not.toThrow('hunter2')
  })

  it('in a MariaDB that hangs up is told at once', async () => {
    const url = await hostileMariadb(({ stream }) => void stream.destroy())
    const reading = readMariadb(url, { ...LIMITS, query_ms: 600_000 })
    await expect(reading).rejects.toThrow(/cannot be read \(PROTOCOL_CONNECTION_LOST\)/)
  })

  it('in a MariaDB may send as many rows as may be', async () => {
    let queries = 0
    const url = await hostileMariadb((connection) => {
      queries += 1
      connection.writeColumns([column('name')])
      const tables = ['monitor', 'monitor_notification']
      const names = queries === 1 ? tables : queries === 2 ? Array<string>(998).fill('x') : []
      for (const name of names) connection.writeTextRow([name])
      connection.writeEof()
    })
    const { tables } = await readMariadb(url, LIMITS)
    expect(tables.monitor).toHaveLength(998)
  })

  it.each([
    ['gatus', 'https://u:hunter2@git.example/config.yaml'],
    ['uptimerobot', 'https://api.example/monitors?key=hunter2'],
  ])('is read from no address, and %s repeats none: %s', async (tool, address) => {
    const { code, stderr } = await watchpost.run(['import', tool, address])
    const problem = 'a file is expected, and this is an address'
    expect({ code, stderr }).toEqual({ code: 64, stderr: `watchpost: ${problem}\n` })
  })

  it('is told from another file', async () => {
    const place = folder()
    writeFileSync(join(place, 'other.db'), 'SQLite format 3\0 and no more')
    mkdirSync(join(place, 'folder.db'))
    for (const name of ['other.db', 'folder.db', 'none.db'])
      await expect(readSqlite(join(place, name))).rejects.toThrow(name)
  })
})

/** The side of the server, which the types of mysql2 leave out. */
const LIMITS = { query_ms: 60_000, rows: 1000, bytes: 1024 * 1024 }

/** A connection of mysql2 as a server. */
interface Talking {
  readonly stream: Socket
  on(event: 'error' | 'query', then: () => void): void
  serverHandshake(options: typeof HANDSHAKE): void
  writeColumns(columns: readonly object[]): void
  writeTextRow(values: readonly string[]): void
  writeEof(): void
}

/** Lets everybody in; its address. */
async function hostileMariadb(onQuery: (connection: Talking) => void): Promise<string> {
  const server = createServer((connection) => {
    const talking = connection as unknown as Talking
    talking.on('error', () => undefined)
    talking.on('query', () => onQuery(talking))
    talking.serverHandshake(HANDSHAKE)
  })
  const { _server: inner } = server as unknown as { readonly _server: Server }
  inner.listen(0, '127.0.0.1')
  onTestFinished(() => void inner.close())
  await once(inner, 'listening')
  const { port } = inner.address() as AddressInfo
  return `mariadb://u:hunter2@127.0.0.1:${port}/kuma`
}

/** As fast as the client reads, until it has gone. */
function endlessly(stream: Socket, send: () => void): void {
  const go = (): void => {
    if (stream.destroyed) return
    for (let n = 0; n < 500 && stream.writableLength < 4 * 1024 * 1024; n++) send()
    setImmediate(go)
  }
  go()
}

const sends =
  (send: (connection: Talking) => void) =>
  (connection: Talking): void => {
    connection.writeColumns([column('name')])
    endlessly(connection.stream, () => send(connection))
  }

/** The definition of a column with a name of 10 KB. */
const COLUMN = Buffer.concat([
  ...['def', '', '', ''].map((text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)])),
  ...[Buffer.of(0xfc, 0x10, 0x27), Buffer.alloc(10_000, 'a'), Buffer.of(0)],
  Buffer.of(0x0c, 45, 0, 100, 0, 0, 0, 253, 0, 0, 0, 0, 0),
])

const column = (name: string): object => ({
  ...{ catalog: 'def', schema: 'kuma', table: 't', orgTable: 't', name, orgName: name },
  ...{ characterSet: 45, columnLength: 100, columnType: 253, flags: 0, decimals: 0 },
})

const HANDSHAKE = {
  ...{ protocolVersion: 10, serverVersion: '10.11.0-MariaDB', connectionId: 1 },
  ...{ statusFlags: 2, characterSet: 45, capabilityFlags: 0x00ff_f7df },
}

const watchpost = commandLine()

describeWithServer(mariadbServer, 'the database of Uptime Kuma 2 in MariaDB', () => {
  it('is the same', async () => {
    const statements = ['CREATE DATABASE kuma', 'USE kuma', ...SCHEMA, ...ROWS]
    const sql = statements.map((statement) => statement.replaceAll(/\s+/g, ' '))
    const { ports } = await forThisTest(startMariadb({ sql }))
    const url = `mariadb://u:secret@127.0.0.1:${ports.mysql}/kuma`
    expectAll(fromKumaDatabase({ ...(await readMariadb(url)), ...asked }))
    const wrong = readMariadb(url.replace('u:secret', 'u:a-wrong-one'))
    await expect(wrong).rejects.toThrow(/cannot be read \(ER_ACCESS_DENIED/)
    await expect(readMariadb(url.replace('/kuma', '/app'))).rejects.toThrow('no database of Uptime')
  })
})
