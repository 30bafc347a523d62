/** What processes have used, from /proc. */

import { readdirSync, readFileSync } from 'node:fs'

/** What /proc counts times in (USER_HZ), the same on every Linux. */
const TICK_MS = 10

/** CPU time, own and of the kernel, in milliseconds. 0 for one that is gone. */
export function cpuMs(pid: number | undefined): number {
  const [own, kernel] = fieldsFrom(pid, 14)
  return (Number(own ?? 0) + Number(kernel ?? 0)) * TICK_MS
}

/** Of the processes that this one has started and that have ended, with those that they started (Linux). */
export function childrenMs(): number {
  const [own, kernel] = fieldsFrom(process.pid, 16)
  return (Number(own ?? 0) + Number(kernel ?? 0)) * TICK_MS
}

/** Of all processes of that name that live now. */
export function cpuMsOfAll(name: string): number {
  return readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each))
    .map(Number)
    .filter((pid) => contents(pid, 'comm').startsWith(name))
    .reduce((sum, pid) => sum + cpuMs(pid), 0)
}

/** Resident memory in MiB. */
export function memoryOf(pid: number | undefined): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(contents(pid, 'status'))?.[1] ?? 0) / 1024)
}

/** What it has made the disk write, in bytes. */
export function writtenBy(pid: number | undefined): number {
  return Number(/^write_bytes: (\d+)/m.exec(contents(pid, 'io'))?.[1] ?? 0)
}

/** The fields of /proc/<pid>/stat from that number on, as proc(5) counts; the name, the second, may hold spaces. */
function fieldsFrom(pid: number | undefined, number: number): string[] {
  const afterName = contents(pid, 'stat').replace(/^.*\) /, '')
  return afterName.split(' ').slice(number - 3)
}

function contents(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
