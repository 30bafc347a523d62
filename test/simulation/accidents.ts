/** What goes wrong, and when: every kind of accident comes by itself, at its own rate. */
import { breakDown, repair } from './targets.ts'
import type { Target } from './targets.ts'
import { bootIn, freeze } from './lives.ts'
import { flood } from './floods.ts'
import { DAY, HOUR, MINUTE, SECOND } from './time.ts'
import { atTimes, jump, someMachine } from './world.ts'
import type { World } from './world.ts'

export function beginAccidents(world: World): void {
  const { plan, dice, targets, trouble, silent } = world
  const { faults, locations } = plan
  for (const target of targets.all()) {
    atTimes(world, faults.flaps, () => {
      if (target.state !== 'good') return
      breakDown(target, dice, locations)
      world.clock.timer(dice.wait(dice.pick([10 * MINUTE, HOUR, 3 * HOUR])), () => repair(target))
    })
    atTimes(world, faults.blind, () => {
      target.blind = true
      world.clock.timer(dice.wait(HOUR), () => void (target.blind = false))
    })
  }
  for (const target of new Set([...targets.all()].flatMap(({ behind }) => behind ?? [])))
    atTimes(world, faults.obscured, () => obscure(world, target))
  for (const location of locations) {
    atTimes(world, faults.silences, () => {
      silent.add(location)
      const length = dice.wait(dice.pick([2 * MINUTE, HOUR, 10 * HOUR]))
      world.clock.timer(length, () => silent.delete(location))
    })
  }
  atTimes(world, faults.kills, () => {
    if (dice.chance(0.3)) someMachine(world).current?.process.kill()
    else if (dice.chance(0.7)) trouble.armKill()
    else trouble.armAmbush('kill')
  })
  for (const account_id of world.guests.keys())
    atTimes(world, faults.floods, () => flood(world, account_id))
  atTimes(world, faults.storeTroubles, () => trouble.storm())
  atTimes(world, faults.restarts, () => void restart(world))
  atTimes(world, faults.freezes, () => {
    if (dice.chance(0.25)) trouble.armAmbush('freeze')
    else if (dice.chance(0.35)) trouble.armClaim()
    else freeze(world, someMachine(world))
  })
  atTimes(world, faults.jumps, () => {
    const size = dice.pick([SECOND, 5 * SECOND, MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, DAY])
    jump(world, dice.chance(0.5) ? size : -size)
  })
}

/** What others lie behind goes bad, and then nobody can measure it, while they stay bad. */
function obscure({ clock }: World, target: Target): void {
  if (target.state !== 'good') return
  Object.assign(target, { state: 'broken', seenFrom: undefined })
  clock.timer(HOUR, () => void (target.blind = true))
  clock.timer(5 * HOUR, () => {
    target.blind = false
    repair(target)
  })
}

/** As a new version is rolled out: the old process ends what it does, the new one begins. */
async function restart(world: World): Promise<void> {
  const machine = someMachine(world)
  const life = machine.current
  if (life === undefined || !life.running) return
  life.running = false
  const { engine, process } = life
  world.tape.add({ kind: 'stopping', life: process.life })
  let stopped = false
  // Whoever runs services gives them a time to stop in.
  world.clock.timer(30 * SECOND, () => {
    if (!stopped) process.kill()
  })
  await process.arrive(engine.stop().catch(() => undefined))
  stopped = true
  world.tape.add({ kind: 'stops', life: process.life })
  if (machine.current !== life) return
  machine.current = undefined
  process.kill()
  bootIn(world, machine, world.dice.int(1, 20 * SECOND))
}
