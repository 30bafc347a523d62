import { describe, expect, it } from 'vitest'
import { judge } from '../../src/checkers/resources/judge.ts'
import { readReport } from '../../src/checkers/resources/report.ts'
import type { ResourceReport } from '../../src/checkers/resources/report.ts'
import { processorMs } from '../support/turns.ts'

const read = (value: unknown): ResourceReport => {
  const report = readReport(typeof value === 'string' ? value : JSON.stringify(value))
  if ('problem' in report) throw new Error(report.problem)
  return report
}

const NOTHING = {
  cpu: null,
  ram: null,
  disks: [],
  load: null,
  cores: null,
  at: null,
  errors: [],
}

describe('a report in the simple form', () => {
  it.each<[string, unknown, Partial<ResourceReport>]>([
    [
      'with everything',
      { cpu: 37.5, ram: 61, disk: 80, load: 1.2, cores: 4, at: '2026-05-01T12:00:00Z' },
      {
        cpu: 37.5,
        ram: 61,
        disks: [{ name: null, used_pct: 80 }],
        load: 1.2,
        cores: 4,
        at: Date.UTC(2026, 4, 1, 12),
      },
    ],
    ['with one part', { load: 0 }, { load: 0 }],
    ['in percent even where it is small', { cpu: 0.4 }, { cpu: 0.4 }],
    [
      'with disks, the fullest first',
      {
        disk: [
          { mount: '/', used_pct: 40 },
          { mount: '/data', used_pct: 91.5 },
        ],
      },
      {
        disks: [
          { name: '/data', used_pct: 91.5 },
          { name: '/', used_pct: 40 },
        ],
      },
    ],
    [
      'with disks that are none',
      {
        disk: [
          { mount: '/', used_pct: 40 },
          { mount: '/tmp', used_pct: 99, fstype: 'tmpfs' },
          { mount: '/var/lib/docker/x', used_pct: 99, type: 'overlay' },
          { mount: '/media/cd', used_pct: 100, fstype: 'iso9660' },
          { mount: '/snap/core/1', used_pct: 100 },
          { mount: '/x', used_pct: 100, device: '/dev/loop3' },
          { mount: '/dev/shm', used_pct: 100 },
          { mount: '/device', used_pct: 30 },
        ],
      },
      {
        disks: [
          { name: '/', used_pct: 40 },
          { name: '/device', used_pct: 30 },
        ],
      },
    ],
    [
      'with what is no amount',
      {
        cpu: null,
        ram: '61',
        disk: [null, 3, { mount: '/', used_pct: -1 }, { used_pct: 5 }],
        load: [],
      },
      { disks: [{ name: null, used_pct: 5 }] },
    ],
    [
      'with the NaN of Python',
      '{"cpu": NaN, "ram":Infinity,"disk": [ -Infinity,NaN ], "load": 1}',
      { load: 1 },
    ],
    ['with more keys', { cpu: 1, uptime: 5, data: 'x' }, { cpu: 1 }],
  ])('%s', (_, value, expected) => {
    expect(read(value)).toEqual({ ...NOTHING, form: 'simple', ...expected })
  })

  it.each<[unknown, string]>([
    ['', 'is not JSON'],
    ['<html>', 'is not JSON'],
    ['{"cpu": 1', 'is not JSON'],
    ['[1]', 'is JSON, but not an object'],
    ['null', 'is JSON, but not an object'],
    ['"NaN"', 'is JSON, but not an object'],
    [{}, 'has neither cpu, ram, disk nor load in it'],
    [{ data: { cpu: {} } }, 'has neither cpu, ram, disk nor load in it'],
    [{ cpu: 1, at: 'yesterday' }, 'has an "at" that is not a time'],
  ])('%j is none', (value, problem) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    expect(readReport(text)).toEqual({ problem })
  })

  it('of Capture with a fraction whose percent is beyond all numbers has none', () => {
    const text =
      '{"data":{"cpu":{"usage_percent":1e308},"memory":{"usage_percent":0.5}},"capture":{}}'
    expect(readReport(text)).toMatchObject({ cpu: null, ram: 50 })
  })

  it('keeps its text when it speaks of NaN', () => {
    const { disks } = read(
      '{"disk":[{"mount":"/a: NaN","used_pct":1},{"mount":"b","used_pct":NaN}]}',
    )
    expect(disks).toEqual([{ name: '/a: NaN', used_pct: 1 }])
  })

  it('is read in no time, however strange', () => {
    const from = processorMs()
    for (const text of [
      ' '.repeat(262_144),
      `[${'NaN,'.repeat(60_000)}`,
      `{"cpu":${' '.repeat(200_000)}NaN x`,
      '['.repeat(262_144),
      `{"disk":[${'{"mount":"/x","used_pct":1},'.repeat(9000)}{}]}`,
    ]) {
      readReport(text)
    }
    expect(processorMs() - from).toBeLessThan(3000)
  })
})

describe('a report of Capture', () => {
  const capture = { version: '1.4.0', mode: 'release' }
  it('has shares from 0 to 1', () => {
    expect(
      read({
        data: {
          cpu: { logical_core: 8, usage_percent: 0.3712, free_percent: 0.6288 },
          memory: { usage_percent: 0.61 },
          disk: [
            { device: '/dev/sda1', mountpoint: '/', usage_percent: 0.9 },
            { device: '/dev/sdb1', mountpoint: '/data', usage_percent: 0.07 },
            { device: '/dev/loop1', mountpoint: '/snap/x', usage_percent: 1 },
            { device: 'unknown', usage_percent: null },
          ],
        },
        capture,
        errors: null,
      }),
    ).toEqual({
      ...NOTHING,
      form: 'capture',
      cpu: 37.12,
      ram: 61,
      disks: [
        { name: '/', used_pct: 90 },
        { name: '/data', used_pct: 7 },
      ],
      cores: 8,
    })
  })

  it('does not mean the zeros that it puts where it failed', () => {
    const report = read({
      data: { cpu: { usage_percent: 0 }, memory: { usage_percent: 0.5 }, disk: [] },
      capture,
      errors: [{ metric: ['cpu.usage_percent'], err: 'no such\u0007 sensor' }, 'x', null],
    })
    expect(report).toMatchObject({ cpu: null, ram: 50, errors: ['no such  sensor'] })
  })

  it('may have nothing in it', () => {
    expect(read({ data: {}, capture })).toEqual({ ...NOTHING, form: 'capture' })
    expect(read({ data: { cpu: 3, memory: 'x', disk: {} }, errors: 'all' })).toMatchObject(NOTHING)
  })
})

describe('a report against limits', () => {
  const now = Date.UTC(2026, 0, 1)
  const verdict = (value: unknown, limits = {}, period_ms = 60_000) => {
    const { verdict, cause_code, cause_text } = judge(
      { report: read(value), now, period_ms },
      limits,
    )
    return [verdict, cause_code, cause_text]
  }

  it.each<[unknown, object, readonly unknown[]]>([
    [{ cpu: 100, ram: 100, disk: 100, load: 99 }, {}, ['ok', null, null]],
    [{ cpu: 90 }, { cpu_max: 90 }, ['ok', null, null]],
    [{ cpu: 90.01 }, { cpu_max: 90 }, ['fail', 'cpu_high', 'CPU 90.01 %, allowed 90 %']],
    [{ cpu: 0.1 }, { cpu_max: 0 }, ['fail', 'cpu_high', 'CPU 0.1 %, allowed 0 %']],
    [{ ram: 91 }, { ram_max: 90 }, ['fail', 'ram_high', 'RAM 91 %, allowed 90 %']],
    [{ disk: 91 }, { disk_max: 90 }, ['fail', 'disk_high', 'Disk 91 %, allowed 90 %']],
    [
      { load: 8.5, cores: 4 },
      { load_max: 8 },
      ['fail', 'load_high', 'Load 8.5 on 4 cores, allowed 8'],
    ],
    [{ load: 8.5 }, { load_max: 8 }, ['fail', 'load_high', 'Load 8.5, allowed 8']],
    [
      {
        disk: [
          { mount: '/', used_pct: 91 },
          { mount: '/a', used_pct: 50 },
          { mount: '/b', used_pct: 99 },
        ],
      },
      { disk_max: 90 },
      ['fail', 'disk_high', 'Disk /b 99 %, / 91 %, allowed 90 %'],
    ],
    [
      { disk: Array.from({ length: 8 }, (_, n) => ({ mount: `/${n}`, used_pct: 99 - n })) },
      { disk_max: 50 },
      [
        'fail',
        'disk_high',
        'Disk /0 99 %, /1 98 %, /2 97 %, /3 96 %, /4 95 %, and 3 more, allowed 50 %',
      ],
    ],
    [
      { cpu: 99, ram: 50, disk: 98, load: 9 },
      { cpu_max: 90, ram_max: 90, disk_max: 90, load_max: 4 },
      ['fail', 'cpu_high', 'CPU 99 %, allowed 90 %; Disk 98 %, allowed 90 %; Load 9, allowed 4'],
    ],
    [
      { cpu: null, ram: 1 },
      { cpu_max: 90, disk_max: 90, ram_max: 50 },
      ['unknown', 'resource_missing_metric', 'The agent does not report: cpu, disk'],
    ],
    [
      { cpu: null, ram: 99 },
      { cpu_max: 90, ram_max: 50 },
      ['fail', 'ram_high', 'RAM 99 %, allowed 50 %'],
    ],
    [
      { disk: [{ mount: '/tmp', used_pct: 99, fstype: 'tmpfs' }] },
      { disk_max: 50 },
      ['unknown', 'resource_missing_metric', 'The agent does not report: disk'],
    ],
    [
      { data: {}, errors: [{ metric: [], err: 'no sensors' }] },
      { cpu_max: 50 },
      ['unknown', 'resource_missing_metric', 'The agent does not report: cpu (no sensors)'],
    ],
  ])('%j with %j', (value, limits, expected) => {
    expect(verdict(value, limits)).toEqual(expected)
  })

  it.each([
    [0, 180_000, null],
    [0, 181_000, 'resource_stale'],
    [60_000, 180_000, null],
    [60_000, 181_000, 'resource_stale'],
    [300_000, 900_000, null],
    [300_000, 901_000, 'resource_stale'],
    [60_000, -86_400_000, null],
  ])('checked every %i ms, %i ms old: %s', (period_ms, age_ms, cause) => {
    const at = new Date(now - age_ms).toISOString()
    expect(verdict({ cpu: 99, at }, {}, period_ms)[1]).toBe(cause)
    // Old figures break no limit.
    expect(verdict({ cpu: 99, at }, { cpu_max: 1 }, period_ms)[1]).toBe(cause ?? 'cpu_high')
  })
})
