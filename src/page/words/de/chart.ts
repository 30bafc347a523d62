/**
 * German: the charts of a monitor.
 *
 * @module
 */

import type { CHART } from '../en/chart.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const CHART_DE: typeof CHART = {
  none: 'Keine erfolgreiche Prüfung in diesem Zeitraum.',
  notMeasured: 'In diesem Zeitraum nicht gemessen.',
  noCheck: 'keine Prüfung',
  failed: (failed, all) =>
    `${number(failed)} von ${plural(all, { one: '1 Prüfung', other: `${number(all)} Prüfungen` })} fehlgeschlagen`,
  time: 'Zeit (UTC)',
  state: 'Status',
  failures: 'Fehlschläge',
  now: 'Jetzt',
  moment: (title) => `Zeitpunkt im Diagramm: ${title}`,
  degraded: 'Beeinträchtigt',
  failedChecks: 'Fehlgeschlagene Prüfungen',
  beyond: 'Maximum über der Skala',
  linesOf: (some, all) => `Linien von ${number(some)} der ${number(all)} Standorte`,
  asTable: 'Diagramm als Tabelle',
  phases: 'Phasen, Mittelwert',
  lowest: 'niedrigster',
  highest: 'höchster',
  stack: (title, phases) => `${title}: ${number(phases)} Phasen, übereinander`,
  fromTo: (title, least, most) => `${title}: von ${least} bis ${most}`,
  median: (title, least, most) => `${title}: Median von ${least} bis ${most}`,
  p95: (most) => `, p95 höchstens ${most}`,
}
