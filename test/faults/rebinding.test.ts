/** Names that lead inside: nobody behind the guard is ever led there (F17, G11). */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { childProgram, refusalOf } from './machine/child.ts'
import { INNER, KINDS, OUTER } from './machine/rebinding.ts'
import { SPECIFIED_FIELDS } from '../support/specified-fields.ts'
import type { RebindingReport, Tried } from './machine/rebinding.ts'

const program = childProgram('rebinding')

const addresses = [OUTER, ...INNER.filter((address) => !/^127|^::1/.test(address))]
const network = [
  'ip link set lo up',
  ...addresses.map((address) => `ip addr add ${address} dev lo`),
].join(' && ')

test('whatever a name server or a redirect says, no trap inside is walked into', (context) => {
  const refusal = refusalOf(`unshare -n sh -c '${network}'`)
  if (refusal !== undefined) context.skip(refusal)
  const ran = spawnSync(
    'unshare',
    ['-n', 'sh', '-c', `${network} && exec '${process.execPath}' '${program()}'`],
    { encoding: 'utf8', timeout: 400_000 },
  )
  expect(ran.stderr).toBe('')
  const { tried, hits, unguarded, referred } = JSON.parse(ran.stdout) as RebindingReport
  expect(hits).toEqual([])

  const types = Object.keys(SPECIFIED_FIELDS)
  for (const type of [...types, ...KINDS].filter((each) => each !== 'heartbeat')) {
    const own = tried.filter((one) => one.type === type)
    expect(own.length, type).toBeGreaterThan(20)
    // Each has dialled what it may, or not to have been led inside would prove nothing.
    if (type !== 'blacklist') expect(own.some(reached), type).toBe(true)
    if (ANSWERING_FOR_ITSELF.includes(type)) continue
    const inner = own.filter(({ what }) => what.includes('inner.test'))
    expect(new Set(inner.map(({ cause_code }) => cause_code)), type).toEqual(
      new Set([isContact(type) ? 'blocked' : 'connect_blocked']),
    )
  }
  // Without a guard the traps catch everybody who dials.
  const ports = [21, 25, 43, 80, 110, 143, 443, 3306, 5432]
  expect(unguarded.toSorted()).toEqual(
    ['udp 10.1.2.3:53', ...ports.map((port) => `tcp 10.1.2.3:${port}`)].toSorted(),
  )
  for (const port of [43, 80, 8080]) expect(referred).toContain(`tcp 10.1.2.3:${port}`)
})

/** What they cannot reach is a finding of theirs, not the end of the check. */
const ANSWERING_FOR_ITSELF = ['domain', 'blacklist']

function reached({ type, cause_code, remote_ip }: Tried): boolean {
  // The mail server outside says nothing.
  const answered = cause_code === null || (type === 'email' && cause_code === 'timeout')
  return remote_ip === OUTER || (isContact(type) && answered)
}

function isContact(type: string): boolean {
  return (KINDS as readonly string[]).includes(type)
}
