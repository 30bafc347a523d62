/**
 * The filter of the overview: parsed from the query, rendered as a form.
 *
 * @module
 */

import type { MonitorFilter, TypeView } from '../../engine/api/engine.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../../model.ts'
import { html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import type { Counts } from './counts.ts'
import { badRequest } from '../http/page-error.ts'
import { stateWords } from '../layout/words.ts'

export interface Wanted {
  readonly state: string
  readonly type: string
  readonly tag: string
  readonly text: string
  /** Starting at 1. */
  readonly page: number
}

const TEXT_CHARS = 200
const PAGE_LIMIT = 10_000

/** @throws PageError for an invalid state, type or page */
export function wantedOf(query: URLSearchParams, types: readonly TypeView[]): Wanted {
  const given = (name: string): string => (query.get(name) ?? '').trim()
  const wanted = {
    state: given('state'),
    type: given('type'),
    tag: given('tag'),
    text: given('q'),
    page: Number(given('page') || '1'),
  }
  const states: readonly string[] = [...MONITOR_STATES, ...MONITOR_STATUSES]
  if (wanted.state !== '' && !states.includes(wanted.state))
    throw badRequest(({ words }) => words.overview.noState)
  if (wanted.type !== '' && !types.some(({ type }) => type === wanted.type))
    throw badRequest(({ words }) => words.overview.noType)
  if (wanted.text.length > TEXT_CHARS || wanted.tag.length > TEXT_CHARS)
    throw badRequest(({ words }) => words.overview.longText(TEXT_CHARS))
  if (!Number.isInteger(wanted.page) || wanted.page < 1 || wanted.page > PAGE_LIMIT)
    throw badRequest(({ words }) => words.errors.noListPage)
  return wanted
}

/** `undefined` without any condition. */
export function engineFilter({ state, type, tag, text }: Wanted): MonitorFilter | undefined {
  if (state + type + tag + text === '') return undefined
  return {
    ...(state === '' ? {} : { status: [state as (typeof MONITOR_STATES)[number]] }),
    ...(type === '' ? {} : { type: [type] }),
    ...(tag === '' ? {} : { tag: [[tag]] }),
    ...(text === '' ? {} : { q: text }),
  }
}

export function queryOf({ state, type, tag, text }: Wanted, page: number): string {
  const all = { state, type, tag, q: text, page: page === 1 ? '' : String(page) }
  const query = new URLSearchParams(
    Object.entries(all).filter(([, value]) => value !== ''),
  ).toString()
  return query === '' ? '' : `?${query}`
}

interface FormFacts {
  readonly wanted: Wanted
  readonly action: string
  readonly types: readonly TypeView[]
  readonly used: Counts['used']
}

export function filterForm({ wanted, action, types, used }: FormFacts): Markup {
  const states = [...used.states].sort()
  const all: Said = ({ words }) => words.common.all
  const option = (value: string, label: string | Said, chosen: string): Markup =>
    html`<option value="${value}" ${value === chosen && html` selected`}>${label}</option>`
  return html`<form class="filter" role="search" action="${action}" method="get">
    <label class="grow"
      ><span class="hidden">${({ words }) => words.overview.nameOrAddress}</span
      ><input
        type="search"
        name="q"
        value="${wanted.text}"
        maxlength="${TEXT_CHARS}"
        placeholder="${({ words }) => words.overview.nameOrAddress}"
    /></label>
    <label
      >${({ words }) => words.overview.state}
      <select name="state">
        ${option('', all, wanted.state)}${withChosen(states, wanted.state).map((state) => option(state, stateName(state), wanted.state))}
      </select></label
    >
    <label
      >${({ words }) => words.overview.type}
      <select name="type">
        ${option('', all, wanted.type)}${types.filter(({ type }) => used.types.has(type) || type === wanted.type).map(({ type, name }) => option(type, name, wanted.type))}
      </select></label
    >
    ${
      used.tags?.length !== 0 &&
      html`<label
        >${({ words }) => words.overview.tag}
        ${
          used.tags === undefined
            ? html`<input
                name="tag"
                value="${wanted.tag}"
                maxlength="${TEXT_CHARS}"
                autocomplete="off"
              />`
            : html`<select name="tag">
                ${option('', all, wanted.tag)}${withChosen(used.tags, wanted.tag).map((tag) => option(tag, tag, wanted.tag))}
              </select>`
        }</label
      >`
    }
    <button>${({ words }) => words.common.filter}</button>
  </form>`
}

function withChosen(offered: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || offered.includes(chosen) ? offered : [...offered, chosen]
}

function stateName(state: string): Said {
  return stateWords(MONITOR_STATES.find((name) => name === state) ?? 'stale').label
}
