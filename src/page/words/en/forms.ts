/**
 * English: the forms of monitors, and the parts of every form.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const FORMS = {
  edit: <T>(name: T): Parts<T> => ['Edit ', name],
  editTitle: (name: string): string => `Edit ${name}`,
  copyOf: (name: string): string => `Copy of ${name}`,
  copyHint: 'A copy has no passwords and no secret headers: enter them again.',
  askDelete: <T>(name: T): Parts<T> => ['Delete ', name, '?'],
  deleteTitle: (name: string): string => `Delete ${name}`,
  deleteText:
    'Its checks, its figures and its settings are deleted for good. Its incidents stay on record.',
  keep: 'Keep it',
  readOnly: 'You may look at monitors but not change them.',
  noType: 'There is no such type of monitor.',
  changedMeanwhile:
    'Somebody else has changed this monitor meanwhile. Open it again to see the change.',
  notInstalled: <T>(command: T): Parts<T> => ['. Not installed: ', command],
  more: 'More settings',
  common: 'Alerts, locations and schedule',
  set: (count: number): string => `${number(count)} set`,
  save: 'Save',
  create: 'Create',
  check: 'Check now, before saving',
  preview: 'Show what would change',
  wrong: (count: number): string =>
    plural(count, {
      one: 'One setting is not right:',
      other: `${number(count)} settings are not right:`,
    }),
  checked: (verdict: string): string => `${verdict}: the check of these settings`,
  fromHere: 'From here',
  wouldChange: 'What would change',
  nothingChanges: 'Nothing: these are the stored settings.',
  changes: 'Changes',
  setting: 'Setting',
  now: 'Now',
  then: 'Then',
  secret: 'a secret',
  otherSecret: 'another secret',
  required: 'required',
  isRequired: 'This is required',
  /** `of`: what is counted, with a space before it, or nothing. */
  within: (from: string, to: string, of: string): string => `Must be ${from} to ${to}${of}`,
  inUnit: (unit: string): string => `in ${unit}`,
  onePerLine: 'one per line',
  headerLines: 'one per line, as in Name: value',
  asJson: 'as JSON',
  usual: (value: string): string => `default ${value}`,
  noEffect: <T>(why: T): Parts<T> => ['no effect here: ', why],
  unavailable: <T>(why: T): Parts<T> => ['not available: ', why],
  default: 'Default',
  defaultOf: (value: string): string => `Default (${value})`,
  yes: 'Yes',
  no: 'No',
  stored: 'Stored; leave empty to keep it',
  leftOut: 'A secret that was typed here is not shown again: enter it once more.',
  removeStored: 'Remove the stored value',
  /** Said by the script, while the service is asked and when it does not answer. */
  asking: 'One moment …',
  noAnswer: 'The service did not answer as expected. Nothing is lost: try again.',
}
