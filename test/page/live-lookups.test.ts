/** What live connections of an account read of the store, where requests of other accounts wait for it. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { site } from './visit.ts'

/** A site that counts the monitors that are read from the store one by one, and how many of them at a time. */
async function counted() {
  let [reading, most, reads] = [0, 0, 0]
  const made = await site(
    {},
    {
      store: (clock) => {
        const memory = memoryStore({ clock })
        async function get(id: number) {
          reads++
          most = Math.max(most, ++reading)
          await nextTurn()
          reading--
          return memory.monitors.get(id)
        }
        return { ...memory, monitors: { ...memory.monitors, get } }
      },
    },
  )
  const visit = made.visitor()
  await visit.signIn()
  const listen = async (query: string) => {
    const { status, body } = await visit.get(`/events?${query}`)
    return { status, end: () => body?.cancel() }
  }
  return { ...made, listen, most: () => most, reads: () => reads }
}

describe('a live connection', () => {
  it('reads no monitor that the engine has in memory', async () => {
    const { create, listen, reads } = await counted()
    const ids = [await create('a.test'), await create('b.test')]
    const before = reads()
    const { status, end } = await listen(`monitors=${ids.join(',')}`)
    expect([status, reads() - before]).toEqual([200, 0])
    await end()
  })

  it('reads others one after another', async () => {
    const { listen, most, reads } = await counted()
    const before = reads()
    const ids = Array.from({ length: 100 }, (_, at) => 1000 + at)
    const { status, end } = await listen(`monitors=${ids.join(',')}`)
    expect([status, reads() - before, most()]).toEqual([200, 100, 1])
    await end()
  })

  it('reads no monitor that is made meanwhile', async () => {
    const { clock, create, listen, reads } = await counted()
    await create('a.test')
    const open = [await listen('all=1'), await listen('all=1')]
    const before = reads()
    await create('b.test')
    await clock.advance(1000)
    expect(reads() - before).toBe(0)
    for (const { end } of open) await end()
  })
})
