/**
 * German: the page to sign in.
 *
 * @module
 */

import type { SIGN_IN } from '../en/sign-in.ts'
import { formsOf } from '../forms.ts'

const { number } = formsOf('de')

export const SIGN_IN_DE: typeof SIGN_IN = {
  title: 'Anmelden',
  key: 'API-Schlüssel',
  hint: (command) => [
    'Der Schlüssel wurde bei seiner Erstellung angezeigt, beim ersten Start oder durch ',
    command,
    '.',
  ],
  notReader: 'Mit diesem Schlüssel lässt sich die Seite nicht anzeigen: Ihm fehlt der Scope read.',
  notKnown: 'Dieser Schlüssel ist unbekannt oder wurde widerrufen.',
  tooMany: (sec) =>
    `Dieser Schlüssel ist unbekannt oder wurde widerrufen. Zu viele Fehlversuche: weiter in ${number(sec)} Sekunden.`,
}
