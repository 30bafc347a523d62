/**
 * German: states, verdicts, phases of a check.
 *
 * @module
 */

import type { STATES } from '../en/states.ts'

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
