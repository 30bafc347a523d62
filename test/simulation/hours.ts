/** Quiet hours as a contact would read them off a clock on the wall: minute by minute, apart from the engine's way. */
import type { QuietHours } from '../../src/model.ts'
import { DAY, HOUR, MINUTE } from './time.ts'

type Hours = Pick<QuietHours, 'time_zone' | 'hours'>

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** The first time after `at` that is not quiet; `undefined` where `at` is not quiet itself. */
export function quietEnd(quiet: Hours | null, at: number): number | undefined {
  if (quiet === null || !isQuiet(quiet, at)) return undefined
  let end = at - (at % MINUTE)
  while (isQuiet(quiet, end)) end += MINUTE
  return end
}

function isQuiet({ time_zone, hours }: Hours, at: number): boolean {
  const local = at + offsetOf(time_zone, at)
  const day = Math.floor(local / DAY)
  const minute = Math.floor((local - day * DAY) / MINUTE)
  return hours.some(({ from, to, weekdays }) => {
    const isOn = (each: number): boolean =>
      weekdays.length === 0 || weekdays.some((name) => name === DAYS[(each + 4) % 7])
    const [begin, end] = [minutesOf(from), minutesOf(to)]
    if (begin < end) return isOn(day) && begin <= minute && minute < end
    return (isOn(day) && minute >= begin) || (isOn(day - 1) && minute < end)
  })
}

function minutesOf(text: string): number {
  const [hour = '0', minute = '0'] = text.split(':')
  return Number(hour) * 60 + Number(minute)
}

const offsets = new Map<string, number>()

/** Milliseconds by which the clocks of a zone are ahead of UTC; they change on the hour. */
function offsetOf(zone: string, at: number): number {
  const hour = Math.floor(at / HOUR) * HOUR
  const key = `${zone} ${hour}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const shown = new Date(hour).toLocaleString('sv-SE', { timeZone: zone })
  const offset = Date.parse(`${shown.replace(' ', 'T')}Z`) - hour
  offsets.set(key, offset)
  return offset
}
