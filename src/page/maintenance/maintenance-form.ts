/**
 * The form of planned work, and what it says as input for the engine.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { MonitorSummary } from '../../engine/api/views.ts'
import { WEEKDAYS } from '../../model.ts'
import type { EpochMs, Json, JsonObject } from '../../model.ts'
import { problemText } from '../forms/form-field.ts'
import { html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { MINUTE_MS } from '../../model/time.ts'

export interface MaintenanceForm {
  readonly action: string
  /** As it was sent, if it was. */
  readonly sent: URLSearchParams
  readonly problems: Readonly<Record<string, string>>
  readonly monitors: readonly Pick<MonitorSummary, 'id' | 'name'>[]
  /** `undefined`: too many for a list. */
  readonly tags: readonly string[] | undefined
}

/** The input of `maintenance.create`. Whether it is valid is for the engine to say. */
export function maintenanceInput(form: URLSearchParams, now: EpochMs): JsonObject {
  const covers = form.get('covers') ?? ''
  return {
    name: form.get('name') ?? '',
    window: { ...windowOf(form, now), skip_checks: form.get('skip_checks') === 'on' },
    all_monitors: covers === 'all',
    ...(covers === 'tags' ? { tags: form.getAll('tags') } : {}),
    ...(covers === 'monitors' ? { monitor_ids: form.getAll('monitor_ids').map(Number) } : {}),
  }
}

function windowOf(form: URLSearchParams, now: EpochMs): Record<string, Json> {
  const when = form.get('when') ?? ''
  const duration_min = Number(form.get('duration_min') ?? '')
  if (when === 'now') {
    const end = Number.isFinite(duration_min) ? now + duration_min * MINUTE_MS : now
    return { start: iso(now), end: timeText(end) }
  }
  if (when === 'weekly')
    return {
      at: form.get('at') ?? '',
      duration_min,
      time_zone: form.get('time_zone')?.trim() || 'UTC',
      weekdays: form.getAll('weekdays'),
    }
  return { start: utc(form.get('start')), end: utc(form.get('end')) }
}

/** A time too far off is for the engine to refuse. */
function timeText(at: number): string {
  return Math.abs(at) < 8e15 ? iso(at) : ''
}

/** `2026-03-12T14:30` of a browser, in UTC as all times of the page. */
function utc(local: string | null): string {
  const text = local ?? ''
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text
}

export function maintenanceForm(form: MaintenanceForm): Content {
  const { action, sent, monitors, tags } = form
  const value = (name: string, usual = ''): string => sent.get(name) ?? usual
  const choice = (name: string, option: string, usual: string): Markup =>
    html`<input
      type="radio"
      name="${name}"
      value="${option}"
      ${value(name, usual) === option && html` checked`}
    />`
  const moment = (name: string, label: string): Markup =>
    html`<input
      type="datetime-local"
      name="${name}"
      value="${value(name)}"
      aria-label="${label}"
    />`
  const usual = sent.has('monitor_ids') ? 'monitors' : 'all'
  return ({ words: { maintenance: words, ...others } }) =>
    html`<form method="post" action="${action}" class="fields" novalidate>
      <div class="field">
        <label for="m-name">${words.whatIsDone}</label>
        <input
          id="m-name"
          name="name"
          value="${value('name')}"
          maxlength="200"
          autocomplete="off"
          aria-describedby="m-name-problem"
        />
        ${problem(form, 'name')}
      </div>
      <fieldset class="field" aria-describedby="m-window-problem">
        <legend>${words.when}</legend>
        <div class="option">
          <label class="checkbox">${choice('when', 'now', 'now')}${words.nowFor}</label>
          <input
            class="number"
            inputmode="numeric"
            name="duration_min"
            value="${value('duration_min', '60')}"
            aria-label="${words.minutesLabel}"
          />
          ${words.minutes}
        </div>
        <div class="option">
          <label class="checkbox">${choice('when', 'once', 'now')}${words.onceFrom}</label>
          ${moment('start', words.startUtc)} ${words.to} ${moment('end', words.endUtc)} UTC
        </div>
        <div class="option">
          <label class="checkbox">${choice('when', 'weekly', 'now')}${words.everyWeek}</label>
          <input
            type="time"
            name="at"
            value="${value('at', '03:00')}"
            aria-label="${words.timeOfDay}"
          />
          <input
            name="time_zone"
            value="${value('time_zone', 'UTC')}"
            aria-label="${words.timeZone}"
          />
          <span class="checkboxes"
            >${WEEKDAYS.map((day) => html`<label class="checkbox"><input type="checkbox" name="weekdays" value="${day}" ${sent.getAll('weekdays').includes(day) && html` checked`} />${words.weekdays[day]}</label>`)}</span
          >
        </div>
        ${problem(form, 'window')}
      </fieldset>
      <fieldset class="field" aria-describedby="m-all_monitors-problem">
        <legend>${words.whichMonitors}</legend>
        <div class="option">
          <label class="checkbox">${choice('covers', 'all', usual)}${others.common.all}</label>
        </div>
        ${
          tags?.length !== 0 &&
          html`<div class="option">
            <label class="checkbox">${choice('covers', 'tags', usual)}${words.withTag}</label>
            ${tagChoice(form, others.overview.tag)}
          </div>`
        }
        <div class="option">
          <label class="checkbox">${choice('covers', 'monitors', usual)}${words.these}</label>
          <select name="monitor_ids" multiple size="4" aria-label="${others.frame.monitors}">
            ${monitors.map(({ id, name }) => html`<option value="${id}" ${sent.getAll('monitor_ids').includes(String(id)) && html` selected`}>${name}</option>`)}
          </select>
        </div>
        ${problem(form, 'monitor_ids')}${problem(form, 'tags')}${problem(form, 'all_monitors')}
      </fieldset>
      <div class="field">
        <label class="checkbox"
          ><input
            type="checkbox"
            name="skip_checks"
            ${sent.get('skip_checks') === 'on' && html` checked`}
          />${words.makeNoChecks}</label
        >
      </div>
      <div class="buttons"><button class="primary">${words.planIt}</button></div>
    </form>`
}

function tagChoice({ tags, sent }: MaintenanceForm, label: string): Markup {
  const chosen = sent.getAll('tags')
  if (tags === undefined)
    return html`<input
      name="tags"
      value="${chosen[0] ?? ''}"
      aria-label="${label}"
      autocomplete="off"
    />`
  return html`<select name="tags" aria-label="${label}">
    ${tags.map((tag) => html`<option${chosen.includes(tag) && html` selected`}>${tag}</option>`)}
  </select>`
}

function problem({ problems }: MaintenanceForm, name: string): Markup {
  const text = problems[name]
  return html`<p class="problem" id="m-${name}-problem">
    ${text !== undefined && problemText(text)}
  </p>`
}
