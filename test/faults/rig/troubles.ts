/**
 * What can happen to an engine, its machine and those around it, each for a while.
 *
 * @module
 */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { MoodyNameServer } from '../machine/children/name-server.ts'
import type { NameServerMood } from '../machine/protocol.ts'
import type { EngineProcess } from './engine.ts'
import type { Target } from './farm.ts'
import type { Answer, Receiver } from './receiver.ts'

export interface World {
  engine(): EngineProcess
  readonly receiver: Receiver
  /** Path of the receiver that may fail. */
  readonly moody: string
  readonly fickle: readonly Target[]
  /** What only a machine of its own has; a run without one goes without these troubles. */
  readonly machine?: Machine
}

export interface Machine {
  readonly names: MoodyNameServer
  /** A file system that holds the engine's file and nothing else. */
  readonly disk: string
}

export interface Trouble {
  readonly name: string
  /** How long it may last, real time. */
  readonly lasts_ms: readonly [shortest: number, longest: number]
  begin(): void | Promise<void>
  end(): void | Promise<void>
}

export function troublesOf(world: World): readonly Trouble[] {
  const { machine } = world
  return [
    stop(world),
    targets(world),
    gone(world),
    ...(['hang', 'reset', 'garbage'] as const).map((how) => answers(world, { do: how })),
    answers(world, { status: 500 }),
    answers(world, { status: 200, delay_ms: 300 }),
    ...(machine === undefined
      ? []
      : [
          ...(['silent', 'servfail', 'wrong-id'] as const).map((mood) => names(machine, mood)),
          disk(machine),
          network(),
        ]),
  ]
}

function stop({ engine }: World): Trouble {
  return {
    name: 'the engine stands still',
    lasts_ms: [500, 10_000],
    begin: () => engine().signal('SIGSTOP'),
    end: () => engine().signal('SIGCONT'),
  }
}

function targets({ fickle }: World): Trouble {
  return {
    name: 'half of the targets are down',
    lasts_ms: [5_000, 40_000],
    begin: () => fickle.forEach((target, index) => target.set(index % 2 === 0)),
    end: () => fickle.forEach((target) => target.set(true)),
  }
}

/** Short enough that an attempt comes after it, whenever the first one was. */
function gone({ receiver }: World): Trouble {
  return {
    name: 'the receiver is killed',
    lasts_ms: [1_000, 8_000],
    begin: () => receiver.kill(),
    end: () => receiver.restart(),
  }
}

function answers({ receiver, moody }: World, answer: Answer): Trouble {
  return {
    name: `a receiver's answer is ${JSON.stringify(answer)}`,
    lasts_ms: [5_000, 40_000],
    begin: () => receiver.script(moody, [], answer),
    end: () => receiver.script(moody, []),
  }
}

function names({ names: server }: Machine, mood: NameServerMood): Trouble {
  return {
    name: `the name server is ${mood}`,
    lasts_ms: [3_000, 20_000],
    begin: () => void (server.mood = mood),
    end: () => void (server.mood = 'well'),
  }
}

function disk({ disk: folder }: Machine): Trouble {
  const ballast = join(folder, 'ballast')
  return {
    name: 'the disk is full',
    lasts_ms: [2_000, 12_000],
    // It is to fail: that is what fills the disk to its last byte.
    begin: () => void spawnSync('sh', ['-c', `cat /dev/zero > '${ballast}'`], { stdio: 'ignore' }),
    end: () => rmSync(ballast, { force: true }),
  }
}

function network(): Trouble {
  const set = (state: 'up' | 'down'): void => {
    spawnSync('sh', ['-c', `ip link set lo ${state}`], { stdio: 'inherit' })
  }
  return {
    name: 'the network is gone',
    lasts_ms: [2_000, 12_000],
    begin: () => set('down'),
    end: () => set('up'),
  }
}
