/** Guests whose targets hang, and who ask for checks of them again and again. */
import { MINUTE } from './time.ts'
import { repair } from './targets.ts'
import { act } from './users.ts'
import type { World } from './world.ts'

/** All that an account has on the shared hosts hangs for some minutes. */
export function flood(world: World, account_id: number): void {
  const { clock, dice, guests, tape } = world
  const own = (guests.get(account_id) ?? []).filter(({ target }) => target.state === 'good')
  tape.add({ kind: 'flood', account_id })
  for (const { target } of own) {
    target.state = 'hangs'
    target.seenFrom = undefined
  }
  let waves = dice.int(2, 6)
  function wave(): void {
    if (world.calm) return
    if (waves-- === 0) for (const { target } of own) repair(target)
    else {
      for (const monitor of own) act(world, 'queueCheck', monitor)
      clock.timer(MINUTE, wave)
    }
  }
  wave()
}
