import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { find } from '../../scripts/servers.mjs'
import { root } from '../../scripts/steps.mjs'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { MONITOR_STATES } from '../../src/model.ts'
import { rig } from '../engine/rig.ts'
import { folder } from '../support/command-line.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { namedIn } from './promql.ts'

// The alert rules and the dashboard against what /metrics shows, so that a renamed metric is missed here first.

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}
interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const rulesFile = 'deploy/prometheus-rules.yaml'
const rules = (parse(read(rulesFile)) as Rules).groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
)

/** Labels of every metric, by the name of its samples, and the values that a label may have. */
const labels = new Map<string, ReadonlySet<string>>()
const OF_PROMETHEUS = ['instance', 'job']
const VALUES: Readonly<Record<string, readonly string[]>> = {
  state: MONITOR_STATES,
  verdict: ['ok', 'fail', 'unknown'],
  outcome: ['sent', 'failed', 'cancelled'],
}
let close: () => Promise<void>

/** Has a duration and a phase, and fails against one host. */
const timed = defineChecker({
  type: 'timed',
  title: 'Timed',
  description: 'Takes its time',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: { broken: { text: 'It is broken' } },
  target: ({ host }) => host,
  async run(ctx, { host }) {
    await ctx.phase('connect', () => ctx.clock.sleep(20))
    return host === 'ill.test' ? down('broken', 'It is broken') : up()
  },
})

beforeAll(async () => {
  const { engine, clock } = await rig({ checkers: [timed], locations: ['here', 'there'] })
  const metrics = createMetrics(engine, { process: true })
  close = async () => {
    await engine.stop({ drainMs: 0 })
    metrics.close()
  }
  await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  for (const host of ['well.test', 'ill.test'])
    await engine.monitors.create({ type: 'timed', name: host, host, fail_threshold: 1 })
  await clock.advance(180_000)
  const text = await metrics.text()
  for (const [, name = '', inner = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = [...inner.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
    labels.set(name, new Set([...(labels.get(name) ?? []), ...own, ...OF_PROMETHEUS]))
  }
  labels.set('up', new Set(OF_PROMETHEUS))
})

afterAll(() => close())

function problemsOf(expression: string, shown: readonly string[]): string[] {
  const { metrics, matchers, grouping, kept } = namedIn(expression)
  const all = new Set(metrics.flatMap((metric) => [...(labels.get(metric) ?? [])]))
  const left = kept ?? [...all, ...(expression.startsWith('up{') ? OF_PROMETHEUS : [])]
  return [
    ...metrics.filter((metric) => !labels.has(metric)).map((metric) => `no metric ${metric}`),
    ...matchers.flatMap(({ metric, label, operator, value }) => {
      if (labels.get(metric)?.has(label) !== true) return [`${metric} has no label ${label}`]
      const known = VALUES[label]
      if (known === undefined) return []
      const values = operator.endsWith('~') ? value.split('|') : [value]
      return values.filter((each) => !known.includes(each)).map((each) => `no ${label} ${each}`)
    }),
    ...grouping.filter((label) => !all.has(label)).map((label) => `none has the label ${label}`),
    ...shown.filter((label) => !left.includes(label)).map((label) => `${label} is not left`),
  ]
}

const shownIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, label = '']) => label)

describe('the reader of expressions', () => {
  it('sees a metric, label, value and legend that are not there', () => {
    expect(problemsOf('sum by (le, planet) (rate(watchpost_x_total{a="b"}[5m]))', ['a'])).toEqual([
      'no metric watchpost_x_total',
      'watchpost_x_total has no label a',
      'none has the label le',
      'none has the label planet',
      'a is not left',
    ])
    expect(problemsOf('watchpost_monitors{state=~"up|dwon", monitor="1"}', ['state'])).toEqual([
      'no state dwon',
      'watchpost_monitors has no label monitor',
    ])
  })
})

describe('the alert rules', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_, { expr, annotations }) => {
    const text = Object.values(annotations).join(' ')
    expect(problemsOf(expr, shownIn(text, /\$labels\.(\w+)/g))).toEqual([])
  })

  it('each fire in a test of theirs, and each are quiet in one', () => {
    type Case = { readonly alertname: string; readonly exp_alerts: readonly unknown[] }
    const { tests } = parse(read('test/deploy/prometheus-rules.test.yaml')) as {
      readonly tests: readonly { readonly alert_rule_test: readonly Case[] }[]
    }
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    const named = (fires: boolean): string[] =>
      cases
        .filter(({ exp_alerts }) => exp_alerts.length > 0 === fires)
        .map(({ alertname }) => alertname)
    const alerts = rules.map(({ alert }) => alert).toSorted()
    expect(named(true).toSorted()).toEqual(alerts)
    expect(named(false).toSorted()).toEqual(alerts)
  })
})

const promtoolNeed = {
  name: 'promtool',
  packages: 'prometheus',
  locate: () => find('promtool'),
}

describeWithServer(promtoolNeed, 'promtool', () => {
  it('passes the alert rules and their tests', () => {
    expect(promtool('check', 'rules', join(root, rulesFile))).toBe(0)
    expect(promtool('test', 'rules', join(root, 'test/deploy/prometheus-rules.test.yaml'))).toBe(0)
  })

  it('parses every expression of the dashboard', () => {
    const file = join(folder(), 'panels.json')
    const list = queries.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: list }] }))
    expect(promtool('check', 'rules', file)).toBe(0)
  })
})

describe('the dashboard', () => {
  it.each(queries.map((query) => [query.title, query] as const))('%s', (_, query) => {
    expect(problemsOf(query.expr, shownIn(query.legendFormat, /\{\{(\w+)\}\}/g))).toEqual([])
  })

  it('shows every metric of the engine, and the variables that it uses', () => {
    const used = new Set(queries.flatMap(({ expr }) => namedIn(expr).metrics))
    const families = [...labels.keys()].filter((name) => /^watchpost_(?!monitor_)/.test(name))
    const absent = families
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
      .filter(
        (name) =>
          ![...used].some((metric) => metric.replace(/_(?:bucket|sum|count)$/, '') === name),
      )
    // Said by an alert rule; a line that is 1 shows nothing.
    expect([...new Set(absent)]).toEqual(['watchpost_engine_running'])
    const variables = new Set(shownIn(JSON.stringify(dashboard.panels), /\$\{?([a-z]\w*)/g))
    expect([...variables].toSorted()).toEqual(
      dashboard.templating.list.map(({ name }) => name).toSorted(),
    )
    for (const { definition = '' } of dashboard.templating.list) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
      if (definition !== '') expect([...(labels.get(metric) ?? [])]).toContain(label)
    }
  })

  it('lays its panels side by side within 24 columns, each with an id and a description', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { gridPos, title, type, description } of panels) {
      if (type !== 'row') expect([title, description]).not.toContain(undefined)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x}:${y}`), title).toBe(false)
          taken.add(`${x}:${y}`)
        }
      }
    }
  })
})

/** Exit code; what it says is shown where it is another one than 0. */
function promtool(...args: readonly string[]): number | string | null {
  const { status, stdout, stderr } = spawnSync(find('promtool') ?? '', args, { encoding: 'utf8' })
  return status === 0 ? 0 : `${stdout}${stderr}`
}
