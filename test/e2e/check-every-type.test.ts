import { expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { SPECIFIED_FIELDS } from '../support/specified-fields.ts'
import { runBench } from './check-every-type/bench.ts'
import { mariadb, postgres } from './check-every-type/databases.ts'
import { runAgent, runNetwork } from './check-every-type/machines.ts'
import { dovecot, exim, proftpd } from './check-every-type/mail.ts'
import { bind } from './check-every-type/names.ts'
import { runLists, runRegistries } from './check-every-type/registries.ts'
import { web } from './check-every-type/web.ts'

const watchpost = commandLine()

runBench(watchpost, web)
runBench(watchpost, exim)
runBench(watchpost, dovecot)
runBench(watchpost, proftpd)
runBench(watchpost, mariadb)
runBench(watchpost, postgres)
runBench(watchpost, bind)
runAgent(watchpost)
runNetwork(watchpost)
runRegistries()
runLists()

it('heartbeat waits for calls, so that there is nothing to check from here', async () => {
  const { code, stderr } = await watchpost.run(['check', 'heartbeat', 'grace_sec=60'])
  expect(code).toBe(64)
  expect(stderr).toContain('waits for calls of your job')
})

/** Rows of these stand in tables of their own. */
const ELSEWHERE = ['resources', 'ping', 'domain', 'blacklist', 'heartbeat']

it('every type is found healthy, and broken in five ways or more', () => {
  const benches = [web, exim, dovecot, proftpd, mariadb, postgres, bind]
  for (const type of Object.keys(SPECIFIED_FIELDS)) {
    if (ELSEWHERE.includes(type)) continue
    const count = (name: 'healthy' | 'broken'): number =>
      benches.flatMap((bench) => [...bench[name]]).filter(([of]) => of === type).length
    expect(count('healthy'), type).toBeGreaterThan(0)
    expect(count('broken'), type).toBeGreaterThanOrEqual(5)
  }
})
