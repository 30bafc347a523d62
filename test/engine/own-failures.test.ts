import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { systemClock } from '../../src/clock.ts'
import { createConnectivity } from '../../src/engine/checks/connectivity.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { orderRunner } from '../../src/engine/checks/order-runner.ts'
import { createStallWatch } from '../../src/net/timing/deadline.ts'
import { silentLogger } from '../../src/logger.ts'
import type { CheckReport } from '../../src/model.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { freePort } from '../support/servers/ports.ts'

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello\r\n'))
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { server, port }
}

function closing(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function order(type: string, settings: Record<string, string | number>): CheckOrder {
  return {
    id: '1-1-0-1',
    account_id: 1,
    monitor_id: 1,
    version: 1,
    type,
    settings,
    timeout_ms: 5_000,
    interval_sec: 60,
    location: { id: 1, name: 'local' },
    round: 0,
    expires_at: Number.MAX_SAFE_INTEGER,
    memo: null,
    host: '127.0.0.1',
  }
}

describe('a location that has lost its network', () => {
  const failed = { outcome: { verdict: 'fail', cause_code: 'connect_timeout' } } as CheckReport
  const fine = { outcome: { verdict: 'ok', cause_code: null } } as CheckReport

  function connectivity(anchors: string[], seen: boolean[] = []) {
    const clock = simulatedClock()
    const onChange = (online: boolean) => void seen.push(online)
    const made = createConnectivity({ clock, log: silentLogger, anchors, onChange })
    /** Of a check that began just now, or earlier. */
    const verify = (report: CheckReport, ago_ms = 0) =>
      made.verify(report, clock.monotonic() - ago_ms)
    return { clock, made, seen, verify }
  }

  it('believes a failure while an anchor answers, and no longer when none does', async () => {
    const { server, port } = await listening()
    const { clock, made, seen, verify } = connectivity([`127.0.0.1:${port}`, 'nowhere.invalid:443'])
    await made.start()
    expect((await verify(failed)).outcome.verdict).toBe('fail')
    await closing(server)
    await clock.advance(6_000)
    expect((await verify(failed)).outcome).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_offline',
    })
    expect([made.online, seen]).toEqual([false, [false]])
  })

  it('notices that it is back by an anchor, and leaves good results as they are', async () => {
    const { server, port } = await listening()
    const { clock, made, seen, verify } = connectivity([`127.0.0.1:${port}`])
    await made.start()
    await closing(server)
    await verify(failed)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    await clock.advance(6_000)
    expect(await verify(fine)).toBe(fine)
    expect([made.online, seen]).toEqual([true, [false, true]])
  })

  it('believes no failure for an answer of a moment ago, nor one of a check that began before it was back', async () => {
    const { server, port } = await listening()
    const { clock, made, verify } = connectivity([`127.0.0.1:${port}`])
    await made.start()
    expect(await verify(failed)).toBe(failed)
    await closing(server)
    await clock.advance(500)
    expect((await verify(failed)).outcome.verdict).toBe('unknown')

    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    await clock.advance(6_000)
    expect((await verify(failed, 5_000)).outcome.verdict).toBe('unknown')
    expect(made.online).toBe(true)
    expect(await verify(failed)).toBe(failed)
  })

  it('an anchor that never answered is no evidence: a typing error must not hide an outage', async () => {
    const { made, verify } = connectivity(['127.0.0.1:1'])
    await made.start()
    expect(await verify(failed)).toBe(failed)
    expect(made.online).toBe(true)
  })

  it.each(['127.0.0.1', 'host:0', ':80', 'host:http', ''])('refuses the anchor "%s"', (anchor) => {
    const anchors = [anchor]
    expect(() => createEngine({ store: memoryStore(), checkers: [tcp], anchors })).toThrow(
      /host:port/,
    )
  })

  it('a location without network opens no incident, and says that it is offline', async () => {
    const [target, anchor] = [await listening(), await listening()]
    const engine = createEngine({
      store: memoryStore(),
      checkers: [tcp],
      anchors: [`127.0.0.1:${anchor.port}`],
    })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    const locations: boolean[] = []
    engine.on('location', ({ online }) => void locations.push(online))
    await engine.start()
    const { id } = await engine.monitors.create({
      type: 'tcp',
      name: 'Shop',
      host: '127.0.0.1',
      port: target.port,
      fail_threshold: 1,
    })
    await engine.monitors.check(id)
    await Promise.all([closing(target.server), closing(anchor.server)])
    const { results } = await engine.monitors.check(id)
    expect(results[0]).toMatchObject({ verdict: 'unknown', cause_code: 'probe_offline' })
    expect((await engine.incidents.list()).items).toEqual([])
    expect(locations).toEqual([false])
    expect(await engine.locations.list()).toMatchObject([{ name: 'local', online: false }])
  })
})

describe('a process that stands still', () => {
  /** Blocks the event loop in its first `times` runs, then answers at once. */
  function blocking(times: number, runs: number[]) {
    return defineChecker({
      type: 'blocking',
      title: 'Blocking',
      description: 'Stands still',
      fields: {},
      causes: { broken: { text: 'It is broken' } },
      target: () => 'here',
      async run() {
        runs.push(runs.length)
        const until = performance.now() + (runs.length <= times ? 600 : 0)
        while (performance.now() < until);
        await new Promise(setImmediate)
        return runs.length <= times ? down('broken', 'It is broken') : up()
      },
    })
  }

  function runner(times: number, runs: number[]) {
    const checker = blocking(times, runs)
    return orderRunner({ checkerOf: () => checker, clock: systemClock, log: silentLogger })
  }

  it('measures again what was measured meanwhile', async () => {
    const runs: number[] = []
    const report = await runner(1, runs)(order('blocking', {}), new AbortController().signal)
    expect(runs).toHaveLength(2)
    expect(report.outcome.verdict).toBe('ok')
  })

  it('never takes its own standing still for a failure of the target', async () => {
    const runs: number[] = []
    const report = await runner(9, runs)(order('blocking', {}), new AbortController().signal)
    expect(runs).toHaveLength(2)
    expect(report.outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_overloaded' })
  })

  it('knows how long it stood still, also before a timer could tell', () => {
    const clock = simulatedClock()
    const ended = createStallWatch({ ...clock, monotonic: () => now, timer: clock.timer })
    let now = 0
    const measure = ended.begin()
    now = 5_000
    expect(measure()).toBe(4_900)
    const quiet = ended.begin()
    now += 200
    expect(quiet()).toBe(0)
  })
})
