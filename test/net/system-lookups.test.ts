/** Lookups of the system cannot be cancelled, and hold threads that the whole process needs. */

import { describe, expect, it, vi } from 'vitest'
import type { Address } from '../../src/net/connection/endpoint.ts'
import { createSystemLookups, lookupsOfProcess } from '../../src/net/resolve/system-lookups.ts'
import type { SystemLookups } from '../../src/net/resolve/system-lookups.ts'
import { createStop } from '../../src/net/timing/stop.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

const FOUND: Address[] = [{ address: '192.0.2.7', family: 4 }]

/** Lookups that answer when the test says so. */
function asking(lookups: SystemLookups = createSystemLookups()) {
  const clock = simulatedClock()
  const begun: string[] = []
  const underWay = new Map<string, (found: Address[]) => void>()
  const results: string[] = []

  function ask(host: string, account_id?: number, within_ms?: number) {
    const stop = createStop()
    const request = { host, account_id, within_ms, signal: stop, clock }
    const look = () => {
      begun.push(host)
      return new Promise<Address[]>((resolve) => underWay.set(host, resolve))
    }
    lookups.run(request, look).then(
      (found) => results.push(`${host}: ${found[0]?.address ?? 'none'}`),
      (error: { code?: string; message: string }) =>
        results.push(`${host}: ${error.code ?? error.message}`),
    )
    return stop
  }
  async function answer(host: string) {
    underWay.get(host)?.(FOUND)
    await clock.advance(0)
  }
  return { ask, answer, begun, results, clock }
}

describe('the lookups of the system', () => {
  it('are made one at a time, accounts in turn', async () => {
    const { ask, answer, begun } = asking()
    for (const host of ['b1', 'b2', 'b3']) ask(host, 2)
    ask('a1', 1)
    ask('operator')
    expect(begun).toEqual(['b1'])
    for (const host of ['b1', 'a1', 'operator', 'b2', 'b3']) await answer(host)
    expect(begun).toEqual(['b1', 'a1', 'operator', 'b2', 'b3'])
  })

  it('keep their place beyond the end of the caller, and one that only waited is never begun', async () => {
    const { ask, answer, begun, results, clock } = asking()
    const stuck = ask('b1', 2, 10_000)
    const waits = ask('b2', 2, 10_000)
    ask('a1', 1, 10_000)
    for (const stop of [stuck, waits]) stop.abort(new Error('too late'))
    await clock.advance(0)
    expect(results).toEqual(['b1: too late', 'b2: too late'])
    expect(begun).toEqual(['b1'])
    await answer('b1')
    expect(begun).toEqual(['b1', 'a1'])
  })

  it('are not begun for a caller that has ended before', async () => {
    const { begun, results, clock } = asking()
    const stop = createStop()
    stop.abort(new Error('too late'))
    const request = { host: 'a1', account_id: 1, within_ms: 1000, signal: stop, clock }
    const ended = createSystemLookups().run(request, () => Promise.resolve(FOUND))
    await expect(ended).rejects.toThrow('too late')
    expect([begun, results]).toEqual([[], []])
  })

  it('that have no turn in time are the trouble of this location, told before the deadline', async () => {
    const { ask, answer, begun, results, clock } = asking()
    ask('b1', 2, 10_000)
    ask('a1', 1, 10_000)
    await clock.advance(8_999)
    expect(results).toEqual([])
    await clock.advance(1)
    expect(results).toEqual(['a1: probe_overloaded'])
    await answer('b1')
    expect(begun).toEqual(['b1'])
    expect(clock.pending).toBe(0)
  })

  it('that begin late are the trouble of this location as well', async () => {
    const { ask, answer, begun, results, clock } = asking()
    ask('b1', 2, 10_000)
    ask('a1', 1, 10_000)
    await clock.advance(8_000)
    await answer('b1')
    expect(begun).toEqual(['b1', 'a1'])
    await clock.advance(1_000)
    expect(results).toEqual(['b1: 192.0.2.7', 'a1: probe_overloaded'])
  })

  it('that begin at once have all the time there is', async () => {
    const { ask, answer, results, clock } = asking()
    ask('a1', 1, 10_000)
    await clock.advance(9_999)
    await answer('a1')
    expect(results).toEqual(['a1: 192.0.2.7'])
  })

  it('wait a thousand of an account at most', async () => {
    const { ask, results, begun, clock } = asking()
    for (let n = 0; n <= 1000; n++) ask(`b${n}`, 2, 10_000)
    await clock.advance(0)
    expect(results).toEqual([])
    ask('b1001', 2, 10_000)
    ask('a1', 1, 10_000)
    await clock.advance(0)
    expect(results).toEqual(['b1001: probe_overloaded'])
    expect(begun).toEqual(['b0'])
  })

  it('wait for those of every copy of the module, each with errors that its checks know', async () => {
    const first = asking(lookupsOfProcess())
    first.ask('b1', 2)
    vi.resetModules()
    const copy = await import('../../src/net/resolve/system-lookups.ts')
    const { CheckFailure } = await import('../../src/net/failure.ts')
    expect(copy.lookupsOfProcess).not.toBe(lookupsOfProcess)
    const clock = simulatedClock()
    const request = { host: 'a1', account_id: 1, within_ms: 1000, signal: createStop(), clock }
    const late = copy.lookupsOfProcess().run(request, () => Promise.resolve(FOUND))
    const failed = expect(late).rejects.toBeInstanceOf(CheckFailure)
    await clock.advance(900)
    await failed
    await first.answer('b1')
    expect(first.results).toEqual(['b1: 192.0.2.7'])
  })
})
