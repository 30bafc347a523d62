import { describe, expect, it } from 'vitest'
import { blacklist } from '../../src/checkers/blacklist/index.ts'
import { domain } from '../../src/checkers/domain/index.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { describePlan } from '../../src/monitors/plan.ts'
import { syncMonitors } from '../../src/monitors/sync.ts'
import { rig } from './rig.ts'

const made = () => rig({ checkers: [domain(), blacklist(), heartbeat()] as never })
const JOB = { type: 'heartbeat', name: 'Backup', interval_sec: 3600 }
const DOMAIN = { type: 'domain', name: 'Domain', domain: 'example.com' }

describe('a setting that does nothing', () => {
  it.each([
    [{ ...JOB, timeout_ms: 5000 }, ['timeout_ms']],
    [{ ...JOB, location_ids: [1], confirm_locations: 1 }, ['location_ids', 'confirm_locations']],
    [{ ...JOB, recover_threshold: 3 }, ['recover_threshold']],
    [{ ...JOB, fail_threshold: 3, timeout_ms: null }, []],
    [{ ...JOB, cron: '0 3 * * *' }, ['interval_sec']],
    [{ ...DOMAIN, confirm_locations: 1 }, ['confirm_locations']],
    [{ ...DOMAIN, timeout_ms: 5000, fail_threshold: 2, recover_threshold: 2 }, []],
    [
      { type: 'blacklist', name: 'B', target: 'a.test', confirm_locations: 1 },
      ['confirm_locations'],
    ],
    [{ type: 'scripted', name: 'S', host: 'a.test', confirm_locations: 1, timeout_ms: 900 }, []],
  ])('%j is taken, and said: %j', async (input, fields) => {
    const { engine } = await made()
    const { warnings = [], ...created } = await engine.monitors.create(input)
    expect(warnings.map(({ field }) => field)).toEqual(fields)
    for (const { text } of warnings) expect(text).toMatch(/^has no effect: [a-z].*/)
    expect(await engine.monitors.get(created.id)).toEqual(created)
    const { warnings: previewed } = await engine.monitors.preview(input)
    expect(previewed).toEqual(warnings)
  })

  it('is said of a patch by what stands in it, and what was read can be sent back', async () => {
    const { engine } = await made()
    const read = await engine.monitors.create({ ...JOB, timeout_ms: 5000 })
    expect(await engine.monitors.update(read.id, { name: 'New' })).not.toHaveProperty('warnings')
    const { warnings = [] } = await engine.monitors.update(read.id, { timeout_ms: 6000 })
    expect(warnings.map(({ field }) => field)).toEqual(['timeout_ms'])
    expect(await engine.monitors.update(read.id, read as never)).toHaveProperty('warnings')
  })

  it('is marked in the types, with the reason', async () => {
    const { engine } = await made()
    const types = engine.types.list()
    const marked = (name: string) =>
      types
        .find(({ type }) => type === name)
        ?.common_fields.filter(({ no_effect }) => no_effect === true)
        .map((row) => [row.name, typeof row.reason])
    expect(marked('heartbeat')).toEqual([
      ['timeout_ms', 'string'],
      ['location_ids', 'string'],
      ['confirm_locations', 'string'],
      ['recover_threshold', 'string'],
    ])
    expect(marked('domain')).toEqual([['confirm_locations', 'string']])
    expect(marked('scripted')).toEqual([])
  })

  it('is said by a sync, in the words of the list', async () => {
    const { engine } = await made()
    const list = [{ key: 'job', ...JOB, locations: ['local'], timeout_ms: 5000, contacts: [] }]
    const plan = await syncMonitors(engine, list as never, { dryRun: true })
    expect(plan.warnings.map(({ key, field }) => `${key}.${field}`)).toEqual([
      'job.timeout_ms',
      'job.locations',
    ])
    expect(describePlan(plan)).toContain(`! job  timeout_ms: ${plan.warnings[0]?.text ?? ''}`)
    expect((await syncMonitors(engine, list as never)).warnings).toHaveLength(2)
  })
})
