/**
 * German: pages for customers, and the bars of days that other pages have as well.
 *
 * @module
 */

import type { DAYS, PLANNED, PUBLIC } from '../en/public.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const DAYS_DE: typeof DAYS = {
  maintenance: 'Wartung',
  paused: 'pausiert',
  noData: 'keine Daten',
  noDowntime: 'kein Ausfall',
  downtime: (time, up) => `${time} Ausfall, ${up} verfügbar`,
  lead: (name, days) => `${name}, letzte ${days} Tage`,
  noDataYet: (lead) => `${lead}: noch keine Daten`,
  up: (lead, percent, days) =>
    `${lead}: ${percent} verfügbar an ${plural(days, { one: '1 Tag', other: `${number(days)} Tagen` })} mit Daten`,
  without: (text) => `${text}, kein Ausfall`,
  with: (text, days) => `${text}. Ausfälle: ${days}`,
  more: (days) => ` und ${number(days)} weitere davor`,
  daysAgo: (days) => `Vor ${days} Tagen`,
  today: 'Heute',
}

export const PLANNED_DE: typeof PLANNED = {
  work: 'Geplante Wartung',
  ends: (when) => ['läuft und endet ', when],
  begins: (when) => ['beginnt ', when],
  more: (count) => `und ${number(count)} weitere`,
  atLeast: (count) => `und mindestens ${number(count)} weitere`,
}

export const PUBLIC_DE: typeof PUBLIC = {
  operational: 'In Betrieb',
  disrupted: 'Gestört',
  affected: 'Beeinträchtigt',
  unknown: 'Unbekannt',
  maintenance: 'Wartung',
  pending: 'Noch keine Daten',
  paused: 'Nicht überwacht',
  inMaintenance: (count) => `${number(count)} in Wartung`,
  notMonitored: (count) => `${number(count)} nicht überwacht`,
  withoutData: (count) => `${number(count)} noch ohne Daten`,
  allInMaintenance: 'Geplante Wartungsarbeiten laufen',
  noneMonitored: 'Zurzeit wird nichts überwacht',
  noDataYet: 'Es liegen noch keine Daten vor',
  noneKnown: 'Von keinem Dienst ist bekannt, dass er in Betrieb ist',
  oneDisrupted: 'Der Dienst ist gestört',
  allDisrupted: 'Die Dienste sind gestört',
  someDisrupted: 'Einige Dienste sind gestört',
  oneUnseen: 'Der Dienst konnte zuletzt nicht geprüft werden',
  allUnseen: 'Die Dienste konnten zuletzt nicht geprüft werden',
  someUnseen: 'Einige Dienste konnten zuletzt nicht geprüft werden',
  oneOperational: 'Der Dienst ist in Betrieb',
  allOperational: 'Alle Systeme in Betrieb',
  someOperational: (good, all) => `${number(good)} von ${number(all)} Diensten in Betrieb`,
  incidentsOpen: (count) =>
    plural(count, {
      one: 'Eine Störung ist offen',
      other: `${number(count)} Störungen sind offen`,
    }),
  noDisruptionFound: 'unsere Prüfungen finden keinen Ausfall',
  unnamed: 'Dienst ohne Namen',
  services: 'Dienste',
  past: 'Letzte 14 Tage',
  current: 'Aktuelle Störungen',
  planned: 'Wartung geplant',
  uptime: (percent) => `${percent} Verfügbarkeit`,
  uptimeShort: 'Verfügbarkeit',
  responseShort: 'Antwortzeit',
  noData: 'noch keine Daten',
  noDisruption: 'Keine Störung in diesem Zeitraum.',
  isDisrupted: (service, time) => [service, ` ist seit ${time} gestört`],
  wasDisrupted: (service, time) => [service, ` war ${time} gestört`],
  ongoing: 'andauernd',
  affectedBy: (services) => ['Betroffen: ', services],
  statuses: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  allServices: 'Alle Dienste',
  earlier: 'Frühere Störungen',
  months: 'Monate',
  incidents: 'Störungen',
  foundByChecks: 'Durch Prüfungen erkannt',
  uptimeTitle: 'Verfügbarkeit',
  needsPassword: 'Diese Seite ist durch ein Passwort geschützt',
  password: 'Passwort',
  wrongPassword: 'Das Passwort stimmt nicht.',
  show: 'Seite anzeigen',
  feedPlanned: (name) => `Wartung geplant: ${name}`,
  feedFromTo: (from, to) => `Von ${from} bis ${to}`,
}
