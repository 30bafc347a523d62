/** `watchpost export` and `watchpost import watchpost`: a whole account from one data file to another. */

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const KEY = 'a-key-of-the-operator'
/** Contacts inside, which a server may be allowed to tell. */
const INSIDE = { WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32' }
const QUIET = {
  ...{ LOG_LEVEL: 'warn', WATCHPOST_API_KEY: KEY, WATCHPOST_MANAGE_CONTACTS: 'true' },
  ...INSIDE,
}
const EXPORT_KEY = Buffer.alloc(32, 7).toString('base64')
const PASSWORD = 'hunter2-in-the-data-file'

const TCP = { type: 'tcp', name: 'Shop', host: '127.0.0.1', port: 9, interval_sec: 3600 }
const LOGIN = {
  ...{ type: 'http', name: 'Login', url: 'http://127.0.0.1:9/', interval_sec: 3600 },
  auth: { user: 'anna', pass: PASSWORD },
}
const WINDOW = { name: 'Disks', window: { at: '22:00', duration_min: 60 }, all_monitors: true }

const CONTACT = { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/' }

/** A data file with a contact and two monitors, one with a secret, and results of one. */
async function furnished() {
  const cwd = folder()
  const server = await watchpost.serve({ cwd, env: QUIET })
  const post = (path: string, body: unknown) =>
    server.call(`/api/v1/${path}`, { key: KEY, method: 'POST', body })
  expect(await post('contacts', CONTACT)).toMatchObject({ status: 201 })
  const { body: shop } = await post('monitors', TCP)
  expect(await post('monitors', LOGIN)).toMatchObject({ status: 201 })
  expect(await post('maintenance', WINDOW)).toMatchObject({ status: 201 })
  const page = { title: 'Shop', slug: 'shop', password: PASSWORD }
  const { body: made } = await post('public-pages', page)
  const told = { title: 'Slow', text: 'We look.', page_ids: [made.public_page.id] }
  expect(await post('status-reports', told)).toMatchObject({ status: 201 })
  // Its first check, and perhaps those that confirm it.
  const path = `/api/v1/monitors/${String(shop.monitor.id)}/results`
  const results = async () => (await server.call(path, { key: KEY })).body.results as unknown[]
  await expect.poll(results, { interval: 500 }).not.toHaveLength(0)
  await server.stop()
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    watchpost.run(args, { cwd, env: { ...INSIDE, ...env } })
  return { cwd, run }
}

it('moves an account with history and secrets to another data file', async () => {
  const { cwd, run } = await furnished()
  const key = { WATCHPOST_EXPORT_KEY: EXPORT_KEY }
  const out = await run(['export', 'all.jsonl', '--history', '--tokens'], key)
  expect(out).toMatchObject({ code: 0, stderr: '' })
  expect(out.stdout).toMatch(/^all\.jsonl: \d+ lines of account 1\n$/)
  expect(statSync(join(cwd, 'all.jsonl')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(cwd, 'all.jsonl'), 'utf8')).not.toContain(PASSWORD)

  const to = ['import', 'watchpost', 'all.jsonl', '--data', 'other.db']
  const stored = (done: string) =>
    `2 monitors, 1 new contacts, 1 maintenance windows ${done}\n` +
    `1 public pages, 1 status reports ${done}\n` +
    new RegExp(String.raw`\d incidents, \d days, \d results ${done}`).source
  const dry = await run([...to, '--dry-run'], key)
  expect(dry).toMatchObject({ code: 0, stderr: '' })
  expect(dry.stdout).toMatch(new RegExp(`^${stored('would be stored')}\n$`))
  const done = await run(to, key)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(new RegExp(`^${stored('stored')}\n$`))
  const twice = await run(to, key)
  expect(twice).toMatchObject({ code: 1, stdout: '' })
  expect(twice.stderr).toContain('The account has monitors; import into one that has none')

  const server = await watchpost.serve({ cwd, env: QUIET, args: ['--data', 'other.db'] })
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are of every shape
  const get = async (path: string): Promise<any> =>
    (await server.call(`/api/v1/${path}`, { key: KEY })).body
  const { monitors } = await get('monitors')
  expect(monitors).toMatchObject([
    { name: 'Shop', tags: [] },
    { name: 'Login', tags: [] },
  ])
  const [shop, login] = monitors as [{ id: number }, { id: number; state: string }]
  expect(login.state).not.toBe('paused')
  expect((await get(`monitors/${shop.id}/results`)).results.length).toBeGreaterThan(0)
  expect((await get('maintenance')).maintenance).toMatchObject([{ name: 'Disks' }])
  const log = (await get('audit-log')).entries as { resource: string; actor: string }[]
  expect(log.filter(({ resource }) => resource === 'monitor')).toMatchObject([
    { action: 'created', actor: 'cli', resource_name: 'Login' },
    { action: 'created', actor: 'cli', resource_name: 'Shop' },
  ])
  await server.stop()
})

it('leaves secrets out without a key and history without --history, and says what is missing', async () => {
  const { cwd, run } = await furnished()
  const out = await run(['export', 'plain.jsonl'])
  expect(out.stdout).toContain('Secrets are left out; WATCHPOST_EXPORT_KEY encrypts them.')
  const text = readFileSync(join(cwd, 'plain.jsonl'), 'utf8')
  expect(text).not.toContain(PASSWORD)
  expect(text).not.toContain('{"result"')
  const done = await run([
    ...['import', 'watchpost', 'plain.jsonl', '--data', 'other.db', '--account', 'customer'],
  ])
  expect(done).toMatchObject({
    code: 0,
    stdout:
      '2 monitors, 1 new contacts, 1 maintenance windows stored\n' +
      '1 public pages, 1 status reports stored\n',
    stderr:
      'watchpost: the public page "shop" opens to nobody until it is given a password\n' +
      'watchpost: monitor 2 "Login" stays paused until it is given auth.pass\n',
  })
  const accounts = await run(['keys', 'create', '--account', 'customer', '--data', 'other.db'])
  expect(accounts.stdout).toContain('of account 2;')
})

it('refuses wrong files and wrong calls, in a line that says what is wrong', async () => {
  const { cwd, run } = await furnished()
  const key = { WATCHPOST_EXPORT_KEY: EXPORT_KEY }
  await run(['export', 'all.jsonl', '--history'], key)
  const whole = readFileSync(join(cwd, 'all.jsonl'), 'utf8')
  writeFileSync(join(cwd, 'cut.jsonl'), whole.slice(0, -20))
  writeFileSync(join(cwd, 'list.json'), '[{"pass":"hidden"}]')
  writeFileSync(join(cwd, 'empty.jsonl'), '')
  const other = { WATCHPOST_EXPORT_KEY: Buffer.alloc(32, 8).toString('base64') }
  const into = (file: string) => ['import', 'watchpost', file, '--data', 'other.db']
  const cases: [readonly string[], Readonly<Record<string, string>>, string][] = [
    [into('none.jsonl'), {}, 'none.jsonl: there is no such file'],
    [into('empty.jsonl'), {}, 'empty.jsonl: line 1: required: the file is empty'],
    [into('list.json'), {}, 'list.json: line 1: invalid: an object is expected'],
    [into('cut.jsonl'), key, 'cut.jsonl: line '],
    [
      into('all.jsonl'),
      { ...key, WATCHPOST_WEBHOOK_ALLOW: '' },
      'private_address: this address is not allowed (WATCHPOST_WEBHOOK_ALLOW opens a range)',
    ],
    [into('all.jsonl'), {}, 'it is encrypted; give the key of the export'],
    [into('all.jsonl'), other, 'it opens with another key'],
    [[...into('all.jsonl'), '--location', 'x'], key, '--location: old=new is expected'],
    [['export'], {}, 'export takes one file, which is new'],
    [['export', 'all.jsonl'], {}, 'all.jsonl: cannot be written (EEXIST)'],
    [['export', 'new.jsonl', '--tokens'], {}, '--tokens: the addresses are secrets'],
  ]
  for (const [args, env, problem] of cases) {
    const { code, stdout, stderr } = await run(args, env)
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(problem)
    expect(stderr).not.toContain('hidden')
  }
  const lost = await run(['export', 'lost.jsonl', '--data', 'none.db'])
  expect(lost).toMatchObject({ code: 1, stdout: '' })
  expect(lost.stderr).toContain('there is no data file none.db')
})
