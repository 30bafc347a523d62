import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { root } from '../../scripts/steps.mjs'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { fromBlackbox } from '../../src/importers/blackbox/index.ts'
import { fromGatus } from '../../src/importers/gatus/index.ts'
import type { Imported } from '../../src/importers/imported.ts'
import { fromKuma } from '../../src/importers/kuma/index.ts'
import { fromBetterStack } from '../../src/importers/services/better-stack.ts'
import { durationMs } from '../../src/importers/taking.ts'
import type { JsonObject } from '../../src/model.ts'
import { syncMonitors } from '../../src/monitors/index.ts'
import type { MonitorEntry } from '../../src/monitors/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

const fixture = (name: string): unknown =>
  parseYaml(readFileSync(join(root, 'test/importers/fixtures', name), 'utf8'))

const files: Readonly<Record<string, () => Imported>> = {
  'Uptime Kuma': () => fromKuma(fixture('kuma.json')),
  Gatus: () => fromGatus(fixture('gatus.yaml')),
  blackbox_exporter: () =>
    fromBlackbox({ blackbox: fixture('blackbox.yml'), prometheus: fixture('prometheus.yml') }),
}

/** An entry by its key, without what is at its default. */
function entry({ monitors }: Imported, key: string): JsonObject {
  const found = monitors.find((each) => each['key'] === key)
  if (found === undefined)
    throw new Error(`${key} is none of ${JSON.stringify(keys({ monitors }))}`)
  return found
}

const keys = ({ monitors }: Pick<Imported, 'monitors'>) => monitors.map(({ key }) => key)
const notes = ({ not_carried_over }: Imported, of: string) =>
  not_carried_over.filter((note) => note.of === of).map(({ what }) => what)

describe.each(Object.entries(files))('%s', (_, imported) => {
  it('becomes a list that an engine takes as it is', async () => {
    const engine = createEngine({
      store: memoryStore(),
      checkers: builtinCheckers({ extra: true }),
      clock: simulatedClock(),
    })
    const { monitors } = imported()
    const plan = await syncMonitors(engine, monitors as unknown as readonly MonitorEntry[])
    expect(plan.create).toHaveLength(monitors.length)
    expect(monitors.length).toBeGreaterThan(5)
  })

  it('says everything twice in the same way', () => {
    expect(imported()).toEqual(imported())
  })

  it('shows no token that is of no use here', () => {
    expect(JSON.stringify(imported())).not.toContain('not-to-be-seen')
  })
})

describe('Uptime Kuma', () => {
  const kuma = files['Uptime Kuma']?.() as Imported

  it('is carried over monitor by monitor', () => {
    expect(keys(kuma)).toEqual([
      'cafe-shop',
      'cafe-shop-certificate',
      'shop-page',
      'database-port',
      'router',
      'mail-exchanger',
      'backup',
      'mysql',
      'postgres',
      'mail',
      'api',
      'api-2',
    ])
    expect(entry(kuma, 'cafe-shop')).toEqual({
      key: 'cafe-shop',
      name: 'Café shop',
      type: 'http',
      url: 'https://shop.example/health',
      method: 'POST',
      body: '{"ping":1}',
      content_type: 'application/json',
      headers: { 'X-Team': 'web' },
      auth: { user: 'watch', pass: 's3cret' },
      expected_status: '200-299,301',
      follow_redirects: false,
      ignore_tls_errors: true,
      interval_sec: 60,
      timeout_ms: 48_000,
      fail_threshold: 3,
      notify_repeat_min: 30,
      tags: ['Customers', 'prod', 'team: web'],
    })
    // Once for both monitors of that host.
    expect(entry(kuma, 'cafe-shop-certificate')).toMatchObject({
      type: 'ssl',
      host: 'shop.example',
      port: 443,
      days_warn: [7, 14, 21],
    })
    expect(entry(kuma, 'shop-page')).toMatchObject({
      keyword_absent: '/sold out/',
      interval_sec: 10,
      timeout_ms: 9999,
      paused: true,
    })
    expect(entry(kuma, 'mail-exchanger')).toMatchObject({
      type: 'dns',
      dns_name: 'example.com',
      rrtype: 'MX',
      nameserver: '192.0.2.53:5353',
    })
    expect(entry(kuma, 'backup')).toMatchObject({
      type: 'heartbeat',
      interval_sec: 86_400,
      grace_sec: 3600,
    })
    expect(entry(kuma, 'mysql')).toMatchObject({
      host: 'db.example',
      port: 3307,
      user: 'watch',
      pass: 'p@ss',
      database: 'shop',
      query: 'SELECT 1',
    })
    expect(entry(kuma, 'postgres')).not.toHaveProperty('pass')
    expect(entry(kuma, 'mail')).toMatchObject({ type: 'smtp', port: 587, tls: 'starttls' })
    expect(entry(kuma, 'router')).toMatchObject({ fail_threshold: 20 })
  })

  it('tells what is not', () => {
    expect(notes(kuma, 'Café shop')).toEqual([
      'retryInterval of 20 s: a failure is looked at again early by itself',
      'told Team chat: make these contacts, and name them in "contacts"',
      'description has no counterpart',
      'proxyId has no counterpart',
    ])
    expect(notes(kuma, 'Shop page')).toEqual([
      'interval of 5 s became 10 s',
      'a timeout of 60000 ms became 9999 ms',
    ])
    expect(notes(kuma, 'Must stay closed')).toEqual([
      'not imported: it is upside down, which would alarm while all is well',
    ])
    expect(notes(kuma, 'Broker')).toEqual(['not imported: the type mqtt has no counterpart'])
    expect(notes(kuma, 'Customers')).toEqual([
      'not imported: a group; its members have it as a tag',
    ])
    expect(notes(kuma, 'No address')).toEqual([
      'not imported: its address is missing or cannot be read',
    ])
    expect(notes(kuma, 'API')).toEqual([
      'the condition on JSON ($.ok): only status and headers are judged',
      'aFieldOfTomorrow has no counterpart',
    ])
    expect(notes(kuma, 'Router')).toEqual(['maxretries of 50 became fail_threshold 20'])
    expect(notes(kuma, 'the file')).toEqual(['proxyList has no counterpart'])
  })
})

describe('Gatus', () => {
  const gatus = files['Gatus']?.() as Imported

  it('is carried over with its conditions', () => {
    expect(keys(gatus)).toEqual([
      'shop/front-page',
      'shop/front-page-ssl',
      'shop/front-page-domain',
      'api',
      'anything-goes',
      'redis',
      'ldaps',
      'ldaps-ssl',
      'router',
      'zone',
      'mail',
      'jobs/nightly',
    ])
    expect(entry(gatus, 'shop/front-page')).toEqual({
      key: 'shop/front-page',
      name: 'shop/Front page',
      type: 'http',
      url: 'https://shop.example/',
      method: 'GET',
      headers: { Authorization: 'Bearer ${SHOP_TOKEN}' },
      ignore_tls_errors: true,
      follow_redirects: false,
      expected_status: '200,204',
      max_response_ms: 500,
      keyword_present: '<h1>Welcome</h1>',
      json: [
        { path: '$.status', op: 'equals', value: 'UP' },
        { path: "$.data[0]['node-id']", op: 'matches', value: '^17$' },
        { path: '$.load', op: 'less', value: 0.9 },
        { path: '$.mode', op: 'not', value: 'debug' },
        { path: '$.items[*]', op: 'count', value: 3 },
        { path: '$.errors', op: 'absent' },
      ],
      interval_sec: 30,
      timeout_ms: 5000,
      fail_threshold: 5,
      recover_threshold: 2,
      notify_recovery: true,
      tags: ['shop'],
    })
    expect(entry(gatus, 'shop/front-page-ssl')).toMatchObject({
      host: 'shop.example',
      port: 443,
      days_warn: [2],
    })
    expect(entry(gatus, 'shop/front-page-domain')).toMatchObject({
      domain: 'shop.example',
      days_warn: [30],
    })
    expect(entry(gatus, 'api')).toMatchObject({
      method: 'POST',
      body: '{"query":"{ users { id } }"}',
      expected_status: '200-299',
      keyword_absent: 'error',
      fail_threshold: 4,
      recover_threshold: 1,
    })
    // Gatus judges nothing that no condition names.
    expect(entry(gatus, 'anything-goes')).toMatchObject({
      expected_status: '100-599',
      paused: true,
    })
    expect(entry(gatus, 'redis')).toMatchObject({ type: 'tcp', host: 'redis.example', port: 6379 })
    expect(entry(gatus, 'ldaps')).toMatchObject({ type: 'tcp', port: 636, tls: true })
    expect(entry(gatus, 'router')).toMatchObject({
      type: 'ping',
      host: '192.0.2.1',
      max_avg_ms: 50,
    })
    expect(entry(gatus, 'zone')).toMatchObject({
      dns_name: 'example.com',
      nameserver: '192.0.2.53',
      rrtype: 'A',
      expected: ['192.0.2.80'],
    })
    expect(entry(gatus, 'mail')).toMatchObject({
      type: 'smtp',
      host: 'mx.example',
      port: 587,
      tls: 'starttls',
    })
    expect(entry(gatus, 'jobs/nightly')).toMatchObject({ type: 'heartbeat', interval_sec: 86_400 })
  })

  it('tells what is not', () => {
    expect(notes(gatus, 'shop/Front page')).toEqual([
      'a variable of the environment stands in it as it is',
      'the condition len([BODY].items) >= 3 has no counterpart',
      'told slack: name the contacts in "contacts"',
    ])
    expect(notes(gatus, 'api')).toEqual([
      'the condition [BODY] != pat(*fatal*) has no counterpart beside another one',
      'the condition [STATUS] != 204 has no counterpart',
      'interval of 1s became 10 s',
      'told slack: name the contacts in "contacts"',
    ])
    expect(notes(gatus, 'shell')).toEqual(['not imported: ssh:// has no counterpart'])
    expect(notes(gatus, 'pushed')).toEqual([
      'not imported: an external endpoint without heartbeat.interval is never down by itself',
    ])
    expect(notes(gatus, 'slack')).toEqual([expect.stringContaining('make a contact')])
    expect(notes(gatus, 'the file')).toEqual(['maintenance has no counterpart'])
  })
})

describe('the login in an address', () => {
  const module = { prober: 'http', http: { fail_if_not_ssl: true } }
  const ofTargets = (prober: object, targets: readonly string[]): Imported =>
    fromBlackbox({
      blackbox: { modules: { m: prober } },
      prometheus: {
        scrape_configs: [
          { job_name: 'j', params: { module: ['m'] }, static_configs: [{ targets }] },
        ],
      },
    })

  it.each([
    ['http://me:hidden@a.example/x', 'a.example/x'],
    ['me:hidden@a.example', 'a.example'],
    ['https://me:hidden@a.example:8443/?q=1@2', 'a.example:8443/?q=1@2'],
    ['https://me%40home:hid@den@a.example', 'a.example'],
  ])('%s is in no name of a monitor, no key and no note', (address, name) => {
    const { monitors, not_carried_over } = ofTargets(module, [address])
    const shown = monitors.map((each) => ({ name: each['name'], key: each['key'] }))
    expect(shown[0]?.name).toBe(name)
    expect(JSON.stringify([shown, not_carried_over])).not.toMatch(/hid|den@/)
  })

  it('is in no name that Better Stack has not given', () => {
    const attributes = { monitor_type: 'status', url: 'https://me:hidden@a.example/' }
    const { monitors } = fromBetterStack({ data: [{ type: 'monitor', attributes }] })
    expect(monitors.map(({ name }) => name)).toEqual(['https://a.example/'])
  })

  it('is in no note of what could not be imported', () => {
    const noPort = ofTargets({ prober: 'tcp' }, ['me:hidden@a.example'])
    const noScheme = fromGatus({ endpoints: [{ name: 'e', url: 'me:hidden@a.example' }] })
    for (const { not_carried_over } of [noPort, noScheme]) {
      expect(not_carried_over.length).toBeGreaterThan(0)
      expect(JSON.stringify(not_carried_over)).not.toContain('hidden')
    }
  })

  it('is left out wherever an at sign is not that of a login', () => {
    const { monitors } = ofTargets(module, ['https://a.example/@me?x=y@z'])
    expect(monitors[0]?.['name']).toBe('a.example/@me?x=y@z')
  })
})

describe('blackbox_exporter', () => {
  const blackbox = files['blackbox_exporter']?.() as Imported

  it('is carried over with the targets that Prometheus gives it', () => {
    expect(keys(blackbox)).toEqual([
      'sites/shop.example/',
      'sites/blog.example',
      'login/login.example/',
      'irc/irc.example-6697',
      'shells/-2001-db8-1-22',
      'hosts/192.0.2.1',
      'names/192.0.2.53-53',
      'services/grpc.example-443',
    ])
    expect(entry(blackbox, 'sites/blog.example')).toEqual({
      key: 'sites/blog.example',
      name: 'blog.example',
      type: 'http',
      url: 'http://blog.example',
      method: 'GET',
      expected_status: '200-299',
      keyword_present_regex: 'path/to',
      keyword_absent_regex: 'Could not connect to (database|cache)',
      auth: { user: 'watch', pass: 's3cret' },
      ignore_tls_errors: true,
      ip_family: 'ipv4',
      interval_sec: 30,
      timeout_ms: 5000,
      tags: ['sites', 'team: web'],
    })
    expect(entry(blackbox, 'login/login.example/')).toMatchObject({
      method: 'POST',
      body: '{}',
      // With slashes of its own, which are none of the pattern's.
      keyword_absent_regex: '//admin//',
      expected_status: '200,401',
      follow_redirects: false,
      headers: { 'X-Team': 'web', Authorization: 'Bearer t0ken' },
      interval_sec: 10,
    })
    expect(entry(blackbox, 'irc/irc.example-6697')).toMatchObject({
      type: 'tcp',
      tls: true,
      send: 'NICK prober\\r\\n',
      banner_regex: 'PING :([^ ]+)',
    })
    expect(entry(blackbox, 'shells/-2001-db8-1-22')).toMatchObject({
      host: '2001:db8::1',
      port: 22,
      banner_regex: '^SSH-2.0-',
    })
    expect(entry(blackbox, 'names/192.0.2.53-53')).toMatchObject({
      type: 'dns',
      dns_name: 'example.com',
      rrtype: 'SOA',
      nameserver: 'tcp://192.0.2.53:53',
    })
  })

  it('tells what is not', () => {
    expect(notes(blackbox, 'sites (http_2xx)')).toEqual([
      'fail_if_body_matches_regexp: of 2 patterns the first one is judged',
      'http.tls_config.ca_file has no counterpart',
      'fail_if_not_ssl for blog.example: a redirect to https is not required',
    ])
    expect(notes(blackbox, 'login (http_post)')).toEqual([
      'an interval of 5 s became 10 s',
      'http.fail_if_header_matches has no counterpart',
    ])
    expect(notes(blackbox, 'irc (irc_banner)')).toEqual([
      'query_response: one line each way is what can be said; mail servers have types of their own',
      'not imported: irc.example has no port',
    ])
    expect(notes(blackbox, 'hosts (ping)')).toEqual(['icmp.dont_fragment has no counterpart'])
    expect(notes(blackbox, 'hosts')).toEqual(['file_sd_configs has no counterpart'])
    expect(notes(blackbox, 'lost')).toEqual(['not imported: there is no module gone'])
    expect(notes(blackbox, 'unused')).toEqual([expect.stringContaining('no target of it is known')])
  })

  it('has nothing to watch without Prometheus, and says so for every module', () => {
    const { monitors, not_carried_over } = fromBlackbox({ blackbox: fixture('blackbox.yml') })
    expect(monitors).toEqual([])
    expect(not_carried_over).toHaveLength(8)
  })
})

describe('what is something else', () => {
  it.each([null, 5, 'text', [], {}, { monitorList: 5 }, { modules: [] }, { endpoints: 'x' }])(
    '%j is told, and nothing is thrown',
    (document) => {
      for (const read of [fromKuma, fromGatus, (blackbox: unknown) => fromBlackbox({ blackbox })]) {
        expect(read(document).monitors).toEqual([])
      }
      expect(fromKuma(document).not_carried_over).toHaveLength(1)
    },
  )

  it('stays within keys and names of ours, however they are called over there', () => {
    const name = `${'ü'.repeat(300)}\u0000`
    const url = 'https://x.example/'
    const endpoints = [
      { name, url },
      { name, url },
      { name: '日本', url },
      { name: '__proto__', url },
    ]
    const { monitors } = fromGatus({ endpoints })
    expect(monitors.map(({ key }) => key)).toEqual([
      'u'.repeat(60),
      `${'u'.repeat(58)}-2`,
      'monitor',
      'proto__',
    ])
    expect(monitors.every(({ name: own }) => typeof own === 'string' && own.length <= 200)).toBe(
      true,
    )
  })
})

it('durations are read as Go and Prometheus write them', () => {
  expect(['30s', '1h30m', '500ms', '1.5m', '2d', '15'].map(durationMs)).toEqual([
    30_000, 5_400_000, 500, 90_000, 172_800_000, 15_000,
  ])
  expect(['', 'soon', '5 s', '-1s'].map(durationMs)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

describe('OAuth2 client credentials', () => {
  const oauth = {
    token_url: 'https://login.example.com/token',
    client_id: 'watch',
    client_secret: 'a secret of the client',
  }
  const url = 'https://api.example.com/'

  it('come from Uptime Kuma, as the form of the token request', () => {
    const login = {
      authMethod: 'oauth2-cc',
      oauth_token_url: oauth.token_url,
      oauth_client_id: oauth.client_id,
      oauth_client_secret: oauth.client_secret,
      oauth_scopes: 'read write',
      oauth_audience: 'api',
      oauth_auth_method: 'client_secret_post',
    }
    const monitor = { id: 1, name: 'API', type: 'http', url, interval: 60, active: true, ...login }
    const imported = fromKuma({ version: '1.23.0', monitorList: [monitor] })
    expect(imported.monitors[0]).toMatchObject({
      oauth: { ...oauth, scope: 'read write', audience: 'api', auth_method: 'client_secret_post' },
    })
    expect(imported.not_carried_over.map(({ what }) => what)).not.toContainEqual(
      expect.stringContaining('login'),
    )
  })

  it('come from Gatus', () => {
    const oauth2 = {
      'token-url': oauth.token_url,
      'client-id': oauth.client_id,
      'client-secret': oauth.client_secret,
      scopes: ['read', 'write'],
    }
    const conditions = ['[STATUS] == 200']
    const imported = fromGatus({
      endpoints: [{ name: 'API', url, client: { oauth2 }, conditions }],
    })
    expect(imported.monitors[0]).toMatchObject({ oauth: { ...oauth, scope: 'read write' } })
  })

  it('come from blackbox_exporter, with the audience among its parameters', () => {
    const oauth2 = { ...oauth, scopes: ['read'], endpoint_params: { audience: 'api' } }
    const imported = fromBlackbox({
      blackbox: { modules: { api: { prober: 'http', http: { oauth2 } } } },
      prometheus: {
        scrape_configs: [
          {
            job_name: 'api',
            metrics_path: '/probe',
            params: { module: ['api'] },
            static_configs: [{ targets: [url] }],
          },
        ],
      },
    })
    expect(imported.monitors[0]).toMatchObject({
      oauth: { ...oauth, scope: 'read', audience: 'api' },
    })
  })
})

describe('types beyond the sixteen', () => {
  const tls = { client: { insecure: true } }
  const lists: Readonly<Record<string, readonly [Imported, readonly JsonObject[]]>> = {
    'Uptime Kuma': [
      fromKuma({
        monitorList: [
          { name: 'A', type: 'redis', databaseConnectionString: 'rediss://u:p%40@r.example:6380' },
          { name: 'B', type: 'redis', databaseConnectionString: 'redis://r.example' },
          { name: 'C', type: 'websocket-upgrade', url: 'wss://w.example/', wsSubprotocol: 'a, b' },
        ],
      }),
      [
        {
          ...{ type: 'redis', host: 'r.example', port: 6380, tls: true, user: 'u', pass: 'p@' },
        },
        { type: 'redis', host: 'r.example' },
        { type: 'websocket', url: 'wss://w.example/', subprotocols: ['a', 'b'], ping: false },
      ],
    ],
    Gatus: [
      fromGatus({
        endpoints: [
          { name: 'A', url: 'ws://w.example/', conditions: ['[CONNECTED] == true'] },
          { name: 'B', url: 'wss://w.example/', body: 'hi', conditions: [], ...tls },
        ],
      }),
      [
        { type: 'websocket', url: 'ws://w.example/', ping: false },
        { type: 'websocket', send: 'hi', message_regex: '.', ignore_tls_errors: true },
      ],
    ],
    blackbox_exporter: [
      fromBlackbox({
        blackbox: { modules: { g: { prober: 'grpc', grpc: { service: 's', tls: true } } } },
        prometheus: {
          scrape_configs: [
            {
              ...{ job_name: 'j', metrics_path: '/probe', params: { module: ['g'] } },
              static_configs: [{ targets: ['g.example:443'] }],
            },
          ],
        },
      }),
      [{ type: 'grpc', service: 's', tls: true, host: 'g.example', port: 443 }],
    ],
  }

  it.each(Object.entries(lists))(
    '%s: they are carried over, and it is said',
    async (_, [list, expected]) => {
      expect(list.monitors).toMatchObject(expected)
      const told = list.not_carried_over.filter(({ what }) => what.includes('EXTRA_CHECKERS=true'))
      expect(told.length).toBeGreaterThan(0)
      const engine = createEngine({
        store: memoryStore(),
        checkers: builtinCheckers({ extra: true }),
        clock: simulatedClock(),
      })
      const plan = await syncMonitors(engine, list.monitors as unknown as readonly MonitorEntry[])
      expect(plan.create).toHaveLength(expected.length)
    },
  )
})
