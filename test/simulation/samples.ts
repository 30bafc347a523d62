/** What the engine says of its monitors, written down now and then. */
import { shownAs } from '../../src/page/layout/words.ts'
import { diceOf } from './dice.ts'
import { HOUR } from './time.ts'
import { listening } from './world.ts'
import type { World } from './world.ts'

/** On average. */
const EVERY_MS = HOUR

/** Goes on until the world is calm. With dice of its own: to look at a history does not change it. */
export function beginSamples(world: World): void {
  const dice = diceOf(world.plan.seed, 2)
  const later = (): void => {
    world.clock.timer(dice.wait(EVERY_MS), () => {
      if (world.calm) return
      sample(world)
      later()
    })
  }
  later()
}

/** Writes down what one engine says now. */
export function sample(world: World): void {
  const life = listening(world)
  if (life === undefined) return
  const readings = [...life.engine.readings()]
  const healthy = readings.filter((reading) => shownAs(reading).tone === 'good')
  const stale = readings.filter((reading) => reading.stale)
  world.tape.add({
    kind: 'shown',
    life: life.process.life,
    known: readings.map(({ id }) => id),
    stale: stale.map(({ id }) => id),
    healthy: healthy.map(({ id }) => id),
  })
}
