/**
 * German: labels that several pages have.
 *
 * @module
 */

import type { LABELS } from '../en/labels.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

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
