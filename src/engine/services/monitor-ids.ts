/**
 * Problems of the locations and contacts that settings name.
 *
 * @module
 */

import { addProblem, problemAt } from '../../fields/problems.ts'
import type { CommonSettings, ContactRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'

/** Unknown locations, and more that must agree than there are. */
export function locationProblems(
  core: Core,
  confirm_locations: number | undefined,
  location_ids: readonly number[],
): Record<string, string> {
  const known = new Set(core.locations.map(({ id }) => id))
  const problems: Record<string, string> = {}
  location_ids.forEach((id, index) => {
    if (known.has(id)) return
    addProblem(problems, 'location_ids', problemAt([index], `invalid: there is no location ${id}`))
  })
  const count = new Set(location_ids).size
  if (confirm_locations !== undefined && confirm_locations > count) {
    problems.confirm_locations = `out_of_range: 1..${count} (the number of locations)`
  }
  return problems
}

/** Contacts that are not among those of the account. */
export function contactProblems(
  { contact_ids, contact_delay }: Pick<CommonSettings, 'contact_ids' | 'contact_delay'>,
  contacts: readonly ContactRecord[],
): Record<string, string> {
  const known = new Set(contacts.map(({ id }) => id))
  const problems: Record<string, string> = {}
  contact_ids.forEach((id, index) => {
    if (known.has(id)) return
    addProblem(problems, 'contact_ids', problemAt([index], `invalid: there is no contact ${id}`))
  })
  for (const id of Object.keys(contact_delay)) {
    if (known.has(Number(id))) continue
    addProblem(problems, 'contact_delay', problemAt([id], `invalid: there is no contact ${id}`))
  }
  return problems
}
