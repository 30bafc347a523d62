/**
 * What this machine is doing, in percent. What cannot be measured is `null`; nothing here throws or
 * blocks.
 *
 * @module
 */

import { readFile } from 'node:fs/promises'
import { cpus, freemem, loadavg, platform, totalmem } from 'node:os'
import { iso } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { createDiskMeter } from './disks.ts'
import type { DiskUse } from './disks.ts'

export type { DiskUse } from './disks.ts'

/** The simple form of the `resources` checker. */
export interface ResourcesReport {
  /** Percent of all cores since the last report, or during a fifth of a second for the first one. */
  readonly cpu: number | null
  /** Percent of the memory that programs could not get. */
  readonly ram: number | null
  readonly disk: readonly DiskUse[]
  /** Average of one minute over all cores; `null` on Windows, which has none. */
  readonly load: number | null
  readonly cores: number | null
  /** ISO 8601 UTC. */
  readonly at: string
}

interface MeterOptions {
  readonly clock: Clock
  readonly disks: readonly string[] | undefined
}

/** Callers at the same time share one measurement. */
export function createMeter({ clock, disks }: MeterOptions): () => Promise<ResourcesReport> {
  const cpu = cpuMeter(clock)
  const disk = createDiskMeter({ clock, disks })
  let underWay: Promise<ResourcesReport> | undefined

  async function measure(): Promise<ResourcesReport> {
    const [busy, ram, used] = await Promise.all([cpu(), ramUse(), disk()])
    const [load] = platform() === 'win32' ? [] : loadavg()
    return {
      cpu: busy,
      ram,
      disk: used,
      load: load === undefined ? null : round(load),
      cores: cpus().length || null,
      at: iso(clock.now()),
    }
  }

  return () => {
    underWay ??= measure().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** Linux counts its caches as in use and says itself what is left for programs. */
async function ramUse(): Promise<number | null> {
  const total = totalmem()
  const meminfo = await readFile('/proc/meminfo', 'latin1').catch(() => '')
  const available = readMemAvailable(meminfo) ?? freemem()
  return total > 0 ? round(100 * (1 - Math.min(available, total) / total)) : null
}

/** Bytes; `undefined` where the text does not say. */
export function readMemAvailable(meminfo: string): number | undefined {
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1]
  return kib === undefined ? undefined : Number(kib) * 1024
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Counters move in steps of 10 ms; a shorter window than this says nothing. */
const MIN_WINDOW_MS = 200

interface CpuTimes {
  /** Since the machine started, over all cores, in any unit. */
  readonly busy: number
  readonly total: number
}

type ReadCpu = () => CpuTimes

/** Percent since the last call; the first call waits for a window of its own. `null` where nothing is counted. */
export function cpuMeter(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  read: ReadCpu = readCpu,
): () => Promise<number | null> {
  let last: { readonly at: number; readonly times: CpuTimes } | undefined
  let shown: number | null = null

  return async () => {
    if (last === undefined) {
      last = { at: clock.monotonic(), times: read() }
      await clock.sleep(MIN_WINDOW_MS)
    }
    const at = clock.monotonic()
    // Timers may fire a little early.
    if (at - last.at < MIN_WINDOW_MS / 2) return shown
    const times = read()
    shown = busyBetween(last.times, times)
    last = { at, times }
    return shown
  }
}

/** `null` where the counters did not move, or went back (a virtual machine that was moved). */
export function busyBetween(from: CpuTimes, to: CpuTimes): number | null {
  const total = to.total - from.total
  const busy = to.busy - from.busy
  if (total <= 0 || busy < 0) return null
  return Math.round(Math.min(busy / total, 1) * 10_000) / 100
}

function readCpu(): CpuTimes {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    busy += working
    total += working + times.idle
  }
  return { busy, total }
}
