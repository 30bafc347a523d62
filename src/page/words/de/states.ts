/**
 * German: states, verdicts and phases of a check, times, and labels that several pages have.
 *
 * @module
 */

import type { LABELS, STATES, TIMES } from '../en/states.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const STATES_DE: typeof STATES = {
  states: {
    up: {
      label: 'Erreichbar',
      meaning: 'Die letzte Prüfung war erfolgreich',
      short: 'erreichbar',
    },
    down: { label: 'Ausgefallen', meaning: 'Eine Störung ist offen', short: 'ausgefallen' },
    confirming: {
      label: 'In Klärung',
      meaning: 'Eine Prüfung ist fehlgeschlagen; die nächsten entscheiden, ob es ein Ausfall ist',
      short: 'in Klärung',
    },
    recovering: {
      label: 'Erholt sich',
      meaning: 'Eine Prüfung war erfolgreich; die nächsten entscheiden, ob der Ausfall vorbei ist',
      short: 'in Erholung',
    },
    late: {
      label: 'Verspätet',
      meaning: 'Ein Signal ist überfällig, aber noch innerhalb der Nachfrist',
      short: 'verspätet',
    },
    pending: { label: 'Ausstehend', meaning: 'Noch ist nichts bekannt', short: 'ausstehend' },
    maintenance: { label: 'Wartung', meaning: 'Geplante Arbeiten', short: 'in Wartung' },
    paused: { label: 'Pausiert', meaning: 'Die Prüfungen sind angehalten', short: 'pausiert' },
    stale: {
      label: 'Unbekannt',
      meaning: 'Seit einer Weile wurde keine Prüfung abgeschlossen',
      short: 'unbekannt',
    },
  },
  verdicts: { ok: 'OK', fail: 'Fehlgeschlagen', unknown: 'Unbekannt' },
  phases: {
    resolve: 'DNS',
    connect: 'Verbindung',
    tls: 'TLS',
    starttls: 'STARTTLS',
    greeting: 'Begrüßung',
    send: 'Senden',
    auth: 'Anmeldung',
    query: 'Abfrage',
    first_byte: 'Erstes Byte',
    transfer: 'Übertragung',
  },
}

export const TIMES_DE: typeof TIMES = {
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'Tg.' },
  relative: {
    ago: { s: 'vor # s', min: 'vor # min', h: 'vor # h', d: 'vor # Tg.' },
    in: { s: 'in # s', min: 'in # min', h: 'in # h', d: 'in # Tg.' },
  },
  endsIn: (title, time) => `${title}: ${time}`,
  hasEnded: 'abgelaufen',
  ended: (title) => `${title}: abgelaufen`,
  inDays: (days) => plural(days, { one: 'in 1 Tag', other: `in ${number(days)} Tagen` }),
  inTime: (time) => `in ${time}`,
}

export const LABELS_DE: typeof LABELS = {
  monitors: (count) => plural(count, { one: '1 Monitor', other: `${number(count)} Monitore` }),
  removedMonitor: 'Ein gelöschter Monitor',
  yes: 'ja',
  no: 'nein',
  none: 'keine',
  never: 'nie',
  andMore: (count) => ` und ${number(count)} weitere`,
  all: 'Alle',
  filter: 'Filtern',
  pages: 'Seiten',
  previous: 'Zurück',
  next: 'Weiter',
  newest: 'Neueste',
  older: 'Ältere',
  back: 'Zurück',
  action: 'Aktion',
  created: 'Angelegt',
  details: 'Details',
  page: (page, last, found) => `Seite ${page} von ${last}, ${found}`,
}
