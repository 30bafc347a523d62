/** Who is told what, and who is not. */
import type { Rule } from './rule.ts'

export const TELLING_RULES: readonly Rule[] = [
  {
    name: 'send-before-commit',
    about: 'A contact is told before what it is told is stored.',
    file: 'engine/monitors/monitor-cache.ts',
    find: '      const committed = await committer.commit(toCommit, {\n',
    replace: `      for (const { contact_id, payload, event } of change.notify ?? []) {
        const contact = await store.contacts.get(contact_id)
        const kind = core.kinds.get(contact?.kind ?? '')
        const parsed = { ...(JSON.parse(payload) as object), notification_id: 999_999 }
        const body = Buffer.from(JSON.stringify(parsed))
        const delivery = { notification_id: 999_999, event, payload: {}, body }
        const signal = new AbortController().signal
        const ctx = { clock: core.clock, log: core.log, signal, network: undefined as never }
        void kind?.deliver(ctx as never, contact?.settings as never, delivery)
      }
      const committed = await committer.commit(toCommit, {
`,
  },
  {
    name: 'announce-before-commit',
    about: 'Listeners hear of an incident before it is stored.',
    file: 'engine/monitors/monitor-cache.ts',
    find: '      const committed = await committer.commit(toCommit, {\n',
    replace: `      if (change.update_incident?.closed_reason === 'recovered')
        core.events.emit('up', { incident: { id: change.update_incident.id } } as never)
      const committed = await committer.commit(toCommit, {
`,
  },
  {
    name: 'up-without-down',
    about: 'Recovery is told to whoever was never told of the failure.',
    file: 'store/memory/commit.ts',
    find: '    if (wanted.only_if_notified === true && !wasNotified(tables, wanted, incident_id)) continue\n',
    replace: '',
  },
  {
    name: 'close-without-row',
    about: 'An incident ends and nobody is told.',
    file: 'engine/rounds/plan-notifications.ts',
    find: '  if (!followUp.cached.record.common.notify_recovery) return []\n',
    replace: '  if (followUp.cached.record.common !== undefined) return []\n',
  },
  {
    name: 'open-without-row',
    about: 'The last contact of an incident is forgotten.',
    file: 'engine/rounds/plan-notifications.ts',
    find: '  const payload = downPayload(context, { started_at, ...cause }, locations_failed)\n  return contacts.map(',
    replace:
      '  const payload = downPayload(context, { started_at, ...cause }, locations_failed)\n  return contacts.slice(1).map(',
  },
  {
    name: 'told-after-the-end',
    about: 'A notification that was delayed is sent although the incident is over.',
    file: 'store/memory/commit.ts',
    find: '  if (change.cancel !== undefined) cancel(tables, change, change.cancel)\n',
    replace: '  void cancel\n',
  },
  {
    name: 'repeats-after-the-end',
    about: 'A repetition is planned for an incident that is over.',
    file: 'store/memory/notifications.ts',
    find: 'if (end.then !== undefined && incident?.ended_at === null && incident.acknowledged_at === null) {',
    replace: 'if (end.then !== undefined && incident !== undefined) {',
  },
  {
    name: 'told-under-maintenance',
    about: 'A monitor under maintenance opens incidents and tells of them.',
    file: 'incident/transition.ts',
    find: "  if (before.state === 'maintenance') return same({ ...before, last_round_at: event.at })\n",
    replace: '',
  },
  {
    name: 'told-behind-maintenance',
    about: 'A check that began under maintenance decides when it ends behind it.',
    file: 'engine/rounds/plan-round.ts',
    find: "  const isOver = begunIn === 'maintenance' && cached.record.machine.state !== 'maintenance'\n",
    replace: '  const isOver = false\n',
  },
  {
    name: 'a-tag-covers-nobody',
    about: 'Planned work for a tag covers no monitor.',
    file: 'engine/monitors/account-windows.ts',
    find: '    if (index.byTag.size === 0) return found\n',
    replace: '    if (index.byTag.size >= 0) return found\n',
  },
  {
    name: 'child-is-told',
    about: 'A failure is told although the parent is down.',
    file: 'incident/dependency.ts',
    find: "    case 'down':\n",
    replace: "    case 'down':\n      return 'healthy'\n",
  },
  {
    name: 'unmeasured-parent-explains',
    about: 'A parent that was down explains failures although nobody can measure it any more.',
    file: 'incident/dependency.ts',
    find: "return isUndecided(machine) ? 'unclear' : 'cause'",
    replace: "return 'cause'",
  },
  {
    name: 'held-for-ever',
    about: 'What is held because of a parent is never released.',
    file: 'incident/dependency.ts',
    find: 'const MAX_WAIT_ROUNDS = 2',
    replace: 'const MAX_WAIT_ROUNDS = 2_000',
  },
  {
    name: 'held-is-not-judged-again',
    about: 'A failing round does not look whether what held an incident still does.',
    file: 'engine/rounds/plan-change.ts',
    find: '(!isNew && incident.suppression === undefined)) return incident',
    replace: '!isNew) return incident',
  },
]
