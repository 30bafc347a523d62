/**
 * Attacks by tenants, targets and strangers on a running engine or server, one after the other, each held
 * against its bound. Options: --only <name>, --list.
 *
 * @module
 */

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { attacks } from './attacks/index.ts'
import type { Attack, Finding } from './attacks/attack.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, list: { type: 'boolean', default: false } },
})

const chosen = attacks.filter(({ name }) => values.only === undefined || name === values.only)

if (values.list) {
  for (const { name, does } of attacks) console.log(`${name}: ${does}`)
} else if (chosen.length === 0) {
  console.error(`There is no attack "${values.only ?? ''}"; --list names them.`)
  process.exitCode = 64
} else {
  for (const attack of chosen) report(attack, await finding(attack))
}

async function finding(attack: Attack): Promise<Finding> {
  try {
    return await attack.attempt()
  } catch (error) {
    console.error(error)
    return { held: false, seen: 'the attack itself failed, see above' }
  }
}

function report({ name, does, bound }: Attack, { held, seen }: Finding): void {
  if (!held) process.exitCode = 1
  console.log(`${held ? 'held  ' : 'MISSED'} ${name}: ${does}`)
  console.log(`       bound ${bound}; seen ${seen}; load ${loadavg()[0]?.toFixed(1)}`)
}
