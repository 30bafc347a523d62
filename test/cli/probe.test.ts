import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { commandLine, folder } from '../support/command-line.ts'
import type { Running, Server } from '../support/command-line.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import type { RedisServer } from '../support/servers/redis.ts'

const watchpost = commandLine()

const KEY = Buffer.alloc(32, 7).toString('base64')

/** A beat of five seconds may be missed twice and a half; an engine looks every two and a half. */
const NOTICED_MS = 15_000

/** What it may take longer on a busy machine; a server that misses nobody waits for a minute. */
const BUSY_MS = 30_000

/** A key has sixty requests a minute. */
const POLITELY = { timeout: 300_000, interval: 1000 }

describeWithServer(redisServer, 'probes as processes of their own', () => {
  let redis: RedisServer
  let env: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    redis = await startRedis({ password: 'sesame' })
    const REDIS_URL = `redis://:sesame@127.0.0.1:${redis.ports.redis}`
    env = { REDIS_URL, WATCHPOST_SECRET_KEY: KEY }
  })
  afterAll(() => redis.stop())

  it('make the checks of a server; one that is killed is missed, and welcome when it is back', async () => {
    const server = await watchpost.serve({ env: { ...env, WATCHPOST_LOCATIONS: 'fra,hel,nyc' } })
    const [fra] = await Promise.all(['fra', 'hel', 'nyc'].map((name) => probeAt(name)))
    await everybody(server)
    const target = await silentTarget()
    const { body } = await server.call('/api/v1/monitors', { body: target.monitor })
    const { id } = body.monitor as { id: number }

    const hearing = check(server, id)
    await target.asked(3)
    target.say('hello')
    expect(await hearing).toEqual({ state: 'up', results: ['ok', 'ok', 'ok'] })

    target.hush()
    const losing = check(server, id)
    await target.asked(3)
    const from = systemClock.monotonic()
    fra?.child.kill('SIGKILL')
    await fra?.ended
    target.say('go away')
    // Two of three have seen it, which is what confirms a failure here.
    expect(await losing).toEqual({
      state: 'down',
      results: ['probe_no_report', 'banner_mismatch', 'banner_mismatch'],
    })
    expect(systemClock.monotonic() - from).toBeLessThan(NOTICED_MS + BUSY_MS)
    expect(await locations(server)).toEqual({ fra: false, hel: true, nyc: true })

    // By its number, as GET /locations shows it.
    await probeAt('1')
    await everybody(server)
    target.hush()
    const again = check(server, id)
    await target.asked(3)
    target.say('hello')
    expect(await again).toEqual({ state: 'up', results: ['ok', 'ok', 'ok'] })
    expect(server.stderr() + server.stdout()).not.toContain('sesame')
  })

  it('end what they have begun at SIGTERM, deliver it, and leave', async () => {
    const server = await watchpost.serve({ env: { ...env, WATCHPOST_LOCATIONS: 'rome' } })
    const probe = await probeAt('rome')
    await everybody(server)
    const target = await silentTarget()
    const { body } = await server.call('/api/v1/monitors', { body: target.monitor })
    const { id } = body.monitor as { id: number }
    const checked = check(server, id)
    await target.asked(1)
    probe.child.kill('SIGTERM')
    await probe.says(/stopping/)
    target.say('hello')
    expect(await checked).toEqual({ state: 'up', results: ['ok'] })
    expect(await probe.ended).toMatchObject({ code: 0, signal: null })
    expect(probe.stderr()).toContain('stopped')
    await expect.poll(() => locations(server), POLITELY).toEqual({ rome: false })
  })

  it('answer for rkn by the registry of their own environment', async () => {
    const listed = '198.51.100.3'
    const at = new Date(systemClock.now()).toISOString().replace('T', ' ').replace(/\..*/, ' +0000')
    const feed = join(folder(), 'dump.csv')
    writeFileSync(feed, `Updated: ${at}\n${listed};;;authority;1;2024-01-01\n`)
    const registry = { WATCHPOST_RKN_FEED: feed }
    const locations = { WATCHPOST_LOCATIONS: 'oslo' }
    const server = await watchpost.serve({ env: { ...env, ...registry, ...locations } })
    await probeAt('oslo', registry)
    await everybody(server)
    const monitor = { type: 'blacklist', name: 'Lists', target: listed, lists: 'none', rkn: true }
    const { body } = await server.call('/api/v1/monitors', { body: monitor })
    const path = `/api/v1/monitors/${body.monitor.id}/check?wait=1`
    const { body: checked } = await server.call(path, { body: {} })
    expect(checked.results).toMatchObject([{ verdict: 'fail', cause_code: 'list_rkn_listed' }])
  })

  it.each(['probe', 'serve'])('%s ends with one line for a wrong password', async (name) => {
    const args = name === 'probe' ? ['probe', '--location', 'fra'] : ['serve', '--port', '0']
    const wrong = { ...env, REDIS_URL: `redis://:wrong@127.0.0.1:${redis.ports.redis}` }
    const ended = await watchpost.run(args, { env: { ...wrong, LOG_LEVEL: 'silent' } })
    expect(ended.code).toBe(64)
    expect(ended.stderr).toMatch(/^watchpost: Redis refuses us: WRONGPASS .*\n$/)
  })

  async function probeAt(location: string, more: object = {}): Promise<Running> {
    const probe = watchpost.start(['probe', '--location', location], { env: { ...env, ...more } })
    await probe.says(/^Probe \w+ of .*: at work$/m)
    return probe
  }
})

describe('probe refuses to start', () => {
  it.each([
    [['--location', 'fra'], { REDIS_URL: 'redis://:hidden@r' }, 'WATCHPOST_SECRET_KEY: the same'],
    [['--location', 'fra'], { REDIS_URL: 'hidden' }, 'REDIS_URL: redis://user:password@host'],
    [['fra'], {}, 'probe takes no "fra"'],
  ])('for %j and %o, with one line and exit 64', async (args, env, problem) => {
    const ended = await watchpost.run(['probe', ...args], { env })
    expect(ended).toMatchObject({ code: 64, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*\n$/)
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr).not.toContain('hidden')
  })
})

describe('without the packages', () => {
  const slim = commandLine({ without: ['bullmq', 'ioredis'] })

  it('says what to install', async () => {
    const env = { REDIS_URL: 'redis://127.0.0.1:9', WATCHPOST_SECRET_KEY: KEY, LOG_LEVEL: 'silent' }
    const ended = await slim.run(['probe', '--location', 'fra'], { env })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*npm install bullmq ioredis\n$/)
  })
})

interface Checked {
  readonly state: string
  /** `ok`, or the cause, by location. */
  readonly results: readonly string[]
}

async function check(server: Server, id: number): Promise<Checked> {
  const { body } = await server.call(`/api/v1/monitors/${id}/check?wait=1`, { method: 'POST' })
  const results = body.results as {
    readonly location_id: number
    readonly cause_code: string | null
  }[]
  results.sort((a, b) => a.location_id - b.location_id)
  const { state } = body.monitor as { readonly state: string }
  return { state, results: results.map(({ cause_code }) => cause_code ?? 'ok') }
}

async function locations(server: Server): Promise<Readonly<Record<string, boolean>>> {
  const { body } = await server.call('/api/v1/locations')
  const all = body.locations as { readonly name: string; readonly online: boolean }[]
  return Object.fromEntries(all.map(({ name, online }) => [name, online]))
}

async function everybody(server: Server): Promise<void> {
  const allThere = async () => Object.values(await locations(server)).every(Boolean)
  await expect.poll(allThere, POLITELY).toBe(true)
}

/** Accepts, and greets nobody until it is told what to say; then also who comes later, such as a check made again. */
async function silentTarget() {
  let open: Socket[] = []
  let word: string | undefined
  const server = await scriptedServer((socket) => {
    if (word !== undefined) {
      socket.end(word)
      return
    }
    open.push(socket)
    socket.on('close', () => (open = open.filter((each) => each !== socket)))
  })
  return {
    monitor: {
      type: 'tcp',
      name: 'silent',
      host: '127.0.0.1',
      port: server.port,
      banner_regex: '^hello',
      timeout_ms: 60_000,
      // A round of its own, begun while a probe was away, would be joined instead of one being begun.
      interval_sec: 3600,
      fail_threshold: 1,
    },
    /** Resolves once so many wait for a word. */
    asked: (count: number) => expect.poll(() => open.length).toBe(count),
    say: (text: string) => {
      word = `${text}\r\n`
      for (const socket of open) socket.end(word)
    },
    hush: () => void (word = undefined),
  }
}
