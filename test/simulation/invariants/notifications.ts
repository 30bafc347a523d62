/** Who is told what, and who is not. */
import type { ContactRecord, MachineState } from '../../../src/model.ts'
import { stateAt } from '../ledger.ts'
import type { IncidentStory, Ledger, RowStory, Step } from '../ledger.ts'
import { MINUTE, SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'
import { replay } from './replay.ts'

/** A change is worked out some time before it takes effect where the store is slow. */
const SLOWNESS = 10 * SECOND

export const NOTIFICATION_INVARIANTS = [
  invariant(
    'The commit that opens an incident makes a row for each contact of the monitor and for nobody else; an incident that is held makes none.',
    function* (ledger) {
      const audienceAt = audiences(ledger)
      for (const { opened, id } of ledger.incidents.values()) {
        const rows = rowsOf(ledger, opened, 'down')
        if (opened.after.machine.incident?.suppression !== undefined) {
          if (rows.length > 0) yield `incident ${id} is held and was told at ${when(opened)}`
          continue
        }
        const { sure, possible } = audienceAt(opened)
        for (const contact of sure)
          if (!rows.some(({ record }) => record.contact_id === contact))
            yield `incident ${id} has no row for contact ${contact}`
        for (const { record } of rows)
          if (!possible.has(record.contact_id))
            yield `incident ${id} has a row for contact ${record.contact_id}, who is none of the monitor's`
        if (new Set(rows.map(({ record }) => record.contact_id)).size < rows.length)
          yield `incident ${id} has two rows for one contact`
      }
    },
  ),

  invariant(
    'Every row that tells of an incident has its incident, of the same monitor.',
    function* ({ rows, incidents }) {
      for (const { id, record, made } of rows.values()) {
        if (record.incident_id === null) {
          if (['down', 'up', 'repeat'].includes(record.event))
            yield `row ${id} tells of no incident`
          continue
        }
        const incident = incidents.get(record.incident_id)
        if (incident === undefined || incident.opened.n > made.n) yield `row ${id} has no incident`
        else if (incident.monitor_id !== record.monitor_id) yield `row ${id} is of another monitor`
      }
    },
  ),

  invariant(
    'What was still planned when an incident ended, was acknowledged, or went under maintenance is not told.',
    function* ({ incidents, monitors }) {
      for (const incident of incidents.values()) {
        const { monitor_id, closed, acknowledged, rows } = incident
        const maintained = (monitors.get(monitor_id)?.steps ?? []).filter(
          ({ before, after, n }) =>
            n > incident.opened.n &&
            n < (closed?.n ?? Infinity) &&
            before.machine.state !== 'maintenance' &&
            after.machine.state === 'maintenance',
        )
        const ends = [closed, acknowledged, ...maintained].filter((step) => step !== undefined)
        for (const step of ends) {
          for (const row of rows) {
            if (row.made.n >= step.n || row.made.by === 'create') continue
            const wasClaimed = (row.claims[0]?.n ?? Infinity) < step.n
            const isLater =
              row.record.repeat > 0
                ? isQueuedAt(row, step)
                : !wasClaimed && dueAtStep(row, step) > step.change.at
            if (isLater && row.claims.some(({ n }) => n > step.n))
              yield `row ${row.id} (${row.record.event}) was sent after ${when(step)}, when incident ${incident.id} had ended, been acknowledged or gone under maintenance`
          }
        }
      }
    },
  ),

  invariant(
    'A repetition comes after the pause that was asked for, while the incident is open and nobody has acknowledged it, and no more often than asked for.',
    function* ({ rows, incidents, monitors }) {
      for (const { id, record, made } of rows.values()) {
        if (record.event !== 'repeat' || made.by === 'create') continue
        const incident = incidents.get(record.incident_id ?? 0)
        const story = monitors.get(record.monitor_id ?? 0)
        if (incident === undefined || story === undefined) continue
        if (
          (incident.closed?.n ?? Infinity) < made.n ||
          (incident.acknowledged?.n ?? Infinity) < made.n
        )
          yield `row ${id} repeats what was over at ${when(made)}`
        const { notify_repeat_min, notify_repeat_max } = stateAt(story, made.n).common
        if (notify_repeat_max > 0 && record.repeat > notify_repeat_max)
          yield `row ${id} is the repetition number ${record.repeat} of ${notify_repeat_max}`
        const pause = made.record.due_at - made.record.created_at
        if (pause < notify_repeat_min * MINUTE - SLOWNESS)
          yield `row ${id} repeats after ${pause} ms`
      }
    },
  ),

  invariant(
    'While something explains a failure it is not told: a monitor under maintenance, one that flaps, one whose parent is down.',
    function* (ledger) {
      for (const row of ledger.rows.values()) {
        const { record, made, id } = row
        const story = ledger.monitors.get(record.monitor_id ?? 0)
        if (story === undefined || made.by === 'create') continue
        const { machine } = stateAt(story, made.n)
        if (!['down', 'repeat'].includes(record.event)) continue
        if (machine.state === 'maintenance' && made.at - since(story.steps, made) > SLOWNESS)
          yield `row ${id} (${record.event}) was made under maintenance at ${when(made)}`
        if (
          machine.incident?.suppression !== undefined &&
          made.at - since(story.steps, made) > SLOWNESS
        )
          yield `row ${id} (${record.event}) was made while its incident was held (${machine.incident.suppression.reason}) at ${when(made)}`
      }
      for (const { opened, id, monitor_id } of ledger.incidents.values()) {
        const { machine, common } = opened.after
        if (machine.incident?.suppression !== undefined) continue
        if (machine.flapping === true) yield `incident ${id} of a flapping monitor was told`
        for (const parent of common.depends_on) {
          const story = ledger.monitors.get(parent)
          if ((story?.removed?.n ?? Infinity) < opened.n) continue
          const steps = story?.steps.filter(
            ({ n, at }) => n < opened.n && at < opened.at - SLOWNESS,
          )
          const late = story?.steps.some(({ n, at }) => n < opened.n && at >= opened.at - SLOWNESS)
          const parentNow = steps?.at(-1)?.after.machine
          const blamed =
            parentNow?.incident?.suppression?.by !== undefined &&
            parentNow.incident.suppression.by !== null
          const isDown = parentNow?.state === 'down' && explains(parentNow)
          if (isDown && late === false && !blamed)
            yield `incident ${id} of monitor ${monitor_id} was told although its parent ${parent} was down`
        }
      }
    },
  ),

  invariant(
    'What is held is told as soon as a failing round finds nothing that explains it any more.',
    function* (ledger) {
      const audienceAt = audiences(ledger)
      for (const story of ledger.monitors.values()) {
        const judge = replay(story)
        for (const step of story.steps) {
          const { verdict } = judge(step)
          const [was, is] = [step.before.machine.incident, step.after.machine.incident]
          if (was?.suppression === undefined || is === null) continue
          if (step.after.machine.state !== 'down') continue
          if (is.suppression !== undefined) {
            // With too many locations silent, the failures that were seen decide nothing.
            if (verdict === 'fail') yield* unexplained(ledger, story.id, step)
            continue
          }
          const incident = ledger.incidents.get(is.id)!
          if (incident.acknowledged !== undefined && incident.acknowledged.n < step.n) continue
          for (const contact of audienceAt(step).sure) {
            const told = wasTold(incident, contact, step.n)
            const rows = rowsOf(ledger, step, 'down').filter(
              (row) => row.record.contact_id === contact,
            )
            if (rows.length !== (told ? 0 : 1))
              yield `incident ${is.id} was released at ${when(step)}: contact ${contact} has ${rows.length} rows`
          }
        }
      }
    },
  ),

  invariant('Flapping is told once when it begins and once when it ends.', function* (ledger) {
    const audienceAt = audiences(ledger)
    for (const story of ledger.monitors.values()) {
      for (const step of story.steps) {
        const [was, is] = [
          step.before.machine.flapping === true,
          step.after.machine.flapping === true,
        ]
        const rows = rowsOf(ledger, step, 'flapping')
        const isRound = (step.change.results?.length ?? 0) > 0
        const expected = was !== is && isRound ? audienceAt(step) : undefined
        for (const contact of expected?.sure ?? [])
          if (rows.filter(({ record }) => record.contact_id === contact).length !== 1)
            yield `flapping of monitor ${story.id} turned at ${when(step)} without a row for ${contact}`
        if (expected === undefined && rows.length > 0)
          yield `flapping of monitor ${story.id} was told at ${when(step)} and had not turned`
      }
    }
  }),
]

/** A held incident names its reason, and that reason holds. */
function* unexplained(ledger: Ledger, id: number, step: Step): Iterable<string> {
  const { suppression: held } = step.after.machine.incident!
  if (held === undefined) return
  if (held.reason === 'maintenance') yield `monitor ${id} is held for a maintenance that is over`
  if (held.reason === 'flapping' && step.after.machine.flapping !== true)
    yield `monitor ${id} is held for flapping at ${when(step)} and does not flap`
  if (held.reason !== 'dependency') return
  if (held.by === null) {
    if (held.rounds >= 2) yield `monitor ${id} waits for its parent for ${held.rounds} rounds`
    return
  }
  const parent = ledger.monitors.get(held.by)
  // A process that stood still may store by now what it worked out before.
  const workedOut = step.at - Math.max(0, step.wall - step.change.at)
  const states = parent?.steps
    .filter(({ n, at }) => n < step.n && at >= workedOut - SLOWNESS)
    .map(({ before, after }) => [before.machine, after.machine])
    .flat()
  const now = parent === undefined ? undefined : stateAt(parent, step.n).machine
  if (![now, ...(states ?? [])].some(explains))
    yield `monitor ${id} is held at ${when(step)} by ${held.by}, which is ${now?.state ?? 'gone'}`
}

/** Whether a parent in this state explains a failure; after three rounds without a verdict `down` is not known any more. */
function explains(parent: MachineState | undefined): boolean {
  if (parent?.state === 'maintenance') return true
  return ['down', 'recovering'].includes(parent?.state ?? '') && (parent?.inconclusive ?? 0) <= 3
}

function since(steps: readonly Step[], made: { readonly n: number }): number {
  const held = steps.filter(({ n }) => n < made.n)
  let from = held.length - 1
  const isHeld = ({ after: { machine } }: Step): boolean =>
    machine.state === 'maintenance' || machine.incident?.suppression !== undefined
  while (from > 0 && isHeld(held[from - 1]!)) from--
  return held[from]?.at ?? 0
}

function rowsOf({ rows }: Ledger, step: Step, event: string): RowStory[] {
  return step.row_ids.map((id) => rows.get(id)!).filter(({ record }) => record.event === event)
}

/** Whether the contact has a row of the incident that was not cancelled, or that its quiet hours dropped for good. */
function wasTold({ rows }: IncidentStory, contact_id: number, n: number): boolean {
  return rows.some(
    ({ record, made, ended }) =>
      record.contact_id === contact_id &&
      made.n < n &&
      (record.error === 'quiet_hours' ||
        !(ended !== undefined && ended.record.status === 'cancelled' && ended.n < n + 20)),
  )
}

function isQueuedAt({ claims, finishes }: RowStory, { n }: Step): boolean {
  const claimed = claims.filter((claim) => claim.n < n).length
  const finished = finishes.filter((finish) => finish.n < n && finish.taken).length
  return claimed === finished
}

/** Of what was due at once nothing is planned: it may be held up, and moved with the clock. */
function dueAtStep({ made }: RowStory, _step: Step): number {
  const { due_at, created_at } = made.record
  return due_at > created_at ? due_at : -Infinity
}

interface Audience {
  /** Contacts for as long as the change can have been worked out. */
  readonly sure: ReadonlySet<number>
  /** Contacts at any time of it. */
  readonly possible: ReadonlySet<number>
}

/** The contacts of a step's monitor. */
function audiences(ledger: Ledger): (step: Step) => Audience {
  const changes = [...ledger.all('contact'), ...ledger.all('contact_gone')].sort(
    (a, b) => a.n - b.n,
  )

  const accountOf = (id: number) => ledger.monitors.get(id)?.record.account_id

  function present(until: { n: number; at?: number }): Map<number, ContactRecord> {
    const contacts = new Map<number, ContactRecord>()
    for (const entry of changes) {
      if (entry.n >= until.n || (until.at !== undefined && entry.at > until.at)) break
      if (entry.kind === 'contact') contacts.set(entry.record.id, entry.record)
      else contacts.delete(entry.id)
    }
    return contacts
  }

  const of = (contacts: Map<number, ContactRecord>, { change, before }: Step): number[] =>
    [...contacts.values()]
      .filter(({ account_id }) => account_id === accountOf(change.monitor_id))
      .filter(({ id, all_monitors }) => all_monitors || before.common.contact_ids.includes(id))
      .map(({ id }) => id)

  return (step) => {
    const now = of(present(step), step)
    const then = of(present({ n: step.n, at: step.at - SLOWNESS }), step)
    const possible = new Set([...now, ...then])
    return { sure: new Set(now.filter((id) => then.includes(id))), possible }
  }
}
