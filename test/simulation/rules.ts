/**
 * Rules of the sources, each broken by a small change of their text. Every one of them has to turn the
 * simulation red; one that does not shows an invariant that sleeps.
 */

export interface Rule {
  readonly name: string
  /** What goes wrong with it, in a sentence. */
  readonly about: string
  /** Below `src`. */
  readonly file: string
  /** Stands there exactly once. */
  readonly find: string
  readonly replace: string
}

export const RULES: readonly Rule[] = [
  {
    name: 'send-before-commit',
    about: 'A contact is told before what it is told is stored.',
    file: 'engine/roster.ts',
    find: '      const committed = await committer.commit(told)\n',
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
      const committed = await committer.commit(told)
`,
  },
  {
    name: 'announce-before-commit',
    about: 'Listeners hear of an incident before it is stored.',
    file: 'engine/roster.ts',
    find: '      const committed = await committer.commit(told)\n',
    replace: `      if (change.update_incident?.closed_reason === 'recovered')
        core.events.emit('up', { incident: { id: change.update_incident.id } } as never)
      const committed = await committer.commit(told)
`,
  },
  {
    name: 'unknown-counts-as-failure',
    about: 'A location that could not measure counts as one that saw a failure.',
    file: 'incident/quorum.ts',
    find: "present.filter(({ verdict }) => verdict === 'fail').length",
    replace: "present.filter(({ verdict }) => verdict !== 'ok').length",
  },
  {
    name: 'no-quorum',
    about: 'One location is enough for a failure, whatever was asked for.',
    file: 'incident/quorum.ts',
    find: 'const need = Math.min(Math.max(1, confirm_locations), locations)',
    replace: 'const need = Math.min(1, confirm_locations + locations)',
  },
  {
    name: 'silence-hides-for-ever',
    about: 'A location that is silent is waited for without end.',
    file: 'incident/quorum.ts',
    find: 'const STRICT_ROUNDS = 3',
    replace: 'const STRICT_ROUNDS = 3_000',
  },
  {
    name: 'no-fencing-of-attempts',
    about: 'Whoever claimed a notification once may record its end.',
    file: 'store/memory/notifications.ts',
    find: "row.status !== 'sending' || row.claims !== end.claim",
    replace: "row.status !== 'sending'",
  },
  {
    name: 'sent-after-the-lease',
    about: 'A process that stood still since its claim sends what another has sent meanwhile.',
    file: 'engine/delivery.ts',
    find: '    if (clock.monotonic() > latest) return ended(row, TOO_LATE, at)\n',
    replace: '    void [TOO_LATE, latest]\n',
  },
  {
    name: 'no-revision-check',
    about: 'A change worked out on an old state of its monitor is accepted.',
    file: 'store/memory/commit.ts',
    find: "  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }\n",
    replace: '',
  },
  {
    name: 'overtaken-rounds-count',
    about: 'A round counts although a later one was stored before it.',
    file: 'engine/rounds.ts',
    find: '        if (isOvertaken(round, entry)) return null\n',
    replace: '        void isOvertaken\n',
  },
  {
    name: 'old-answers-count',
    about: 'An answer to an order of long ago counts for the round under way.',
    file: 'engine/rounds.ts',
    find: `        round === undefined ||
        round.tick !== order.round ||
        round.entry.record.version !== order.version
`,
    replace: '        round === undefined\n',
  },
  {
    name: 'up-without-down',
    about: 'Recovery is told to whoever was never told of the failure.',
    file: 'store/memory/commit.ts',
    find: '    if (wanted.only_if_told === true && !wasTold(tables, wanted, incident_id)) continue\n',
    replace: '',
  },
  {
    name: 'up-before-down-arrived',
    about: 'Recovery is sent although the failure never arrived.',
    file: 'engine/delivery.ts',
    find: "if (row.event === 'up' && !(await wasTold(row)))",
    replace: "if (row.event === 'up' && !(await wasTold(row)) && row.id < 0)",
  },
  {
    name: 'close-without-row',
    about: 'An incident ends and nobody is told.',
    file: 'engine/telling.ts',
    find: '  if (!entry.record.common.notify_recovery) return []\n',
    replace: '  if (entry.record.common !== undefined) return []\n',
  },
  {
    name: 'open-without-row',
    about: 'The last contact of an incident is forgotten.',
    file: 'engine/telling.ts',
    find: '  const payload = downPayload(telling, { started_at, ...cause }, locations_failed)\n  return contacts.map(',
    replace:
      '  const payload = downPayload(telling, { started_at, ...cause }, locations_failed)\n  return contacts.slice(1).map(',
  },
  {
    name: 'two-incidents',
    about: 'A failing round opens an incident although one is open.',
    file: 'incident/transition.ts',
    find: '  if (seen.incident !== null) return stillDown(failed, seen.incident, event)\n',
    replace:
      '  if (seen.incident !== null && seen.fails % 3 !== 0) return stillDown(failed, seen.incident, event)\n',
  },
  {
    name: 'threshold-off-by-one',
    about: 'An incident opens a round too late.',
    file: 'incident/transition.ts',
    find: 'if (failed.fails >= policy.fail_threshold)',
    replace: 'if (failed.fails > policy.fail_threshold)',
  },
  {
    name: 'blip-is-remembered',
    about: 'A good round does not end the row of failing ones.',
    file: 'incident/transition.ts',
    find: 'const good: MachineState = { ...seen, fails: 0, first_fail_at: null }',
    replace: 'const good: MachineState = { ...seen, first_fail_at: null }',
  },
  {
    name: 'dated-at-detection',
    about: 'An incident begins when it was confirmed, not when it began.',
    file: 'incident/transition.ts',
    find: 'const started_at = Math.min(failed.first_fail_at ?? event.at, event.at)',
    replace: 'const started_at = event.at',
  },
  {
    name: 'pause-leaves-incident-open',
    about: 'A paused monitor keeps its open incident.',
    file: 'incident/transition.ts',
    find: '    before.incident === null\n      ? []\n',
    replace: '    before.incident === null || paused\n      ? []\n',
  },
  {
    name: 'gap-counts-as-up',
    about: 'Time in which nobody looked counts as before.',
    file: 'incident/transition.ts',
    find: 'if (last === null || policy.gap_ms === null || at - last <= policy.gap_ms) return same(before)',
    replace: 'if (last === null || policy.gap_ms === null || at > last) return same(before)',
  },
  {
    name: 'known-time-is-dated-back',
    about: 'After the clock was set back, availability is written before what is stored.',
    file: 'incident/transition.ts',
    find: 'known_since: Math.max(step.state.known_since, at)',
    replace: 'known_since: at',
  },
  {
    name: 'sixth-attempt',
    about: 'A delivery is tried six times.',
    file: 'webhook/retry.ts',
    find: 'export const MAX_ATTEMPTS = 5',
    replace: 'export const MAX_ATTEMPTS = 6',
  },
  {
    name: 'retry-too-early',
    about: 'The pauses between attempts are too short.',
    file: 'webhook/retry.ts',
    find: 'const FIRST_PAUSE_MS = 30_000',
    replace: 'const FIRST_PAUSE_MS = 29_000 / 1.1',
  },
  {
    name: 'retry-after-4xx',
    about: 'A delivery is tried again after an answer that is final.',
    file: 'webhook/retry.ts',
    find: 'if (http_status >= 500 && http_status <= 599)',
    replace: 'if (http_status >= 404 && http_status <= 599)',
  },
  {
    name: 'lost-at-restart',
    about: 'What a dead process was about to send is never taken up again.',
    file: 'store/memory/notifications.ts',
    find: "  return row.status === 'sending' && (row.lease_until ?? 0) <= now\n",
    replace: '  return false\n',
  },
  {
    name: 'no-order',
    about: 'Notifications of one monitor overtake each other.',
    file: 'store/memory/notifications.ts',
    find: 'if (lane !== undefined && holdsUp(row, now)) held.add(lane)',
    replace: "if (lane !== undefined && holdsUp(row, now) && row.event === 'test') held.add(lane)",
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
    name: 'body-changes',
    about: 'Every attempt says when it was made.',
    file: 'webhook/payload.ts',
    find: '    sent_at: iso(row.sent_at ?? 0),\n',
    replace:
      '    sent_at: iso((row.sent_at ?? 0) + (row as unknown as { claims: number }).claims),\n',
  },
  {
    name: 'ids-used-again',
    about: 'The id of a row that was pruned or cancelled is given away again.',
    file: 'store/memory/tables.ts',
    find: '      const id = (last.get(kind) ?? 0) + 1\n',
    replace:
      "      const id = (last.get(kind) ?? 0) + (kind === 'notification' && (last.get(kind) ?? 0) % 50 === 49 ? 0 : 1)\n",
  },
  {
    name: 'burst-after-jump',
    about: 'After the clock was set forward, every missed round is made up for.',
    file: 'engine/watch.ts',
    find: 'if (passive === undefined) return nextSlot(id, common.interval_sec * 1000, now)',
    replace:
      'if (passive === undefined) return nextSlot(id, common.interval_sec * 1000, Math.max(machine.last_round_at ?? 0, now - 7_200_000))',
  },
  {
    name: 'silent-after-set-back',
    about: 'After the clock was set back and a restart, checks wait until it is there again.',
    file: 'engine/cadence.ts',
    find: 'if (last_round_at > now) return',
    replace: 'if (last_round_at > now + 1e12) return',
  },
  {
    name: 'told-under-maintenance',
    about: 'A monitor under maintenance opens incidents and tells of them.',
    file: 'incident/transition.ts',
    find: "  if (before.state === 'maintenance') return same({ ...before, last_round_at: event.at })\n",
    replace: '',
  },
  {
    name: 'child-is-told',
    about: 'A failure is told although the parent is down.',
    file: 'incident/dependency.ts',
    find: "    case 'down':\n",
    replace: "    case 'down':\n      return 'innocent'\n",
  },
  {
    name: 'held-for-ever',
    about: 'What is held because of a parent is never released.',
    file: 'incident/dependency.ts',
    find: 'const PATIENCE_ROUNDS = 2',
    replace: 'const PATIENCE_ROUNDS = 2_000',
  },
  {
    name: 'heartbeat-outage-is-blamed',
    about: 'A job is called missing for signals that came while no engine listened.',
    file: 'engine/lifecycle.ts',
    find: 'if (away_ms > OUTAGE_MS) await passive.forgiveOutage(alive_at)',
    replace: 'if (away_ms > OUTAGE_MS * 1e9) await passive.forgiveOutage(alive_at)',
  },
]
