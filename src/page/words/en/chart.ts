/**
 * English: the charts of a monitor.
 *
 * @module
 */

import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const CHART = {
  none: 'No successful check in this period.',
  notMeasured: 'Not measured in this period.',
  noCheck: 'no check',
  failed: (failed: number, all: number): string =>
    `${number(failed)} of ${plural(all, { one: '1 check', other: `${number(all)} checks` })} failed`,
  time: 'Time (UTC)',
  state: 'State',
  failures: 'Failures',
  now: 'Now',
  /** The label of the readout. */
  moment: (title: string): string => `Moment in the chart: ${title}`,
  degraded: 'Degraded',
  failedChecks: 'Failed checks',
  beyond: 'Maximum beyond the scale',
  linesOf: (some: number, all: number): string =>
    `Lines of ${number(some)} of ${number(all)} locations`,
  asTable: 'Chart as a table',
  phases: 'Phases, mean',
  lowest: 'lowest',
  highest: 'highest',
  /** Text alternatives. */
  stack: (title: string, phases: number): string =>
    `${title}: ${number(phases)} phases, one above the other`,
  fromTo: (title: string, least: string, most: string): string =>
    `${title}: from ${least} to ${most}`,
  median: (title: string, least: string, most: string): string =>
    `${title}: median from ${least} to ${most}`,
  p95: (most: string): string => `, p95 at most ${most}`,
}
