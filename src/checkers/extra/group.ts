/**
 * `group`: several monitors of an account as one, decided from their states. Nothing is connected to.
 *
 * @module watchpost/checkers/extra/group
 */

import type { Stored } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { idField, tagField } from '../../fields/references.ts'
import { field } from '../../fields/vocabulary.ts'
import type { Json, MonitorState } from '../../model.ts'
import type { Judgement } from '../checker.ts'
import { defineChecker, down, unknown, up } from '../checker.ts'
import type { Member } from '../member.ts'

const CAUSES = {
  /** `cause_text` and `details.down` name the members: their own incidents say what is wrong. */
  group_down: { text: 'Too few members are up' },
  /** `details.unknown` names the members that have no result, or are stale: see why they are not checked. */
  group_undecided: { text: 'Members whose state is unknown decide', verdict: 'unknown' },
  /** settings: No monitor has one of the ids or tags, or all are paused or in maintenance. */
  group_empty: { text: 'No member is checked', verdict: 'unknown' },
  /** settings: A check by itself has no members: create a monitor of this type. */
  group_without_engine: { text: 'Only an engine knows the members', verdict: 'unknown' },
} as const

const MAX_MEMBERS = 200
/** Names in a cause; the details have more. */
const NAMED = 5
const LISTED = 50

const fields = {
  monitor_ids: field
    .list(idField(), {
      description: 'Members by id, of the same account; groups as well',
      max: MAX_MEMBERS,
    })
    .default([]),
  member_tags: field
    .list(tagField(), {
      description: 'Members by tag: every monitor with one of these, but no group',
      max: 20,
      commas: true,
    })
    .default([]),
  up_when: field
    .oneOf(['all', 'any'], { description: 'How many members must be up' })
    .default('all'),
  min_up: field.integer({
    description: 'Number of members that must be up, in place of up_when',
    min: 1,
    max: 1000,
  }),
  min_up_pct: field.number({
    description: 'Share of the members that must be up, in place of up_when',
    min: 1,
    max: 100,
    unit: '%',
  }),
}

type GroupStored = Stored<typeof fields>

export const group = () =>
  defineChecker({
    type: 'group',
    title: 'Group of monitors',
    description: 'Several monitors of the account as one: all, any, or enough of them must be up.',
    fields,
    causes: CAUSES,
    common: {
      singleLocation: true,
      fail_threshold: { default: 1 },
      noEffect: {
        timeout_ms: 'a group is decided inside the engine',
        location_ids: 'a group is decided inside the engine',
        confirm_locations: 'a group is decided inside the engine',
      },
    },
    figures: ['up_pct', 'members_up', 'members_down', 'members_unknown'],
    measurements: {
      members_up: 'Members that are up',
      members_down: 'Members that are down',
      members_unknown: 'Members whose state is unknown: without a result yet, or stale',
      members_left_out: 'Members that are paused or in maintenance, which count for nothing',
      up_pct: 'Share of the counted members that are up, in percent',
      down: 'Names of the members that are down, at most 50',
      unknown: 'Names of the members whose state is unknown, at most 50',
    },
    highlights: {
      members_up: { title: 'Members up' },
      members_down: { title: 'Members down' },
      down: { title: 'Down' },
    },
    refine: (settings) => {
      const problems = problemsOf(settings)
      return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
    },
    unused: ({ min_up, min_up_pct }): Record<string, string> =>
      min_up === undefined && min_up_pct === undefined
        ? {}
        : { up_when: 'min_up or min_up_pct says how many' },
    target: ({ monitor_ids, member_tags }) =>
      [
        ...(monitor_ids.length === 0 ? [] : [`monitors ${monitor_ids.join(', ')}`]),
        ...(member_tags.length === 0 ? [] : [`tags ${member_tags.join(', ')}`]),
      ].join('; '),
    composite: { judge },
    run: () => Promise.resolve(unknown('group_without_engine', 'Only an engine knows the members')),
  })

function problemsOf({ monitor_ids, member_tags, min_up, min_up_pct }: GroupStored): Problems {
  return {
    ...(monitor_ids.length === 0 && member_tags.length === 0
      ? { monitor_ids: 'required: a group has monitor_ids or member_tags' }
      : {}),
    ...(min_up !== undefined && min_up_pct !== undefined
      ? { min_up_pct: 'invalid: min_up is given as well' }
      : {}),
  }
}

type Counted = 'up' | 'down' | 'unknown' | 'left_out'

/** A failure that is not confirmed does not count; members that are paused or in maintenance are left out. */
const COUNTED_AS: Readonly<Record<MonitorState, Counted>> = {
  up: 'up',
  late: 'up',
  confirming: 'up',
  down: 'down',
  recovering: 'down',
  pending: 'unknown',
  paused: 'left_out',
  maintenance: 'left_out',
}

/** `unknown` members decide nothing: the verdict is the one that holds whatever they are. */
function judge(members: readonly Member[], settings: GroupStored): Judgement<keyof typeof CAUSES> {
  const of = (kind: Counted) => members.filter((member) => countedAs(member) === kind)
  const [good, bad, open] = [of('up'), of('down'), of('unknown')]
  const counted = good.length + bad.length + open.length
  const details: Record<string, Json> = {
    members_up: good.length,
    members_down: bad.length,
    members_unknown: open.length,
    members_left_out: members.length - counted,
    ...(counted === 0 ? {} : { up_pct: Math.round((good.length / counted) * 1000) / 10 }),
    ...(bad.length === 0 ? {} : { down: namesOf(bad) }),
    ...(open.length === 0 ? {} : { unknown: namesOf(open) }),
  }
  if (counted === 0)
    return unknown('group_empty', `None of ${members.length} members is checked`, { details })
  const need = needed(settings, counted)
  if (good.length >= need) return up({ details })
  const rule = `${need === counted ? 'all' : `at least ${need}`} must be up`
  if (good.length + open.length >= need)
    return unknown(
      'group_undecided',
      `${open.length} of ${counted} members are unknown, ${rule}: ${listOf(open)}`,
      { details },
    )
  return down(
    'group_down',
    `${bad.length} of ${counted} members ${bad.length === 1 ? 'is' : 'are'} down, ${rule}: ${listOf(bad)}`,
    { details },
  )
}

function countedAs({ state, stale }: Member): Counted {
  const kind = COUNTED_AS[state]
  return stale && kind === 'up' ? 'unknown' : kind
}

/** Never more than there are to count: planned work on some members is no failure of the group. */
function needed({ up_when, min_up, min_up_pct }: GroupStored, counted: number): number {
  if (min_up !== undefined) return Math.min(min_up, counted)
  if (min_up_pct !== undefined) return Math.max(1, Math.ceil((min_up_pct / 100) * counted))
  return up_when === 'any' ? 1 : counted
}

function namesOf(members: readonly Member[]): string[] {
  return members.slice(0, LISTED).map(({ name }) => name)
}

function listOf(members: readonly Member[]): string {
  const more = members.length - NAMED
  const names = members.slice(0, NAMED).map(({ name }) => name)
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
