/** One check of ours beside the same one of the peers that this machine has. */

import { http } from '../../src/checkers/http/index.ts'
import type { Benchmark, Contender, Fact, Goal, Stage } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import type { Farm } from '../harness/farm.ts'
import { startFarm } from '../harness/farm.ts'
import type { Round } from '../harness/measure.ts'
import { ratio } from '../harness/measure.ts'
import { checkOf } from '../subjects/checking.ts'
import { rounds as engineRounds } from '../subjects/engine.ts'
import { storesOf } from '../subjects/stores.ts'
import { BLACKBOX, probing } from './exporter.ts'
import { exporter, plugin } from './installed.ts'
import { spawned } from './spawned.ts'
import type { Subject } from './subjects.ts'

const OURS = 'watchpost check'

/** Must, goal and moonshot for the check; a whole round, stored, must be half of what stores nothing. */
const CHECK_AT_MOST = [0.45, 0.3, 0.18]
const ENGINE_AT_MOST = 0.5

/** What is common to all checks is compiled before, without TLS; three warm-up rounds are too few for it. */
const WARM_UP_UNITS = 4000

/** A plugin costs ten times as much as a check of ours. */
const SPAWNED_UNITS = 100

export function againstPeers(subject: Subject): Benchmark {
  return {
    name: `peers-${subject.name}`,
    about: `one ${subject.name} check beside the same one of other programs`,
    unit: 'check',
    async prepare(stage) {
      const farm = await startFarm(stage)
      const ours = await ourContenders(stage, subject, farm)
      const others = await otherContenders(stage, subject, farm)
      const warmUp = checkOf(http(), { url: `http://127.0.0.1:${farm.http}/` })
      await inFlight(Math.round(WARM_UP_UNITS * stage.scale), subject.concurrency, warmUp)
      return {
        contenders: [...ours, ...others],
        goals: subject.name === 'http' ? goalsOf(ours, others) : [],
        facts: (rounds) => ratiosOf(ours, others, rounds),
      }
    },
  }
}

/** The check alone; and with http the whole engine, a round from order to stored result. */
async function ourContenders(
  stage: Stage,
  { name, ours, ...subject }: Subject,
  farm: Farm,
): Promise<Contender[]> {
  const units = Math.round(subject.units * stage.scale)
  const check = ours(farm)
  const alone: Contender = {
    name: OURS,
    units,
    run: (count) => inFlight(count, subject.concurrency, check),
  }
  if (name !== 'http') return [alone]
  const monitor = { type: name, url: `http://127.0.0.1:${farm.http}/` }
  const durable = storesOf(stage).filter((store) => store.name !== 'memory')
  const engines: Contender[] = []
  for (const { name: storeName, make } of durable) {
    const wanted = { name: `watchpost engine, ${storeName}`, store: make(), monitor, units }
    engines.push(await engineRounds(stage, wanted))
  }
  return [alone, ...engines]
}

async function otherContenders(stage: Stage, subject: Subject, farm: Farm): Promise<Contender[]> {
  const { units, concurrency, plugin: name } = subject
  const others: Contender[] = []
  if (exporter.locate() !== undefined) {
    const scaled = Math.round(units * stage.scale)
    const options = { ...subject.probe(farm), stage, units: scaled, concurrency, ca: farm.ca }
    others.push(await probing(options))
  }
  const path = plugin(name)
  if (path !== undefined) {
    const args = subject.pluginArgs(farm)
    others.push(spawned({ name, path, args, units: Math.round(SPAWNED_UNITS * stage.scale) }))
  }
  return others
}

function goalsOf([check, ...engines]: readonly Contender[], others: readonly Contender[]): Goal[] {
  if (check === undefined || !others.some(({ name }) => name === BLACKBOX)) return []
  return [
    ...CHECK_AT_MOST.map((at_most) => ({ of: check.name, against: BLACKBOX, at_most })),
    ...engines.map(({ name }) => ({ of: name, against: BLACKBOX, at_most: ENGINE_AT_MOST })),
  ]
}

function ratiosOf(
  ours: readonly Contender[],
  others: readonly Contender[],
  rounds: readonly Round[],
): Fact[] {
  return ours.flatMap(({ name }) =>
    others.map((other) => ({
      name: `${name} ÷ ${other.name}`,
      value: ratio(name, other.name, rounds),
      unit: 'of its CPU',
    })),
  )
}
