import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { parsePage } from '../package/markdown.ts'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { freePorts } from '../support/servers/ports.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { buildPackage } from './build.ts'
import type { Build } from './build.ts'
import { bodyOf, SECRET, signed, startReceiver } from './receivers.ts'
import type { Sent } from './receivers.ts'

// The examples as a user runs them: by node, against a build of their own.

/** Against what hangs: beside much other work a browser takes a minute. */
const LIMIT_MS = 170_000
const files = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
  // A folder is an app, with a program that tries it.
  (name) => /^[^/\\]+\.mjs$|[/\\]try\.mjs$/.test(name),
)
const receivers = files.filter((name) => name.startsWith('webhook-receiver-'))
/** They need servers of their own. */
const served = ['fleet.mjs', 'postgres.mjs']
/** It needs the browser of the machine. */
const BROWSING = 'browser-check.mjs'
const programs = files.filter((name) => ![...receivers, ...served, BROWSING].includes(name))
let build: Build

/** What examples/accounts.mjs prints. */
const TWO_ACCOUNTS = [
  'tell the people of account 2: shop a is down',
  'ann creates: 201',
  'one too many: 409',
  'bob may only look: 403',
  'a stranger: 401',
  'ann sees 1 over REST, and one on the page',
  'bob sees 0 over REST, none on the page',
  'audit log: user:ann created Shop',
  'after the removal: gone',
]

/** What examples/status-page-subscribers.mjs prints; two mails of one report go at the same time. */
const SUBSCRIBERS = [
  'ann@example.com: Shop: Payments fail (report created)',
  'ann@example.com: Shop: Payments fail (report resolved)',
  'bob@example.com: Shop: Payments fail (report created)',
  'bob@example.com: Shop: Payments fail (report resolved)',
]

beforeAll(async () => {
  build = await buildPackage()
  cpSync(join(root, 'examples'), join(build.folder, 'examples'), { recursive: true })
})

afterAll(() => build.remove())

describe('the example', () => {
  it.concurrent.each(programs)('%s runs', { timeout: 2 * LIMIT_MS }, async (name) => {
    const { code, output, address } = await runExample(name)
    if (address !== undefined) expect(output).toContain(address)
    expect({ code, output }).toEqual({ code: 0, output })
    expect(output).not.toBe('')
    if (name === 'status-page-subscribers.mjs')
      expect(output.trimEnd().split('\n').toSorted()).toEqual(SUBSCRIBERS)
    if (name === 'accounts.mjs') expect(output.trimEnd().split('\n')).toEqual(TWO_ACCOUNTS)
  })
})

describeWithServer([postgresServer, redisServer], 'the example with servers', () => {
  it('fleet.mjs and postgres.mjs share one database, and say what they see', async () => {
    const { ports } = await forThisTest(startPostgres({ auth: 'trust' }))
    const redis = await forThisTest(startRedis())
    const env = {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${ports.postgres}/app`,
      REDIS_URL: `redis://127.0.0.1:${redis.ports.redis}`,
    }
    const [fleet, postgres] = await Promise.all(served.map((name) => runExample(name, env)))
    expect(fleet).toMatchObject({
      code: 0,
      output:
        'asked of the first engine: up, from location 1\n' +
        'asked of the second engine: up, from location 1\n',
    })
    expect(postgres?.code).toBe(0)
    expect(postgres?.output.trimEnd().split('\n').sort()).toEqual([
      'asked of the second engine: up',
      'second tells: Shop is down',
      'without the first engine: down',
    ])
  })
})

describeWithServer(chromiumBrowser, 'the example with a browser', () => {
  it('sees what a script has made, and what a script has broken', async () => {
    expect(await runExample(BROWSING)).toMatchObject({
      code: 0,
      output:
        'ok 200\n' +
        'fail browser_script_errors 1\n' +
        'fail browser_element_missing render\n' +
        'fail browser_page_failed load\n',
    })
  })
})

describe('the program of README', () => {
  it('prints what README says, as it stands there', { timeout: 2 * LIMIT_MS }, async () => {
    const page = parsePage('README.md', readFileSync(join(root, 'README.md'), 'utf8'))
    const [program] = page.blocks.filter(({ language }) => language === 'js')
    const [said] = page.blocks.filter(({ text }) => text.startsWith('$ node first-alert.mjs'))
    const { hook, shop } = await freePorts(['hook', 'shop'])
    const ported = (text = '') => text.replaceAll('4000', `${hook}`).replaceAll('4001', `${shop}`)
    const file = join(build.folder, 'first-alert.mjs')
    writeFileSync(file, ported(program?.text))
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      if (output.includes('verified')) child.kill('SIGKILL')
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    await endOf(child)
    clearTimeout(timer)
    expect(`$ node first-alert.mjs\n${output.trimEnd()}`).toBe(ported(said?.text))
  })
})

describe('the receiver', () => {
  it('is there for every framework that the page has a recipe for', () => {
    const names = ['express', 'fastify', 'hono', 'nextjs', 'node', 'workers']
    expect(receivers.sort()).toEqual(names.map((name) => `webhook-receiver-${name}.mjs`))
  })

  it.concurrent.each(receivers)('%s takes what is genuine, once', async (name) => {
    const receiver = await startReceiver(build, name)
    const genuine = bodyOf({ id: 7 })
    // A byte that is no UTF-8 inside the name: whoever hashes text instead of bytes refuses it, and takes
    // the third for it, which is what becomes of it as text.
    const broken = Buffer.from(bodyOf({ id: 8 }))
    broken[broken.indexOf('Gr')] = 0xff
    const asText = Buffer.from(broken.toString('utf8'))
    const sent: readonly (readonly [string, Sent, number])[] = [
      ['genuine', signed(genuine), 204],
      ['the same again', signed(genuine), 204],
      ['not UTF-8', signed(broken), 204],
      ['its text with its signature', { ...signed(broken), body: asText }, 401],
      ['another secret', signed(bodyOf({ id: 9 }), 'wrong'), 401],
      ['a changed body', { ...signed(genuine), body: bodyOf({ id: 10 }) }, 401],
      ['no signature', { body: genuine }, 401],
      ['an hour old', signed(bodyOf({ id: 11, age_sec: 3600 })), 401],
      ['an hour ahead', signed(bodyOf({ id: 12, age_sec: -3600 })), 401],
      ['nothing', { body: new Uint8Array() }, 401],
      ['nothing, signed', signed(new Uint8Array()), 401],
    ]
    const answered: unknown[] = []
    for (const [what, one] of sent) answered.push([what, await receiver.send(one)])
    const read = await receiver.send({ body: genuine, method: 'GET' })
    const large = await receiver.send({ body: new Uint8Array(2 * 1024 * 1024) })
    const last = await receiver.send(signed(bodyOf({ id: 13 })))
    const output = await receiver.stopAfter('down Größe 13')

    expect(answered).toEqual(sent.map(([what, , status]) => [what, status]))
    expect([401, 404, 405]).toContain(read)
    expect([401, 413, 'cut']).toContain(large)
    expect(last).toBe(204)
    expect(output.match(/^down .*$/gm)?.map((line) => line.trim())).toEqual([
      'down Größe 7',
      'down \ufffdröße 8',
      'down Größe 13',
    ])
    expect(output).not.toContain(SECRET)
  })
})

interface Ending {
  /** 0 for one that listens: it was stopped by us, and said where it listens. */
  readonly code: number | null
  readonly output: string
  readonly address: string | undefined
}

/** Runs until it ends by itself, or until it says where it listens; there it is asked for something, and stopped. */
async function runExample(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const child = spawn(process.execPath, [join(build.folder, 'examples', name)], {
    cwd: build.folder,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      WATCHPOST_DATA: join(build.folder, `${name.replace(/\W/g, '-')}.db`),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let address: string | undefined
  const listening = new Promise<string>((resolve) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
      const found = /https?:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(output)?.[0]
      if (found !== undefined && /listen/i.test(output)) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const ended = endOf(child)
  const first = await Promise.race([ended, listening])
  if (typeof first === 'string') {
    address = first
    expect((await fetch(address)).status).toBeLessThan(500)
    child.kill('SIGTERM')
  }
  const { code, signal } = await ended
  clearTimeout(timer)
  return { code: address !== undefined && signal === 'SIGTERM' ? 0 : code, output, address }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
}
