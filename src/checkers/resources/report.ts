/**
 * Parses the report of an agent, in one of two formats. Pure.
 *
 * The simple format, in percent, at least one value required: `{ "cpu": 37.5, "ram": 61, "disk":
 * 80, "load": 1.2, "cores": 4, "at": "2026-05-01T12:00:00Z" }`, `disk` also as `[{ "mount": "/",
 * "used_pct": 80 }]`.
 *
 * The format of the Capture agent (https://github.com/bluewave-labs/capture, GET /api/v1/metrics),
 * with fractions from 0 to 1: `{ "data": { "cpu": { "usage_percent": 0.37 }, … }, "capture": …,
 * "errors": [ … ] }`.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

export interface Disk {
  /** Mount point or device, at most 100 characters; `null` if the agent names none. */
  readonly name: string | null
  readonly used_pct: number
}

export interface ResourceReport {
  readonly form: 'simple' | 'capture'
  /** Percent. `null`: not reported, or not a plausible number. */
  readonly cpu: number | null
  readonly ram: number | null
  /** Physical disks only, the fullest first. */
  readonly disks: readonly Disk[]
  /** One-minute load average, over all cores. */
  readonly load: number | null
  readonly cores: number | null
  /** When it was measured. */
  readonly at: EpochMs | null
  /** Measurement errors of the agent, at most 10. */
  readonly errors: readonly string[]
}

/** Why a body is not a report. */
export interface NoReport {
  readonly problem: string
}

type Fields = Readonly<Record<string, unknown>>

const MAX_DISKS = 200
const MAX_ERRORS = 10
const MAX_NAME_CHARACTERS = 100

export function readReport(text: string): ResourceReport | NoReport {
  const parsed = parseJson(text)
  if (parsed === undefined) return { problem: 'is not JSON' }
  if (!isFields(parsed)) return { problem: 'is JSON, but not an object' }
  if (isCapture(parsed)) return readCapture(parsed)
  const known = ['cpu', 'ram', 'disk', 'load'].filter((key) => Object.hasOwn(parsed, key))
  if (known.length === 0) return { problem: 'has neither cpu, ram, disk nor load in it' }
  return readSimple(parsed)
}

function readSimple(fields: Fields): ResourceReport | NoReport {
  const { at } = fields
  const measured = typeof at === 'string' ? Date.parse(at) : null
  if (Number.isNaN(measured)) return { problem: 'has an "at" that is not a time' }
  const { disk } = fields
  const list: readonly unknown[] = Array.isArray(disk) ? disk : [{ used_pct: disk }]
  return {
    form: 'simple',
    cpu: amount(fields.cpu),
    ram: amount(fields.ram),
    disks: disksOf(list, ({ used_pct }) => amount(used_pct)),
    load: amount(fields.load),
    cores: amount(fields.cores),
    at: measured,
    errors: [],
  }
}

function isCapture(fields: Fields): boolean {
  return isFields(fields.data) && (isFields(fields.capture) || 'errors' in fields)
}

/** A metric listed under the errors also has a value, usually 0, which is ignored. */
function readCapture({ data, errors }: Fields): ResourceReport {
  const { cpu, memory, disk } = data as Fields
  const failed = captureErrors(errors)
  const share = (part: unknown, metric: string): number | null => {
    if (!isFields(part) || failed.metrics.has(metric)) return null
    return percent(part.usage_percent)
  }
  return {
    form: 'capture',
    cpu: share(cpu, 'cpu.usage_percent'),
    ram: share(memory, 'memory.usage_percent'),
    disks: disksOf(Array.isArray(disk) ? disk : [], ({ usage_percent }) => percent(usage_percent)),
    load: null,
    cores: isFields(cpu) ? amount(cpu.logical_core) : null,
    at: null,
    errors: failed.texts,
  }
}

function captureErrors(errors: unknown): {
  readonly metrics: ReadonlySet<unknown>
  readonly texts: readonly string[]
} {
  const list = (Array.isArray(errors) ? (errors as readonly unknown[]) : []).filter(isFields)
  const metrics = list.flatMap(({ metric }) => (Array.isArray(metric) ? (metric as unknown[]) : []))
  const texts = list.flatMap(({ err }) => (typeof err === 'string' ? [nameOf(err) ?? ''] : []))
  return { metrics: new Set(metrics), texts: texts.slice(0, MAX_ERRORS) }
}

/** File systems that are always full or in memory. */
const UNREAL_TYPES = /^(?:tmpfs|devtmpfs|ramfs|overlay|squashfs|iso9660|erofs)$/
const UNREAL_DEVICES = /^(?:tmpfs|devtmpfs|udev|none|overlay|squashfs|shm|\/dev\/loop.*)$/
const UNREAL_MOUNTS = /^\/(?:dev|proc|sys|run|snap)(?:\/|$)/

function disksOf(
  list: readonly unknown[],
  usedOf: (disk: Fields) => number | null,
): readonly Disk[] {
  return list
    .slice(0, MAX_DISKS)
    .filter(isFields)
    .filter((disk) => !isUnreal(disk))
    .flatMap((disk) => {
      const used_pct = usedOf(disk)
      const name = nameOf(disk.mount) ?? nameOf(disk.mountpoint) ?? nameOf(disk.device)
      return used_pct === null ? [] : [{ name: name ?? null, used_pct }]
    })
    .sort((a, b) => b.used_pct - a.used_pct)
}

function isUnreal(disk: Fields): boolean {
  const says = (value: unknown, words: RegExp): boolean =>
    typeof value === 'string' && words.test(value.toLowerCase())
  return (
    [disk.fstype, disk.type].some((type) => says(type, UNREAL_TYPES)) ||
    says(disk.device, UNREAL_DEVICES) ||
    [disk.mount, disk.mountpoint].some((mount) => says(mount, UNREAL_MOUNTS))
  )
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.replace(/\p{Cc}/gu, ' ').slice(0, MAX_NAME_CHARACTERS)
}

/** A non-negative finite number; any other value was not measured. */
function amount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** A fraction as percent, rounded; a fraction whose percent is no number was not measured. */
function percent(share: unknown): number | null {
  const value = amount(share)
  return value === null ? null : amount(Math.round(value * 1e6) / 1e4)
}

/**
 * Matches the word first and its context second, so that a long run of blanks takes linear time.
 */
const BARE_WORD = /(?:NaN|-?Infinity)(?<=[:[,]\s*(?:NaN|-?Infinity))(?=\s*[,}\]])/g

/** Also accepts NaN and Infinity, which Python and others write by default; they become `null`. */
function parseJson(text: string): unknown {
  for (const candidate of [text, text.replace(BARE_WORD, 'null')]) {
    try {
      return JSON.parse(candidate) as unknown
    } catch {
      // The next candidate.
    }
  }
  return undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
