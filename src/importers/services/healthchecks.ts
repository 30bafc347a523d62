/**
 * The answer of `/api/v3/checks/` of Healthchecks.
 *
 * @module
 */

import type { Imported } from '../imported.ts'
import type { Taking } from '../taking.ts'
import { imported, intervalOf, PAUSED, tagsOf } from './answer.ts'
import type { Note, Settings } from './answer.ts'

export function fromHealthchecks(document: unknown): Imported {
  return imported(document, {
    name: 'Healthchecks',
    list: 'checks',
    nameOf: (from) => from.text('name') ?? from.text('slug'),
    settingsOf: ofHealthchecks,
    ignored: [
      ...[
        'slug',
        'unique_key',
        'uuid',
        'n_pings',
        'last_ping',
        'next_ping',
        'last_duration',
        'started',
      ],
      ...['ping_url', 'update_url', 'pause_url', 'resume_url', 'badge_url', 'tz'],
    ],
  })
}

/** Five fields; OnCalendar expressions of systemd, its other kind of schedule, have no such form. */
const CRON = /^\s*(?:[\dA-Za-z*,/#-]+(?:\s+|$)){5}$/

function ofHealthchecks(from: Taking, note: Note): Settings | undefined {
  const cron = from.text('schedule')
  if (cron !== undefined && !CRON.test(cron)) {
    note(`not imported: the schedule ${JSON.stringify(cron)} is no cron expression of five fields`)
    return undefined
  }
  const channels = from.text('channels')
  note('its address: the job has to call the new one (ping_url of the monitor)')
  if (channels !== undefined && channels !== '')
    note(`told ${channels.split(',').length} integrations: name your contacts in "contacts"`)
  return {
    type: 'heartbeat',
    ...(cron === undefined
      ? { interval_sec: intervalOf(from.number('timeout') ?? 86_400, note) }
      : { cron, time_zone: from.text('tz') ?? 'UTC' }),
    grace_sec: from.number('grace') ?? 3600,
    ...tagsOf((from.text('tags') ?? '').split(/\s+/)),
    ...(from.text('status') === 'paused' ? PAUSED : {}),
  }
}
