/**
 * The form of a new or an existing monitor, made from the fields of its type and those of every monitor.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type { MonitorPreview, ResultView, TimedOutcome } from '../../engine/api/views.ts'
import type { FieldTable } from '../../fields/field.ts'
import type { EpochMs, Json, JsonObject } from '../../model.ts'
import { controlsOf, valueAt } from '../forms/controls.ts'
import type { Choices, Control } from '../forms/controls.ts'
import { formField, labelOf, problemText } from '../forms/form-field.ts'
import type { FieldValues } from '../forms/form-field.ts'
import { icon } from '../layout/icons.ts'
import { english, foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { checkList } from '../monitor/checks.ts'
import { inWords } from '../monitor/highlights.ts'

/** The fields that everybody fills in; the others of every monitor stand behind a fold. */
const FIRST = ['name', 'interval_sec', 'tags']
/** More are written as ids. */
const CHOICES = 60

export interface Controls {
  readonly first: readonly Control[]
  /** Fields of the type that are not required. */
  readonly more: readonly Control[]
  /** Fields of every monitor. */
  readonly common: readonly Control[]
  readonly all: readonly Control[]
}

export function controlsFor(
  { fields, common }: { readonly fields: FieldTable; readonly common: FieldTable },
  choices: Choices,
): Controls {
  const own = controlsOf(fields)
  const usual = controlsOf(common, { choices })
  const first = [
    ...usual.filter(({ name }) => name === 'name'),
    ...own.filter(({ required, group }) => required && group === undefined),
    ...usual.filter(({ name }) => FIRST.includes(name) && name !== 'name'),
  ]
  const rest = (control: Control): boolean => !first.includes(control)
  const [more, others] = [own.filter(rest), usual.filter(rest)]
  return { first, more, common: others, all: [...first, ...more, ...others] }
}

export async function choicesFor(
  scope: AccountScope,
  locations: readonly { readonly id: number; readonly name: string }[],
): Promise<Choices> {
  const contacts = await scope.contacts.list()
  const named = (list: readonly { readonly id: number; readonly name: string }[]) =>
    list.length > CHOICES ? [] : list.map(({ id, name }) => ({ value: String(id), label: name }))
  return { location_ids: named(locations), contact_ids: named(contacts) }
}

/** What became of a form that was sent. */
export type FormOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly text: Content }
  | { readonly kind: 'checked'; readonly outcome: TimedOutcome }
  | { readonly kind: 'preview'; readonly preview: MonitorPreview }

export interface MonitorForm extends FieldValues {
  readonly title: Content
  readonly action: string
  readonly back: string
  readonly type: TypeView
  readonly controls: Controls
  /** Of the stored monitor, against concurrent changes. */
  readonly version: number | undefined
  readonly outcome: FormOutcome
  readonly hint: Content | undefined
  readonly now: EpochMs
}

export function monitorForm(form: MonitorForm): Content {
  const { title, action, back, type, controls, version, hint } = form
  const edits = version !== undefined
  return ({ words: { forms: words, common } }) =>
    html`<p class="back"><a href="${back}">${common.back}</a></p>
      <h1>${title}</h1>
      <p class="muted">${english(`${type.name}: ${type.description}`)}</p>
      ${hint !== undefined && html`<p class="hint">${icon('alert', 'warn')} ${hint}</p>`}
      <form
        method="post"
        action="${action}"
        class="fields"
        novalidate
        data-form
        data-asking="${words.asking}"
        data-no-answer="${words.noAnswer}"
      >
        <input type="hidden" name="type" value="${type.type}" />
        ${edits && html`<input type="hidden" name="version" value="${version}" />`}
        ${controls.first.map((control) => formField(control, form))}
        ${fold(words.more, controls.more, form)}${fold(words.common, controls.common, form)}
        <div id="outcome" data-part role="status">${said(form)}</div>
        <div class="buttons">
          <button class="primary" name="do" value="save">
            ${edits ? words.save : words.create}
          </button>
          <button name="do" value="check">${words.check}</button>
          ${edits && html`<button name="do" value="preview">${words.preview}</button>`}
        </div>
      </form>`
}

function fold(title: string, controls: readonly Control[], form: MonitorForm): Markup | false {
  if (controls.length === 0) return false
  const wrong = controls.some(({ name }) => Object.hasOwn(form.problems, name))
  const set = controls.filter((control) => isSet(control, form.values)).length
  return html`<details class="fold" ${wrong && html` open`}>
    <summary>
      ${title}${set > 0 && html` <span class="tag">${({ words }) => words.forms.set(set)}</span>`}
    </summary>
    ${controls.map((control) => formField(control, form))}
  </details>`
}

function isSet({ name, fallback }: Control, values: JsonObject): boolean {
  const value = valueAt(values, name)
  if (value === undefined || value === null) return false
  return JSON.stringify(value) !== JSON.stringify(fallback)
}

/** What came of it: problems first, also those of fields that the form does not have. */
function said({ outcome, problems, type, now }: MonitorForm): Content {
  const wrong = Object.entries(problems)
  if (wrong.length > 0)
    return html`<p class="problem">${({ words }) => words.forms.wrong(wrong.length)}</p>
      <ul>
        ${wrong.map(([name, problem]) => html`<li><a href="#f-${name}">${labelOf(name)}</a>: ${problemText(problem)}</li>`)}
      </ul>`
  if (outcome.kind === 'refused') return html`<p class="problem">${outcome.text}</p>`
  if (outcome.kind === 'checked') return checked(outcome.outcome, type, now)
  if (outcome.kind === 'preview') return changes(outcome.preview)
  return false
}

function checked(outcome: TimedOutcome, type: TypeView, now: EpochMs): Markup {
  const result: ResultView = {
    ...outcome,
    ...{ id: 0, monitor_id: 0, location_id: 0, round: outcome.started_at, lag_ms: 0 },
  }
  return html`<h2>${({ words }) => words.forms.checked(words.common.verdicts[outcome.verdict])}</h2>
    ${({ words }) => checkList({ results: [result], locations: new Map([[0, words.forms.fromHere]]), type, now })}`
}

function changes({ changes, warnings }: MonitorPreview): Content {
  return ({ words: { forms: words } }) =>
    html`<h2>${words.wouldChange}</h2>
      ${
        changes.length === 0
          ? html`<p class="empty">${words.nothingChanges}</p>`
          : html`<div class="wide" tabindex="0" role="group" aria-label="${words.changes}">
              <table>
                <thead>
                  <tr>
                    <th scope="col">${words.setting}</th>
                    <th scope="col">${words.now}</th>
                    <th scope="col">${words.then}</th>
                  </tr>
                </thead>
                <tbody>
                  ${changes.map(
                    ({ field, from, to, secret }) =>
                      html`<tr>
                        <th scope="row">${labelOf(field)}</th>
                        <td>${secret ? words.secret : shown(from)}</td>
                        <td>${secret ? words.otherSecret : shown(to)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
      ${warnings.map(({ field, text }) => html`<p class="hint">${english(`${labelOf(field)}: ${text}`)}</p>`)}`
}

function shown(value: Json): Content {
  return value === null ? '–' : foreign(inWords(value))
}
