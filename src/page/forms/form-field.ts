/**
 * One control of a form with its label, its description and its problem.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { english, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import type { Words } from '../words/en/index.ts'
import type { Language } from '../words/language.ts'
import { textOf, valueAt } from './controls.ts'
import type { Control } from './controls.ts'
import { isStored, PREFIX, REMOVE } from './read-form.ts'
import { typedAgain } from './typed.ts'
import type { Typed } from './typed.ts'

export interface FieldValues {
  /** As it was sent, if it was. */
  readonly sent: URLSearchParams | undefined
  /** As it is stored, or proposed for a new one; secrets masked. */
  readonly values: JsonObject
  /** Secrets that are stored may be kept. */
  readonly keeps_secrets: boolean
  readonly problems: Readonly<Record<string, string>>
}

export function formField(control: Control, given: FieldValues): Markup {
  const { name, required, kind } = control
  const id = `f-${name}`
  const problem = given.problems[name]
  const note = noteOf(control)
  const typed = typedIn(control, given.sent)
  const leftOut = typed?.left_out === true
  const described = [
    note.length > 0 && `${id}-note`,
    leftOut && `${id}-left-out`,
    problem !== undefined && `${id}-problem`,
  ]
    .filter((each) => each !== false)
    .join(' ')
  const attributes = html` id="${id}"${described !== '' && html` aria-describedby="${described}"`}${problem !== undefined && html` aria-invalid="true"`}`
  const label = labelOf(name)
  const box = kind === 'checkbox'
  const isChoice = kind === 'lines' && control.choices.length > 0
  return html`<div class="field${problem !== undefined && ' wrong'}">
    ${!box && (isChoice ? html`<span class="label" id="${id}-label">${label}</span>` : html`<label for="${id}">${label}${required && html` <span class="muted">${({ words }) => words.forms.required}</span>`}</label>`)}
    ${drawn(control, { ...given, attributes, typed })}${box && html`<label for="${id}">${label}</label>`}
    ${note.length > 0 && html`<p class="note" id="${id}-note">${note.map((part, at) => [at > 0 && '; ', part])}</p>`}
    ${leftOut && html`<p class="note" id="${id}-left-out">${({ words }) => words.forms.leftOut}</p>`}
    <p class="problem" id="${id}-problem" data-part>
      ${problem !== undefined && problemText(problem)}
    </p>
  </div>`
}

const ABBREVIATIONS = /\b(?:url|ip|tls|ssl|dns|sni|http|ca|cpu|sql|json|api|id|ttl|ocsp|ct)\b/g

/** `expect_status` → `Expect status`, `auth.user` → `Auth: user`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/_(?:sec|ms|min|ids?)$/, '')
    .replaceAll('.', ': ')
    .replaceAll('_', ' ')
    .replace(ABBREVIATIONS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The description, the unit and the default. */
function noteOf({ name, info, fallback, kind, required }: Control): readonly Content[] {
  const { unit, no_effect, unavailable } = info
  const described = info.description.replace('; a string with commas is accepted as well', '')
  const description = unlabelled(described, labelOf(name))
  const usual = required || kind === 'checkbox' ? '' : usualText(fallback)
  const said = (word: (words: Words['forms']) => Content): Content => {
    return ({ words }) => word(words.forms)
  }
  const parts: readonly Content[] = [
    description !== '' && english(description),
    unit !== undefined && said(({ inUnit }) => inUnit(unit)),
    kind === 'lines' && said(({ onePerLine }) => onePerLine),
    kind === 'headers' && said(({ headerLines }) => headerLines),
    kind === 'json' && said(({ asJson }) => asJson),
    usual !== '' && said((words) => words.usual(usual)),
    no_effect !== undefined && said(({ noEffect }) => noEffect(english(no_effect))),
    unavailable !== undefined && said((words) => words.unavailable(english(unavailable))),
  ]
  return parts.filter((part) => part !== false)
}

/** Without the label, which stands above it: `Name; default is the address` → `Default is the address`. */
function unlabelled(description: string, label: string): string {
  const [first, ...rest] = description.split('; ')
  if (first !== label) return description
  const text = rest.join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function usualText(fallback: Json): string {
  if (fallback === null || fallback === '') return ''
  if (typeof fallback !== 'object') return String(fallback)
  const empty = Array.isArray(fallback) ? fallback.length === 0 : Object.keys(fallback).length === 0
  return empty ? '' : JSON.stringify(fallback)
}

const RANGE = /^out_of_range: (-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)((?: .*)?)$/s

/** `out_of_range: 1..20 items` → `Must be 1 to 20 items`. */
export function problemText(problem: string): Content {
  if (problem === 'required') return ({ words }) => words.forms.isRequired
  const [, from, to, of = ''] = RANGE.exec(problem) ?? []
  if (from !== undefined && to !== undefined)
    return ({ words, number }) => words.forms.within(bound(from, number), bound(to, number), of)
  const text = problem.replace(/^(?:invalid|out_of_range): /, '').replaceAll('out_of_range: ', '')
  return english(text.charAt(0).toUpperCase() + text.slice(1))
}

function bound(text: string, number: Language['number']): string {
  return text.includes('.') ? text : number(Number(text))
}

function usualOption(fallback: Json): Said {
  return ({ words: { forms } }) =>
    fallback === null
      ? forms.default
      : forms.defaultOf(JSON.stringify(fallback).replaceAll('"', ''))
}

function typedIn(control: Control, sent: URLSearchParams | undefined): Typed | undefined {
  if (sent === undefined) return undefined
  return typedAgain(control, sent.getAll(PREFIX + control.name).join('\n'))
}

interface Drawing extends FieldValues {
  readonly attributes: Markup
  /** What was sent, if anything was. */
  readonly typed: Typed | undefined
}

function drawn(control: Control, drawing: Drawing): Content {
  const { name, kind, info, choices, fallback } = control
  const { attributes, sent, values, typed } = drawing
  const key = PREFIX + name
  const value = valueAt(values, name)
  const text = typed?.text ?? textOf(control, value)
  switch (kind) {
    case 'checkbox': {
      const on = sent === undefined ? (value ?? fallback) === true : sent.get(key) === 'on'
      return html`<input type="checkbox" name="${key}" ${attributes}${on && html` checked`} />`
    }
    case 'select':
      return html`<select name="${key}" ${attributes}>
        ${!control.required && html`<option value="">${usualOption(fallback)}</option>`}
        ${choices.map((choice) => html`<option value="${choice.value}" ${choice.value === text && html` selected`}>${choice.label}</option>`)}
      </select>`
    case 'secret':
      return secretInput(control, drawing)
    case 'lines':
      if (choices.length > 0) return checkboxes(control, text.split('\n'))
      return area(key, { attributes, text, rows: 2 })
    case 'headers':
    case 'json':
    case 'text':
      return area(key, { attributes, text, rows: kind === 'text' ? 4 : 3 })
    case 'number':
      return html`<input
        inputmode="decimal"
        autocomplete="off"
        class="number"
        name="${key}"
        value="${text}"
        ${attributes}
      />`
    case 'line':
      return html`<input
        type="${info.format === 'url' ? 'url' : 'text'}"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        name="${key}"
        value="${text}"
        ${attributes}
      />`
  }
}

function area(
  key: string,
  {
    attributes,
    text,
    rows,
  }: { readonly attributes: Markup; readonly text: string; readonly rows: number },
): Markup {
  // The first line end of a text area is dropped by browsers.
  return html`<textarea
    name="${key}"
    rows="${rows}"
    autocapitalize="off"
    spellcheck="false"
    ${attributes}
  >
${text}</textarea>`
}

/** Write-only: what is stored or was sent is never in the page. */
function secretInput({ name }: Control, { attributes, values, keeps_secrets }: Drawing): Markup {
  const stored = keeps_secrets && isStored(values, name)
  return html`<input
      type="password"
      autocomplete="new-password"
      name="${PREFIX + name}"
      ${attributes}${stored && html` placeholder="${({ words }: Language) => words.forms.stored}"`}
    />${stored && html`<label class="checkbox"><input type="checkbox" name="${REMOVE + name}" />${({ words }) => words.forms.removeStored}</label>`}`
}

/** Which of a few, as boxes; none is the default. */
function checkboxes({ name, choices }: Control, chosen: readonly string[]): Markup {
  return html`<div class="checkboxes" id="f-${name}" role="group" aria-labelledby="f-${name}-label">
    ${choices.map(({ value, label }) => html`<label class="checkbox"><input type="checkbox" name="${PREFIX + name}" value="${value}" ${chosen.includes(value) && html` checked`} />${label}</label>`)}
  </div>`
}
