/**
 * What every private server has to show: it starts, greets, goes away and comes back, leaves nothing.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import type { RunningServer } from './harness.ts'
import { accepts } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { describeWithServer } from './need.ts'
import { processesIn } from './process.ts'

export interface SmokePlan<S extends RunningServer> {
  readonly need: ServerNeed
  readonly start: () => Promise<S>
  /** Its first words on every port, from the outside. */
  readonly greetings: (server: S) => Promise<readonly string[]>
  /** What each of them has to look like. */
  readonly expected: readonly RegExp[]
}

export function smokeTest<S extends RunningServer>(plan: SmokePlan<S>): void {
  describeWithServer(plan.need, `a private ${plan.need.name}`, () => {
    let server: S | undefined
    afterEach(() => server?.stop())

    const expectGreetings = async (running: S): Promise<void> => {
      const heard = await plan.greetings(running)
      expect(heard).toHaveLength(plan.expected.length)
      heard.forEach((text, i) => expect(text).toMatch(plan.expected[i]!))
    }

    it('greets, comes back on its ports after an end in order and after SIGKILL, and leaves nothing', async () => {
      server = await plan.start()
      await expectGreetings(server)
      const first = server.pid

      await server.halt()
      expect(processesIn(server.dir)).toEqual([])
      for (const port of Object.values(server.ports)) {
        await expect(accepts(port)).rejects.toThrow(/ECONNREFUSED/)
      }
      await server.restart()
      expect(server.pid).not.toBe(first)
      await expectGreetings(server)

      await server.kill9()
      expect(processesIn(server.dir)).toEqual([])
      await server.restart()
      await expectGreetings(server)

      await server.stop()
      expect(processesIn(server.dir)).toEqual([])
      expect(existsSync(server.dir)).toBe(false)
    })
  })
}
