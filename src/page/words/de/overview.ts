/**
 * German: the overview of all monitors.
 *
 * @module
 */

import type { OVERVIEW } from '../en/overview.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

const of = (some: number, all: number, cut: boolean): string =>
  cut
    ? `${number(some)} der ersten ${number(all)} Monitore`
    : `${number(some)} von ${plural(all, { one: '1 Monitor', other: `${number(all)} Monitoren` })}`

export const OVERVIEW_DE: typeof OVERVIEW = {
  title: 'Monitore',
  newMonitor: 'Neuer Monitor',
  noMatch: 'Kein Monitor passt zu diesem Filter.',
  showAll: 'Alle anzeigen',
  monitor: 'Monitor',
  days: '90 Tage',
  uptime: 'Verfügbar',
  response: 'Antwort',
  checked: 'Geprüft',
  planned: 'Geplante Wartung',
  down: (down, all, cut) => `${of(down, all, cut)} ausgefallen`,
  up: (up, all, cut) => `${of(up, all, cut)} erreichbar`,
  allUp: (all, cut) => {
    if (all === 1) return 'Der Monitor ist erreichbar'
    return cut
      ? `Die ersten ${number(all)} Monitore sind erreichbar`
      : `Alle ${number(all)} Monitore erreichbar`
  },
  attention: (lead, count) =>
    `${lead}, ${number(count)} ${plural(count, { one: 'erfordert', other: 'erfordern' })} Aufmerksamkeit`,
  countUp: (count) => `${number(count)} erreichbar`,
  nothingChecked: 'noch nichts geprüft',
  lastCheck: (when) => ['letzte Prüfung ', when],
  notShown: (count) =>
    plural(count, {
      one: '1 weiterer Monitor ist nicht gezeigt.',
      other: `${number(count)} weitere Monitore sind nicht gezeigt.`,
    }),
  more: (count) => ` und ${number(count)} weitere`,
  notReached: (contact) => [contact, ' wurde nicht erreicht'],
  severalNotReached: (count) => `${number(count)} Kontakte`,
  wereNotReached: (contacts) => [contacts, ' wurden nicht erreicht'],
  none: 'Noch keine Monitore',
  orApi: 'Oder über die REST-API mit einem API-Schlüssel anlegen:',
  onlyApi: 'Monitore werden über die REST-API mit einem Schlüssel angelegt, der schreiben darf:',
  appears: 'Nach der ersten Prüfung erscheint ein Monitor hier.',
  mark: (name) => `${name} markieren`,
  neverChecked: 'Noch nie geprüft',
  notCheckedSince: (when) => ['Zuletzt geprüft ', when],
  before: (state) => `; davor ${state}`,
  degraded: (cause) => ['Beeinträchtigt: ', cause],
  flapping: 'Instabil',
  responseIn: (name, days, median, p95) =>
    `${name}, Antwortzeit in ${days} Tagen: Median ${median}, p95 ${p95}`,
  nameOrAddress: 'Name oder Adresse',
  state: 'Status',
  type: 'Typ',
  tag: 'Schlagwort',
  marked: 'Markierte Monitore',
  allOf: (found) => plural(found, { one: '1 Monitor', other: `Alle ${number(found)} Monitore` }),
  orMarked: 'oder die markierten:',
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  acknowledge: 'Quittieren',
  notAll: 'Nicht alle wurden geändert',
  stayed: (count) =>
    `${plural(count, { one: '1 Monitor blieb', other: `${number(count)} Monitore blieben` })} unverändert:`,
  failed: (id, why) => `Monitor ${id}: ${why}`,
  backToList: 'Zurück zur Liste',
  noneMarked: 'Kein Monitor ist markiert. Bitte einige in der Liste markieren oder alle wählen.',
  noState: 'Nach diesem Status lässt sich nicht filtern.',
  noType: 'Nach diesem Typ lässt sich nicht filtern.',
  longText: (most) => `Der Filtertext hat mehr als ${number(most)} Zeichen.`,
}
