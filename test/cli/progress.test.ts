import { describe, expect, it } from 'vitest'
import { displayIn, displayOn, progress } from '../../src/cli/progress.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

describe('what takes long', () => {
  it('is told on one line of a terminal, which is gone at the end', async () => {
    const { output, written, clock } = arranged(true)
    const work = progress('opening', displayOn(output), clock)
    await clock.advance(1000)
    work.update('3 of 9\u001b[2J')
    await clock.advance(500)
    work.end()
    await clock.advance(10_000)
    expect(written).toEqual([
      '\r\u001b[Kopening (1 s)',
      '\r\u001b[K3 of 9\ufffd[2J (1 s)',
      '\r\u001b[K',
    ])
  })

  it('is told by few whole lines where no terminal reads them', async () => {
    const { output, written, clock } = arranged(false)
    const work = progress('opening', displayOn(output), clock)
    await clock.advance(40_000)
    work.end()
    expect(written).toEqual(['watchpost: opening (5 s)\n', 'watchpost: opening (35 s)\n'])
  })

  it('is told by work that never waits, and lets no timer fire', () => {
    const { output, written } = arranged(true)
    let now = 0
    const timer = () => ({ cancel: () => undefined })
    const stuck = { ...simulatedClock(), monotonic: () => now, timer }
    const work = progress('opening', displayOn(output), stuck)
    for (now = 0; now <= 2000; now += 250) work.update(`${now} of 2000`)
    expect(written).toEqual([1000, 1500, 2000].map(lineAt))
    work.end()
  })

  it('is told as log lines by a server', async () => {
    const { clock } = arranged(false)
    const told: unknown[] = []
    const ignore = () => undefined
    const info = (fields: object, message: string) => told.push({ ...fields, message })
    const log = { debug: ignore, info, warn: ignore, error: ignore }
    const work = progress('still opening', displayIn(log), clock)
    await clock.advance(15_000)
    work.end()
    expect(told).toEqual([
      { sec: 3, message: 'still opening' },
      { sec: 13, message: 'still opening' },
    ])
  })

  it.each([true, false])('is not told where it was quick (terminal: %s)', async (isTTY) => {
    const { output, written, clock } = arranged(isTTY)
    const work = progress('opening', displayOn(output), clock)
    await clock.advance(900)
    work.end()
    await clock.advance(60_000)
    expect(written).toEqual([])
  })
})

const lineAt = (ms: number): string => `\r\u001b[K${ms} of 2000 (${Math.floor(ms / 1000)} s)`

function arranged(isTTY: boolean) {
  const written: string[] = []
  const output = { isTTY, write: (text: string) => written.push(text) }
  return { output, written, clock: simulatedClock() }
}
