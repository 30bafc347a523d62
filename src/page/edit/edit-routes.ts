/**
 * The routes that create, change, copy and delete monitors.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type { MonitorView } from '../../engine/api/views.ts'
import { isWatchpostError } from '../../errors.ts'
import type { JsonObject } from '../../model.ts'
import { newInput, patchInput } from '../forms/read-form.ts'
import { positive } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { badRequest, forbidden } from '../http/page-error.ts'
import type { Frame } from '../layout/frame.ts'
import { english, foreign, html } from '../layout/markup.ts'
import type { Content, Said } from '../layout/markup.ts'
import { action, page } from '../routes/signed-in.ts'
import type { PrivateSheet, Seen } from '../routes/signed-in.ts'
import type { Language } from '../words/language.ts'
import { choicesFor, controlsFor, monitorForm } from './monitor-form.ts'
import type { Controls, FormOutcome, MonitorForm } from './monitor-form.ts'

const NEW: Said = ({ words }) => words.overview.newMonitor

export const editRoutes: readonly Route[] = [
  page(/^\/monitors\/new$/, async (seen) => {
    requireActing(seen)
    const { call, scope } = seen
    const { searchParams } = call.url
    const clone = positive(searchParams, 'clone')
    if (clone === undefined && (searchParams.get('type') ?? '') === '')
      return {
        title: NEW,
        main: typeList(call.service.engine.types.list(), call.frame),
        section: 'monitors',
      }
    const from = clone === undefined ? undefined : await scope.monitors.get(clone)
    const facts = await factsOf(call, scope, { type: from?.type ?? searchParams.get('type') ?? '' })
    return sheet(call, facts, { from })
  }),
  action(/^\/monitors\/new$/, async ({ call, scope, form }) => {
    const facts = await factsOf(call, scope, { type: form.get('type') ?? '' })
    const input = { type: facts.type.type, ...newInput(facts.controls.all, form) } as never
    const end = await attempt(async () => {
      const what = form.get('do') ?? 'save'
      if (what !== 'check') return `/monitors/${(await scope.monitors.create(input)).id}`
      await countTest(call, scope)
      return { kind: 'checked', outcome: await scope.monitors.test(input) }
    })
    return typeof end === 'string' ? end : sheet(call, facts, { sent: form, ...end })
  }),
  page(/^\/monitors\/(\d{1,15})\/edit$/, async (seen) => {
    requireActing(seen)
    const { call, scope } = seen
    const stored = await scope.monitors.get(Number(call.params[0]))
    return sheet(call, await factsOf(call, scope, stored), { stored })
  }),
  action(/^\/monitors\/(\d{1,15})\/edit$/, async ({ call, scope, form }) => {
    const id = Number(call.params[0])
    const stored = await scope.monitors.get(id)
    const facts = await factsOf(call, scope, stored)
    const patch = patchInput(facts.controls.all, form, stored as unknown as JsonObject) as never
    const version = positive(form, 'version')
    const end = await attempt(async () => {
      const what = form.get('do') ?? 'save'
      if (what === 'preview')
        return { kind: 'preview', preview: await scope.monitors.preview(patch, { update: id }) }
      if (what === 'check') {
        await countTest(call, scope)
        return { kind: 'checked', outcome: await scope.monitors.test(patch, { update: id }) }
      }
      await scope.monitors.update(id, patch, { version })
      return `/monitors/${id}`
    })
    return typeof end === 'string' ? end : sheet(call, facts, { stored, sent: form, ...end })
  }),
  page(/^\/monitors\/(\d{1,15})\/delete$/, async (seen) => {
    requireActing(seen)
    const { call, scope } = seen
    const monitor = await scope.monitors.get(Number(call.params[0]))
    const path = `${call.service.base}/monitors/${monitor.id}`
    const main: Content = ({
      words: {
        forms,
        monitor: { delete: word },
      },
    }) =>
      html`<div class="first">
        <h1>${forms.askDelete(foreign(monitor.name))}</h1>
        <p>${forms.deleteText}</p>
        <form method="post" action="${path}/delete" class="buttons">
          <button class="danger">${word}</button><a href="${path}">${forms.keep}</a>
        </form>
      </div>`
    const title: Said = ({ words }) => words.forms.deleteTitle(monitor.name)
    return { title, main, section: 'monitors' }
  }),
  action(/^\/monitors\/(\d{1,15})\/delete$/, async ({ call, scope }) => {
    await scope.monitors.remove(Number(call.params[0]))
    return '/'
  }),
]

/** Refuses a form to those who may not send it. */
function requireActing({ can_act }: Seen): void {
  if (!can_act) throw forbidden(({ words }) => words.forms.readOnly)
}

/** A test counts with the checks that users ask for. */
function countTest(call: Call, { account_id }: AccountScope): Promise<void> {
  return call.service.requests.check({ account_id, id: 0 })
}

interface Facts {
  readonly type: TypeView
  readonly controls: Controls
}

/** @throws PageError for an unknown type */
async function factsOf(
  { service }: Call,
  scope: AccountScope,
  { type: name }: { readonly type: string },
): Promise<Facts> {
  const { types, locations } = service.engine
  const type = types.list().find((each) => each.type === name)
  const table = types.tables().get(name)
  if (type === undefined || table === undefined) throw badRequest(({ words }) => words.forms.noType)
  return { type, controls: controlsFor(table, await choicesFor(scope, await locations.list())) }
}

interface Refused {
  readonly problems: Readonly<Record<string, string>>
  readonly outcome: FormOutcome
  readonly status: number
}

/** Where to go, or what to show with the form. */
async function attempt(
  work: () => Promise<string | FormOutcome>,
): Promise<string | Partial<Refused>> {
  try {
    const done = await work()
    return typeof done === 'string' ? done : { outcome: done }
  } catch (error) {
    if (!isWatchpostError(error)) throw error
    if (error.name === 'ValidationError') return { problems: problemsOf(error), status: 422 }
    if (error.name !== 'ConflictError') throw error
    return { outcome: { kind: 'refused', text: refusal(error) }, status: 409 }
  }
}

function problemsOf(error: object): Readonly<Record<string, string>> {
  return (error as { readonly fields?: Readonly<Record<string, string>> }).fields ?? {}
}

function refusal({ code, message }: { readonly code: string; readonly message: string }): Content {
  return code === 'version_mismatch'
    ? ({ words }) => words.forms.changedMeanwhile
    : english(`${message}.`)
}

interface Shown extends Partial<Refused> {
  /** The monitor that is changed. */
  readonly stored?: MonitorView
  /** The monitor that is copied. */
  readonly from?: MonitorView | undefined
  readonly sent?: URLSearchParams
}

function sheet(
  { service, frame }: Call,
  { type, controls }: Facts,
  { stored, from, sent, problems = {}, outcome = { kind: 'none' }, status = 200 }: Shown,
): PrivateSheet {
  const { base } = service
  const path = `${base}/monitors/${stored?.id ?? 'new'}`
  const form: MonitorForm = {
    ...{ type, controls, sent, problems, outcome, now: frame.now },
    title: stored === undefined ? NEW : ({ words }) => words.forms.edit(foreign(stored.name)),
    action: stored === undefined ? path : `${path}/edit`,
    back: stored === undefined ? `${base}/` : path,
    values: stored === undefined ? copyOf(from, frame.language) : (stored as unknown as JsonObject),
    keeps_secrets: stored !== undefined,
    version: stored?.version,
    hint:
      from === undefined || sent !== undefined
        ? undefined
        : ({ words }: Language) => words.forms.copyHint,
  }
  return {
    title: stored === undefined ? NEW : ({ words }) => words.forms.editTitle(stored.name),
    main: monitorForm(form),
    section: 'monitors',
    status,
    form: true,
  }
}

function copyOf(monitor: MonitorView | undefined, { words }: Language): JsonObject {
  if (monitor === undefined) return {}
  const values = withoutMasks(monitor as unknown as JsonObject)
  return { ...values, name: words.forms.copyOf(monitor.name) }
}

/** A masked value means a stored one, of which a copy has none. */
function withoutMasks(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === '***') return []
      const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
      return [[name, nested ? withoutMasks(value as JsonObject) : value]]
    }),
  )
}

function typeList(types: readonly TypeView[], { base }: Frame): Content {
  return ({ words }) =>
    html`<p class="back"><a href="${base}/">${words.frame.monitors}</a></p>
      <h1>${words.overview.newMonitor}</h1>
      <ul class="types">
        ${types.map(
          ({ type, name, description, available, install }) =>
            html`<li>
              ${available ? html`<a href="${base}/monitors/new?type=${type}">${english(name)}</a>` : html`<strong>${english(name)}</strong>`}
              <p class="muted">
                ${english(description)}${!available && install !== undefined && words.forms.notInstalled(html`<code>${install}</code>`)}
              </p>
            </li>`,
        )}
      </ul>`
}
