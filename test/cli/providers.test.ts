import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { readSettings } from '../../src/cli/environment.ts'
import { checkerOptions, CHECKER_SETTINGS } from '../../src/cli/providers.ts'
import type { Outcome } from '../../src/model.ts'
import { systemClock } from '../../src/clock.ts'
import { commandLine, folder } from '../support/command-line.ts'
import { serve } from '../support/http-exchange.ts'

const watchpost = commandLine()

const LISTED = '198.51.100.3'
const CLEAN = '198.51.100.4'
const HOUR_MS = 3_600_000

/** A feed of this moment in the form of the registry's mirrors. */
function feed({ hoursOld = 0 } = {}): string {
  const at = new Date(systemClock.now() - hoursOld * HOUR_MS).toISOString()
  const stated = at.replace('T', ' ').replace(/\..*/, ' +0000')
  return `Updated: ${stated}\n${LISTED};;;authority;1;2024-01-01\n`
}

function feedFile(text = feed()): string {
  const path = join(folder(), 'dump.csv')
  writeFileSync(path, text)
  return path
}

/** Stands in for Safe Browsing: flags the one address. */
async function standIn(): Promise<{ readonly origin: string; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = await serve((request, response) => {
    asked.push(request)
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const matches = body.includes(LISTED) ? [{ threatType: 'MALWARE' }] : []
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ matches }))
    })
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { origin: server.origin, asked }
}

async function check(env: Readonly<Record<string, string>>, ...words: string[]) {
  const args = ['check', 'blacklist', 'lists=none', ...words, '--json']
  const { code, stdout, stderr } = await watchpost.run(args, { env })
  return { code, stderr, outcome: JSON.parse(stdout === '' ? 'null' : stdout) as Outcome | null }
}

const MONITOR = { type: 'blacklist', name: 'Lists', lists: 'none' }

describe('WATCHPOST_EXTRA_CHECKERS', () => {
  it.each([
    [{}, false],
    [{ WATCHPOST_EXTRA_CHECKERS: 'true' }, true],
  ])('%j: the types beyond the sixteen are there: %s', async (env, there) => {
    const settings = readSettings(CHECKER_SETTINGS, { flags: {}, env })
    const checkers = builtinCheckers(await checkerOptions(settings))
    expect(checkers.some(({ type }) => type === 'websocket')).toBe(there)
    expect(checkers.some(({ type }) => type === 'http')).toBe(true)
  })
})

describe('the registry of WATCHPOST_RKN_FEED', () => {
  it('answers for rkn in check, from a file', async () => {
    const env = { WATCHPOST_RKN_FEED: feedFile() }
    expect(await check(env, `target=${LISTED}`, 'rkn=true')).toMatchObject({
      code: 2,
      outcome: { verdict: 'fail', cause_code: 'list_rkn_listed' },
    })
    expect(await check(env, `target=${CLEAN}`, 'rkn=true')).toMatchObject({ code: 0 })
  })

  it('answers from a web address', async () => {
    const server = await serve((_, response) => response.end(feed()))
    onTestFinished(() => server[Symbol.asyncDispose]())
    const env = { WATCHPOST_RKN_FEED: `${server.origin}/dump.csv` }
    expect(await check(env, `target=${LISTED}`, 'rkn=true')).toMatchObject({ code: 2 })
  })

  it('says nothing once it is older than WATCHPOST_RKN_MAX_AGE_HOURS', async () => {
    const env = { WATCHPOST_RKN_FEED: feedFile(feed({ hoursOld: 5 })) }
    const asked = [`target=${LISTED}`, 'rkn=true']
    expect(await check({ ...env, WATCHPOST_RKN_MAX_AGE_HOURS: '6' }, ...asked)).toMatchObject({
      code: 2,
    })
    expect(await check({ ...env, WATCHPOST_RKN_MAX_AGE_HOURS: '4' }, ...asked)).toMatchObject({
      code: 3,
      outcome: { cause_code: 'probe_feed_stale', cause_text: expect.stringContaining('5 h old') },
    })
  })

  it('is aged by the file where the feed does not say when it is from', async () => {
    const path = feedFile(`${LISTED}\n`)
    const seconds = systemClock.now() / 1000 - 49 * 3600
    utimesSync(path, seconds, seconds)
    const { outcome } = await check({ WATCHPOST_RKN_FEED: path }, `target=${LISTED}`, 'rkn=true')
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_feed_stale' })
  })
})

describe('Safe Browsing of WATCHPOST_GSB_KEY', () => {
  it('answers for gsb in check, at WATCHPOST_GSB_URL', async () => {
    const { origin, asked } = await standIn()
    const env = { WATCHPOST_GSB_KEY: 'a-key-of-ours', WATCHPOST_GSB_URL: origin }
    expect(await check(env, `target=${LISTED}`, 'gsb=true')).toMatchObject({
      code: 2,
      outcome: { cause_code: 'list_gsb_flagged' },
    })
    expect(await check(env, `target=${CLEAN}`, 'gsb=true')).toMatchObject({ code: 0 })
    expect(asked.map(({ headers }) => headers['x-goog-api-key'])).toEqual([
      'a-key-of-ours',
      'a-key-of-ours',
    ])
    expect(asked[0]?.url).toBe('/v4/threatMatches:find')
  })

  it('is Web Risk with WATCHPOST_GSB_API=webrisk', async () => {
    const { origin, asked } = await standIn()
    const env = {
      WATCHPOST_GSB_KEY: 'a-key-of-ours',
      WATCHPOST_GSB_URL: origin,
      WATCHPOST_GSB_API: 'webrisk',
    }
    await check(env, `target=${CLEAN}`, 'gsb=true')
    expect(asked[0]?.url).toMatch(/^\/v1\/uris:search\?/)
  })
})

describe('serve', () => {
  it('creates and checks monitors with both providers, and says in /types that it can', async () => {
    const { origin } = await standIn()
    const server = await watchpost.serve({
      env: {
        WATCHPOST_RKN_FEED: feedFile(),
        WATCHPOST_GSB_KEY: 'a-key-of-ours',
        WATCHPOST_GSB_URL: origin,
      },
    })
    for (const [field, cause_code] of [
      ['rkn', 'list_rkn_listed'],
      ['gsb', 'list_gsb_flagged'],
    ] as const) {
      const body = { ...MONITOR, target: LISTED, [field]: true }
      const created = await server.call('/api/v1/monitors', { body })
      expect(created.status).toBe(201)
      const path = `/api/v1/monitors/${created.body.monitor.id}/check?wait=1`
      const { body: checked } = await server.call(path, { body: {} })
      expect(checked.results).toMatchObject([{ verdict: 'fail', cause_code }])
      // A registry does not err for a round: told at the first sight.
      expect(checked.monitor.state).toBe('down')
    }
    expect(await providerFields(server)).toEqual([
      expect.not.objectContaining({ available: false }),
      expect.not.objectContaining({ available: false }),
    ])
  })

  it('refuses what nobody answers for, and says so in /types', async () => {
    const server = await watchpost.serve()
    const body = { ...MONITOR, target: LISTED, rkn: true }
    expect(await server.call('/api/v1/monitors', { body })).toMatchObject({
      status: 422,
      body: { fields: { rkn: expect.stringContaining('WATCHPOST_RKN_FEED') } },
    })
    expect(await providerFields(server)).toMatchObject([
      { name: 'rkn', available: false, reason: expect.stringContaining('WATCHPOST_RKN_FEED') },
      { name: 'gsb', available: false, reason: expect.stringContaining('WATCHPOST_GSB_KEY') },
    ])
  })
})

describe('apply and types', () => {
  it('know the providers of the environment', async () => {
    const cwd = folder()
    const list = [{ ...MONITOR, key: 'lists', target: LISTED, rkn: true }]
    writeFileSync(join(cwd, 'monitors.json'), JSON.stringify(list))
    const refused = await watchpost.run(['apply', 'monitors.json'], { cwd })
    expect(refused).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('WATCHPOST_RKN_FEED'),
    })
    const env = { WATCHPOST_RKN_FEED: feedFile() }
    expect(await watchpost.run(['apply', 'monitors.json'], { cwd, env })).toMatchObject({ code: 0 })
    const types = ['types', 'blacklist']
    expect((await watchpost.run(types, { env })).stdout).not.toContain('WATCHPOST_RKN_FEED')
    expect((await watchpost.run(types)).stdout).toContain('not available: no provider')
  })
})

describe('a wrong value', () => {
  it.each([
    [{ WATCHPOST_RKN_FEED: '/nowhere/dump.csv' }, 'WATCHPOST_RKN_FEED: there is no file'],
    [{ WATCHPOST_RKN_FEED: 'htps://u:two words@x/' }, 'there is no file "***@x/"'],
    [{ WATCHPOST_RKN_MAX_AGE_HOURS: '0' }, 'WATCHPOST_RKN_MAX_AGE_HOURS: "0" is no number from 1'],
    [{ WATCHPOST_RKN_MAX_AGE_HOURS: '8761' }, 'is no number from 1 to 8760'],
    [{ WATCHPOST_GSB_KEY: 'two words' }, 'WATCHPOST_GSB_KEY: 1 to 512 characters'],
    [{ WATCHPOST_GSB_KEY: 'k', WATCHPOST_GSB_URL: 'nowhere' }, 'WATCHPOST_GSB_URL: "nowhere"'],
    [
      { WATCHPOST_GSB_KEY: 'k', WATCHPOST_GSB_URL: 'https://u:two words@x/' },
      'WATCHPOST_GSB_URL: "***@x/" is no address',
    ],
    [{ WATCHPOST_GSB_URL: 'http://127.0.0.1:1' }, 'it goes with WATCHPOST_GSB_KEY'],
    [{ WATCHPOST_GSB_API: 'v5' }, 'WATCHPOST_GSB_API: "v5" is neither v4 nor webrisk'],
  ])('%j is one line, exit 64', async (env, problem) => {
    const ended = await watchpost.run(['check', 'blacklist', `target=${LISTED}`], { env })
    expect(ended).toMatchObject({ code: 64, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*\n$/)
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr).not.toContain('two words')
  })
})

/** The rows of `rkn` and `gsb` in GET /types. */
async function providerFields(server: Awaited<ReturnType<typeof watchpost.serve>>) {
  const { body } = await server.call('/api/v1/types')
  const { types } = body as { types: { type: string; fields: { name: string }[] }[] }
  const fields = types.find(({ type }) => type === MONITOR.type)?.fields ?? []
  return ['rkn', 'gsb'].map((name) => fields.find((field) => field.name === name))
}
