/** The newest figure for every goal, one column for each version of Node, as the Markdown of docs/performance.md. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { figure } from './report.ts'
import type { Report, Verdict } from './report.ts'

/** @param order Names of the benchmarks, as the table is to list them. */
export function goalsTable(folder: string, order: readonly string[]): string {
  const newest = newestOf(readReports(folder))
  const nodes = [...new Set(newest.map(({ machine }) => machine.node))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  const rows = new Map<string, Map<string, Verdict[]>>()
  for (const { benchmark, machine, goals } of sorted(newest, order)) {
    for (const goal of goals) {
      // The same thing may be bounded in milliseconds and in megabytes.
      const what = `${benchmark}: ${goal.what}`
      const row = `${what}\n${goal.unit}`
      const cells = rows.get(row) ?? new Map<string, Verdict[]>()
      rows.set(row, cells)
      cells.set(machine.node, [...(cells.get(machine.node) ?? []), goal])
    }
  }
  const head = ['What', 'Goal, at most', ...nodes.map((node) => `Node ${node}`)]
  const lines = [...rows].map(([row, cells]) => {
    const [what = ''] = row.split('\n')
    const [goals = []] = cells.values()
    const seen = nodes.map((node) => cellOf(cells.get(node) ?? []))
    // A pattern may have one, which would end the cell.
    return [what.replaceAll('|', '\\|'), bounds(goals), ...seen]
  })
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Where, when and under which load: a table without that says nothing. */
export function conditions(folder: string): string {
  const newest = newestOf(readReports(folder))
  const loads = newest.map(({ machine }) => machine.load)
  const days = [...new Set(newest.map(({ at }) => at.slice(0, 10)))].sort()
  const [first] = newest
  if (first === undefined) return 'Nothing has been measured yet.'
  const { cpu, cores, memory_gb } = first.machine
  return (
    `${days.join(', ')}; ${cores} × ${cpu}, ${memory_gb} GB; ` +
    `load ${Math.min(...loads)} to ${Math.max(...loads)} when a benchmark began`
  )
}

function readReports(folder: string): Report[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report)
}

function newestOf(reports: readonly Report[]): Report[] {
  const newest = new Map<string, Report>()
  for (const report of reports.toSorted((a, b) => a.at.localeCompare(b.at))) {
    newest.set(`${report.benchmark} ${report.machine.node}`, report)
  }
  return [...newest.values()]
}

function sorted(reports: readonly Report[], order: readonly string[]): Report[] {
  const place = ({ benchmark }: Report): number => (order.indexOf(benchmark) + 1 || Infinity) - 1
  return reports.toSorted((a, b) => place(a) - place(b))
}

function bounds([first, ...others]: readonly Verdict[]): string {
  const more = others.map(({ at_most }) => `, then ${at_most}`)
  return `${first?.at_most}${more.join('')} ${first?.unit ?? ''}`.trimEnd()
}

function cellOf([first, ...others]: readonly Verdict[]): string {
  if (first === undefined) return '–'
  const { seen, of_us, against_us } = first
  const times = of_us === undefined ? '' : ` (${figure(of_us)} ÷ ${figure(against_us ?? NaN)} µs)`
  const met = [first, ...others].map((goal) => (goal.met ? 'met' : 'missed'))
  const said = new Set(met).size === 1 ? met.slice(0, 1) : met
  return `${figure(seen)}${times}, ${said.join(', then ')}`
}
