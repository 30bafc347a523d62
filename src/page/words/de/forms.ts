/**
 * German: the forms of monitors, and the parts of every form.
 *
 * @module
 */

import type { FORMS } from '../en/forms.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const FORMS_DE: typeof FORMS = {
  edit: (name) => [name, ' bearbeiten'],
  editTitle: (name) => `${name} bearbeiten`,
  copyOf: (name) => `Kopie von ${name}`,
  copyHint: 'Passwörter und geheime Header werden nicht mitkopiert: bitte neu eingeben.',
  askDelete: (name) => [name, ' löschen?'],
  deleteTitle: (name) => `${name} löschen`,
  deleteText:
    'Prüfungen, Messwerte und Einstellungen werden endgültig gelöscht. Die Störungen bleiben verzeichnet.',
  keep: 'Behalten',
  readOnly: 'Monitore dürfen hier angesehen, aber nicht geändert werden.',
  noType: 'Diesen Typ von Monitor gibt es nicht.',
  changedMeanwhile:
    'Der Monitor wurde inzwischen von anderer Stelle geändert. Bitte neu öffnen, um die Änderung zu sehen.',
  notInstalled: (command) => ['. Nicht installiert: ', command],
  more: 'Weitere Einstellungen',
  common: 'Benachrichtigung, Standorte und Zeitplan',
  set: (count) => `${number(count)} gesetzt`,
  save: 'Speichern',
  create: 'Anlegen',
  check: 'Vor dem Speichern prüfen',
  preview: 'Änderungen anzeigen',
  wrong: (count) =>
    plural(count, {
      one: 'Eine Einstellung stimmt nicht:',
      other: `${number(count)} Einstellungen stimmen nicht:`,
    }),
  checked: (verdict) => `${verdict}: Prüfung mit diesen Einstellungen`,
  fromHere: 'Von hier',
  wouldChange: 'Was sich ändern würde',
  nothingChanges: 'Nichts: Das sind die gespeicherten Einstellungen.',
  changes: 'Änderungen',
  setting: 'Einstellung',
  now: 'Jetzt',
  then: 'Danach',
  secret: 'ein geheimer Wert',
  otherSecret: 'ein anderer geheimer Wert',
  required: 'erforderlich',
  isRequired: 'Diese Angabe fehlt',
  within: (from, to, of) => `Erlaubt: ${from} bis ${to}${of}`,
  inUnit: (unit) => `in ${unit}`,
  onePerLine: 'je Zeile eine Angabe',
  headerLines: 'je Zeile einer, in der Form Name: Wert',
  asJson: 'als JSON',
  usual: (value) => `Standard: ${value}`,
  noEffect: (why) => ['hier ohne Wirkung: ', why],
  unavailable: (why) => ['nicht verfügbar: ', why],
  default: 'Standard',
  defaultOf: (value) => `Standard (${value})`,
  yes: 'Ja',
  no: 'Nein',
  stored: 'Gespeichert; leer lassen, um es zu behalten',
  leftOut: 'Ein hier eingegebener geheimer Wert wird nicht wieder angezeigt: bitte neu eingeben.',
  removeStored: 'Gespeicherten Wert entfernen',
  asking: 'Einen Moment …',
  noAnswer:
    'Der Dienst hat nicht wie erwartet geantwortet. Nichts ist verloren: bitte erneut versuchen.',
}
