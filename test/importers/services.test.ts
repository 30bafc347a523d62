import { expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Imported } from '../../src/importers/imported.ts'
import { fromBetterStack } from '../../src/importers/services/better-stack.ts'
import { fromHealthchecks } from '../../src/importers/services/healthchecks.ts'
import { fromUptimeRobot } from '../../src/importers/services/uptime-robot.ts'
import { syncMonitors } from '../../src/monitors/sync.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

async function taken({ monitors }: Imported): Promise<void> {
  const clock = simulatedClock()
  const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers(), clock })
  const plan = await syncMonitors(engine, monitors as never)
  expect(plan.create).toHaveLength(monitors.length)
}
const notes = ({ not_carried_over }: Imported) =>
  not_carried_over.map(({ of, what }) => `${of}: ${what}`)

it('UptimeRobot: the answer of getMonitors', async () => {
  const common = { interval: 300, timeout: 30, status: 2 }
  const imported = fromUptimeRobot({
    stat: 'ok',
    pagination: { offset: 0, limit: 50, total: 60 },
    monitors: [
      {
        ...{ id: 1, friendly_name: 'Shop', url: 'https://shop.example/', type: 2, ...common },
        ...{ keyword_type: 1, keyword_case_type: 1, keyword_value: 'sold out', http_method: 2 },
        ...{ http_username: 'u', http_password: 'p', custom_http_headers: { 'X-Team': 'web' } },
        ...{ alert_contacts: [{ id: '7', threshold: 0 }], ssl: { product: 'x' } },
      },
      { id: 2, friendly_name: 'Router', url: '192.0.2.1', type: 3, ...common, status: 0 },
      { id: 3, friendly_name: 'Mail', url: 'mx.example', type: 4, sub_type: 4, ...common },
      {
        id: 4,
        friendly_name: 'Own',
        url: 'x.example',
        type: 4,
        sub_type: 99,
        port: 8443,
        ...common,
      },
      {
        id: 5,
        friendly_name: 'Job',
        url: 'https://heartbeat.uptimerobot.com/m',
        type: 5,
        ...common,
      },
      { id: 6, friendly_name: 'Zone', url: 'example.com', type: 9, ...common },
    ],
  })
  const both = { interval_sec: 300, timeout_ms: 30_000 }
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'shop', name: 'Shop', type: 'http', url: 'https://shop.example/', method: 'GET' },
      ...{ auth: { user: 'u', pass: 'p' }, headers: { 'X-Team': 'web' }, ...both },
      keyword_absent: 'sold out',
    },
    { key: 'router', name: 'Router', type: 'ping', host: '192.0.2.1', paused: true, ...both },
    { key: 'mail', name: 'Mail', type: 'tcp', host: 'mx.example', port: 25, ...both },
    { key: 'own', name: 'Own', type: 'tcp', host: 'x.example', port: 8443, ...both },
    { key: 'job', name: 'Job', type: 'heartbeat', ...both },
  ])
  expect(notes(imported)).toEqual([
    'Shop: the keyword: upper and lower case differ here',
    'Shop: told 1 contacts: name yours in "contacts"',
    'Job: its address: the job has to call the new one (ping_url of the monitor)',
    'Zone: not imported: the type 9 has no counterpart',
    'the file: it is one page of several: import each',
  ])
  await taken(imported)
})

it('UptimeRobot: the answer of GET /v3/monitors', async () => {
  const common = {
    interval: 300,
    timeout: 30,
    status: 'UP',
    groupId: 0,
    tags: [],
    keywordCaseType: 0,
  }
  const web = { url: 'https://shop.example/', checkSSLErrors: true, followRedirections: true }
  const imported = fromUptimeRobot({
    nextLink: 'https://api.uptimerobot.com/v3/monitors?cursor=3',
    data: [
      {
        ...{ id: 1, friendlyName: 'Shop', type: 'KEYWORD', ...common, ...web, status: 'PAUSED' },
        ...{ keywordType: 'ALERT_EXISTS', keywordCaseType: 1, keywordValue: 'sold out' },
        ...{ authType: 'HTTP_BASIC', httpUsername: 'u', httpPassword: 'p', httpMethodType: 'GET' },
        ...{ successHttpResponseCodes: ['2xx', '404'], responseTimeThreshold: 800 },
        ...{ tags: [{ id: 3, name: 'web' }], groupId: 7, sslExpirationReminder: true },
        ...{ assignedAlertContacts: [{ alertContactId: 7, threshold: 0 }], psps: [{ id: 1 }] },
      },
      {
        ...{ id: 2, friendlyName: 'API', type: 'HTTP', ...common, ...web, authType: 'BEARER' },
        ...{ checkSSLErrors: false, followRedirections: false, httpPassword: 'token' },
        ...{ httpMethodType: 'POST', postValueType: 'RAW_JSON', postValueData: { a: 1 } },
        ...{ customHttpHeaders: { 'X-Num': 2 }, config: { ipVersion: 'ipv4Only' } },
      },
      {
        ...{ id: 3, friendlyName: 'Form', type: 'HTTP', ...common, ...web, authType: 'NONE' },
        ...{
          httpMethodType: 'POST',
          postValueType: 'KEY_VALUE',
          postValueData: { a: 1, b: 'x y' },
        },
      },
      { id: 4, friendlyName: 'Router', type: 'PING', url: '192.0.2.1', ...common },
      { id: 5, friendlyName: 'Own', type: 'PORT', url: 'x.example', port: 8443, ...common },
      { id: 6, friendlyName: 'Job', type: 'HEARTBEAT', ...common, gracePeriod: 60 },
      { id: 7, friendlyName: 'Zone', type: 'DNS', url: 'example.com', ...common },
    ],
  })
  const both = { interval_sec: 300, timeout_ms: 30_000 }
  const url = 'https://shop.example/'
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'shop', name: 'Shop', type: 'http', url, method: 'GET', paused: true, ...both },
      ...{ auth: { user: 'u', pass: 'p' }, expected_status: '200-299,404' },
      ...{ keyword_absent: 'sold out', warn: { response: { above: 800 } } },
      tags: ['web', 'group-7'],
    },
    {
      ...{ key: 'api', name: 'API', type: 'http', url, method: 'POST', body: '{"a":1}', ...both },
      ...{ follow_redirects: false, ignore_tls_errors: true },
      headers: { 'Content-Type': 'application/json', 'X-Num': '2', Authorization: 'Bearer token' },
    },
    {
      ...{ key: 'form', name: 'Form', type: 'http', url, method: 'POST', body: 'a=1&b=x+y' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      ...both,
    },
    { key: 'router', name: 'Router', type: 'ping', host: '192.0.2.1', ...both },
    { key: 'own', name: 'Own', type: 'tcp', host: 'x.example', port: 8443, ...both },
    { key: 'job', name: 'Job', type: 'heartbeat', interval_sec: 300, grace_sec: 60 },
  ])
  expect(notes(imported)).toEqual([
    'Shop: the keyword: upper and lower case differ here',
    'Shop: told 1 contacts: name yours in "contacts"',
    'Shop: sslExpirationReminder: make an ssl monitor',
    'Shop: the name of its group is in another answer: the group became the tag "group-7"',
    'API: config has no counterpart',
    'Job: its address: the job has to call the new one (ping_url of the monitor)',
    'Zone: not imported: the type DNS has no counterpart',
    'the file: it is one page of several: import each',
  ])
  await taken(imported)
})

it('Better Stack: the answers of monitors and heartbeats', async () => {
  const imported = fromBetterStack({
    data: [
      {
        ...{ id: '1', type: 'monitor' },
        attributes: {
          ...{ url: 'https://shop.example/', pronounceable_name: 'Shop', check_frequency: 60 },
          ...{ monitor_type: 'expected_status_code', expected_status_codes: [200, 401] },
          ...{ confirmation_period: 90, http_method: 'post', request_body: '{}', policy_id: 3 },
          ...{ request_headers: [{ id: '1', name: 'X-Team', value: 'web' }], verify_ssl: false },
          ...{ follow_redirects: true, paused_at: null, status: 'up', regions: ['eu'] },
          ...{ ssl_expiration: 14, ip_version: 'ipv4', request_timeout: 15, recovery_period: 180 },
          ...{ call: true, sms: false, email: true, push: true, critical_alert: false },
          ...{ team_wait: 180, monitor_group_id: 42, remember_cookies: false },
        },
      },
      {
        ...{ id: '2', type: 'monitor' },
        attributes: {
          url: 'mx.example',
          monitor_type: 'imap',
          request_timeout: 5000,
          port: '993,143',
          paused_at: '2026-01-01',
        },
      },
      { id: '3', type: 'monitor', attributes: { url: 'x.example', monitor_type: 'playwright' } },
      {
        ...{ id: '4', type: 'heartbeat' },
        attributes: {
          name: 'Backup',
          period: 10_800,
          grace: 300,
          url: 'https://x/',
          sort_index: 1,
        },
      },
    ],
    pagination: { next: null },
  })
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'shop', name: 'Shop', type: 'http', url: 'https://shop.example/', method: 'POST' },
      ...{ body: '{}', headers: { 'X-Team': 'web' }, ignore_tls_errors: true },
      ...{ expected_status: '200,401', interval_sec: 60, fail_threshold: 3, timeout_ms: 15_000 },
      ...{ recover_threshold: 4, tags: ['group-42'] },
    },
    {
      ...{ key: 'mx.example', name: 'mx.example', type: 'imap', host: 'mx.example', port: 993 },
      ...{ interval_sec: 180, fail_threshold: 1, timeout_ms: 5000, paused: true },
    },
    { key: 'backup', name: 'Backup', type: 'heartbeat', interval_sec: 10_800, grace_sec: 300 },
  ])
  expect(notes(imported)).toEqual([
    'Shop: the name of its group is in another answer: the group became the tag "group-42"',
    'Shop: told by an escalation policy: name your contacts',
    'Shop: told by call, email, push: name your contacts',
    'Shop: told to the whole team after 180 s: give contacts a "contact_delay"',
    'Shop: ssl_expiration: make a monitor of the type ssl',
    'Shop: remember_cookies: cookies of a redirect are always sent on',
    'Shop: regions: it is checked from all locations; name some in "locations"',
    'Shop: ip_version has no counterpart',
    'mx.example: the ports 993, 143: the first one is checked',
    'x.example: not imported: the type playwright has no counterpart',
    'Backup: its address: the job has to call the new one (ping_url of the monitor)',
  ])
  await taken(imported)
})

it('Healthchecks: the answer of checks', async () => {
  const common = { slug: 's', desc: '', n_pings: 3, status: 'up', started: false, methods: '' }
  const imported = fromHealthchecks({
    checks: [
      { ...common, name: 'Backup', tags: 'prod db', timeout: 86_400, grace: 3600, channels: 'a,b' },
      { ...common, name: 'Nightly', tags: '', schedule: '5 4 * * *', tz: 'Europe/Riga', grace: 60 },
      { ...common, name: 'Systemd', schedule: '*-*-* 01:00:00', tz: 'UTC', grace: 60 },
      { ...common, name: 'Old', status: 'paused', timeout: 60, grace: 60, methods: 'POST' },
    ],
  })
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'backup', name: 'Backup', type: 'heartbeat', interval_sec: 86_400 },
      ...{ grace_sec: 3600, tags: ['prod', 'db'] },
    },
    {
      ...{ key: 'nightly', name: 'Nightly', type: 'heartbeat', cron: '5 4 * * *' },
      ...{ time_zone: 'Europe/Riga', grace_sec: 60 },
    },
    { key: 'old', name: 'Old', type: 'heartbeat', interval_sec: 60, grace_sec: 60, paused: true },
  ])
  expect(notes(imported)).toContain('Backup: told 2 integrations: name your contacts in "contacts"')
  expect(notes(imported)).toContain(
    'Systemd: not imported: the schedule "*-*-* 01:00:00" is no cron expression of five fields',
  )
  expect(notes(imported)).toContain('Old: methods has no counterpart')
  await taken(imported)
})

// The members are those of the services' own documentation: Better Stack's "List all existing monitors"
// (https://betterstack.com/docs/uptime/api/list-all-existing-monitors) and the Management API of Healthchecks
// (templates/docs/api.md of github.com/healthchecks/healthchecks), with a read-only key as well.
it('answers with every documented member are read, whatever is not set', () => {
  const attributes = {
    ...{ url: 'https://a.example', pronounceable_name: 'Home', monitor_type: 'keyword' },
    ...{ monitor_group_id: '12', last_checked_at: '2026-01-01T00:00:00.000Z', status: 'up' },
    ...{ policy_id: null, team_name: 'Team', required_keyword: 'Welcome', verify_ssl: true },
    ...{ check_frequency: 30, call: true, sms: true, email: true, push: true, team_wait: null },
    ...{ http_method: 'get', request_timeout: 15, recovery_period: 0, request_body: '' },
    ...{ request_headers: [{ id: '1', name: 'Accept', value: 'text/html' }], paused_at: null },
    ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
    ...{ ssl_expiration: 7, domain_expiration: 14, regions: ['us', 'eu'], port: null },
    ...{ maintenance_from: '01:00:00', maintenance_to: '02:00:00', maintenance_days: ['mon'] },
    ...{ maintenance_timezone: 'Amsterdam', confirmation_period: 120, expected_status_codes: [] },
  }
  const data = [{ id: '2', type: 'monitor', attributes }]
  expect(fromBetterStack({ data, pagination: {} }).monitors).toEqual([
    {
      ...{ key: 'home', name: 'Home', type: 'http', url: 'https://a.example', method: 'GET' },
      ...{ headers: { Accept: 'text/html' }, keyword_present: 'Welcome' },
      ...{ interval_sec: 30, timeout_ms: 15_000, fail_threshold: 5, tags: ['group-12'] },
    },
  ])
  const check = {
    ...{ name: 'Backup', slug: 'backup', tags: 'prod fs', desc: 'hourly', grace: 600, n_pings: 1 },
    ...{ status: 'up', last_ping: '2026-01-01T00:00:00+00:00', next_ping: null },
    ...{ manual_resume: false, methods: '', success_kw: 'OK', failure_kw: '' },
    ...{ filter_subject: true, filter_body: false, unique_key: 'a6c7', timeout: 3600 },
  }
  const paused = { ...data[0], attributes: { ...attributes, paused: true } }
  expect(fromBetterStack({ data: [paused] }).monitors).toMatchObject([{ paused: true }])
  const imported = fromHealthchecks({ checks: [check] })
  expect(imported.monitors).toEqual([
    {
      ...{ key: 'backup', name: 'Backup', type: 'heartbeat', interval_sec: 3600, grace_sec: 600 },
      tags: ['prod', 'fs'],
    },
  ])
})

it('UptimeRobot: numbers come as numbers, as texts, empty or not at all', () => {
  const common = { friendly_name: 'a', url: 'mx.example', interval: 300, status: 2 }
  const unset = { keyword_type: '', keyword_value: '', http_username: '', http_password: '' }
  const read = (own: object) => fromUptimeRobot({ monitors: [{ ...common, ...unset, ...own }] })
  for (const sub_type of [4, '4'])
    expect(read({ id: 1, type: 4, sub_type, port: '' }).monitors).toMatchObject([{ port: 25 }])
  const keyword = { id: 2, type: 2, url: 'https://a.example', keyword_value: 'sold out' }
  expect(read({ ...keyword, keyword_type: '1' }).monitors).toMatchObject([
    { keyword_absent: 'sold out' },
  ])
  const ssl = { brand: 'x', product: 'y', expires: 1, ignore_errors: 1 }
  expect(read({ ...keyword, ssl })).toMatchObject({
    monitors: [{ ignore_tls_errors: true }],
    not_carried_over: [],
  })
  expect(read({ ...keyword, keyword_type: 2, sub_type: null }).monitors).toMatchObject([
    { keyword_present: 'sold out' },
  ])
})

it.each([fromUptimeRobot, fromBetterStack, fromHealthchecks])('another file is told', (read) => {
  for (const document of [null, 5, [], {}, { monitors: 5 }, { data: 'x' }]) {
    expect(read(document).monitors).toEqual([])
    expect(read(document).not_carried_over).toHaveLength(1)
  }
})

it('a hostile file takes no longer than its size', () => {
  const same = Array.from({ length: 20_000 }, () => ({ friendly_name: 'a', type: 5 }))
  const { monitors } = fromUptimeRobot({ monitors: same })
  expect(monitors.slice(0, 3).map(({ key }) => key)).toEqual(['a', 'a-2', 'a-3'])
  expect(new Set(monitors.map(({ key }) => key)).size).toBe(20_000)
  const deep = JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) as unknown
  expect(notes(fromUptimeRobot({ monitors: [{ friendly_name: 'a', type: 5, deep }] }))).toContain(
    'a: deep has no counterpart',
  )
})
