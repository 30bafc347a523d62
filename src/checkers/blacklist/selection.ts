/**
 * Selects the lists of a monitor: the host's default set or the lists it names, without those it
 * excludes.
 *
 * @module
 */

import { parseDnsName } from '../../net/dns/names.ts'
import { quoted } from '../../options.ts'
import { allCategories, CATALOGUE } from './catalogue.ts'
import type { Blocklist, ListKind } from './catalogue.ts'

/** A list of the catalogue, a zone, or a list of the host's own. */
export type ListOption = string | (Pick<Blocklist, 'id' | 'zone'> & Partial<Blocklist>)

export interface Selection {
  readonly lists: readonly SelectedList[]
  /** Listings with only these categories do not count. */
  readonly ignored: ReadonlySet<string>
}

export interface SelectedList extends Blocklist {
  /** The kinds of entries are unknown until its self-test. */
  readonly guessed: boolean
  /** From the catalogue or the host's options; others are zones that a monitor names. */
  readonly vouched: boolean
  /** The zone as it may be shown: the zone of a host's own list may contain a customer key. */
  readonly shownZone: string | null
}

export interface Selector {
  /** @returns the problem, if a word of `lists` is neither a list nor a category */
  select(words: readonly string[] | undefined): Selection | { readonly problem: string }
}

/** Selects no list, for a monitor that uses providers only. */
const NONE = 'none'

const EVERY_KIND: readonly ListKind[] = ['ipv4', 'ipv6', 'domain']

/**
 * `defaults`: the lists of a monitor without `lists`.
 *
 * @throws RangeError if a default is not a list
 */
export function createSelector(defaults: 'free' | 'curated' | readonly ListOption[]): Selector {
  const own = typeof defaults === 'string' ? [] : defaults
  const objects = own.filter((option) => typeof option !== 'string').map(ownList)
  const known: readonly SelectedList[] = [
    ...objects,
    ...CATALOGUE.map((list) => ({
      ...list,
      guessed: false,
      vouched: true,
      shownZone: list.zone,
    })),
    ...own.flatMap((option) => (typeof option === 'string' ? (ofZone(option, true) ?? []) : [])),
  ]
  const standard =
    typeof defaults === 'string'
      ? known.filter(({ free, id }) => (defaults === 'free' ? free : !isPart(id)))
      : own.map((option) => requireList(typeof option === 'string' ? option : option.id))

  function find(word: string): SelectedList | undefined {
    return known.find(({ id, zone }) => id === word || zone === word) ?? ofZone(word, false)
  }

  function requireList(word: string): SelectedList {
    const list = find(word)
    if (list === undefined) throw new RangeError(`"${word}" is no list and no zone`)
    return list
  }

  return {
    select(words = []) {
      if (words.includes(NONE)) {
        return words.length === 1
          ? { lists: [], ignored: new Set() }
          : { problem: `"${NONE}" stands alone` }
      }
      const categories = allCategories(known)
      const excluded = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1))
      const named = words.filter((word) => !word.startsWith('!'))
      const strange =
        named.find((word) => find(word) === undefined) ??
        excluded.find((word) => find(word) === undefined && !categories.has(word))
      if (strange !== undefined) {
        return { problem: `${quoted(strange)} is no list of the catalogue and no zone` }
      }
      const asked = named.length === 0 ? standard : named.map(requireList)
      const kept = asked.filter(
        ({ id, zone }) => !excluded.includes(id) && !excluded.includes(zone),
      )
      return {
        lists: withoutRepeats(kept),
        ignored: new Set(excluded.filter((word) => categories.has(word))),
      }
    },
  }
}

/** Each zone is queried once, and not at all if another selected list includes its entries. */
function withoutRepeats(lists: readonly SelectedList[]): readonly SelectedList[] {
  const covered = new Set(lists.flatMap(({ includes = [] }) => includes))
  const zones = new Map(lists.map((list) => [list.zone, list]))
  return [...zones.values()].filter(({ id }) => !covered.has(id))
}

/** A list that is part of another catalogue list is queried only if named. */
function isPart(id: string): boolean {
  return CATALOGUE.some(({ includes = [] }) => includes.includes(id))
}

function ofZone(word: string, vouched: boolean): SelectedList | undefined {
  const zone = parseDnsName(word)
  if (zone?.includes('.') !== true) return undefined
  return { ...ownList({ id: zone, zone }), vouched, shownZone: zone }
}

function ownList(option: Exclude<ListOption, string>): SelectedList {
  const zone = parseDnsName(option.zone)
  if (zone === undefined) throw new RangeError(`"${option.zone}" is no zone`)
  return {
    title: zone,
    kinds: EVERY_KIND,
    free: true,
    terms: 'Not in the catalogue',
    delist_url: '',
    ...option,
    zone,
    guessed: option.kinds === undefined,
    vouched: true,
    shownZone: null,
  }
}
