import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'

/** Words with a term of the field in their place, which docs/design/glossary.md has: each with that term. */
const RETIRED: Readonly<Record<string, string>> = {
  roster: 'monitor cache',
  carryOut: 'execute',
  complain: 'log',
  hurry: 'flush',
  lend: 'asSocket',
  meeting: 'batch barrier',
  rearm: 'reset the deadline',
  revive: 'decode',
  telling: 'notification',
  unstored: 'retry queue',
  innocent: 'healthy',
  ledger: 'pending orders',
  demand: 'require',
  letGo: 'release',
  lastTold: 'lastFinished',
  standings: 'monitor_states',
  StoredReply: 'IdempotencyResponse',
  KeptRepl: 'IdempotencyLimit',
  RequestTurns: 'IdempotencyLocks',
  reply_key: 'idempotency_key',
  untold: 'not sent',
  settleMonitor: 'validateMonitor',
  beginsAnew: 'startsOver',
  looked_at: 'last_check_ended_at',
  check_soon: 'the schedule',
  PATIENCE_MS: 'TIMEOUT_MS',
  LOOK_MS: 'POLL_MS',
  AGAIN_MS: 'RETRY_MS',
  happening: 'machine input',
  concluded: 'round result',
  patient: 'deferrable',
  complaint: 'throttled log',
  parcel: 'pending answer',
  rollCall: 'probe presence',
  DeliveryEnd: 'AttemptResult',
  AttemptEnd: 'AttemptResult',
  CommittedChanges: 'ChangeBus',
  createLane: 'createSemaphore',
  perLane: 'perHost',
  TICK_MS: 'SAMPLE_MS',
  ticksOf: 'axisLabelsOf',
}

/** Parts of a name: `createRoster` has the word `roster`, and `SENT_TELLINGS` has `telling`. */
function words(text: string): ReadonlySet<string> {
  const parts =
    text
      .replace(/\bon demand\b/g, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .match(/[A-Za-z]+/g) ?? []
  return new Set(parts.map((part) => part.toLowerCase()))
}

/** Each with its parts: `letGo` is `let`, `go`. */
const PARTED = Object.keys(RETIRED).map((word) => {
  const [first = '', second] = word
    .replace(/([A-Z])/, ' $1')
    .toLowerCase()
    .split(' ')
  return { word, first, verbatim: second !== undefined || word.includes('_') }
})

function retiredIn(text: string): string[] {
  const used = words(text)
  return PARTED.filter(({ word, first, verbatim }) => {
    if (verbatim) return text.includes(word)
    return used.has(first) || used.has(`${first}s`) || used.has(`${first}ed`)
  }).map(({ word }) => word)
}

function filesBelow(folder: string, suffix: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .sort()
}

describe('the retired vocabulary', () => {
  it.each([
    ['sources', [...filesBelow('src', '.ts')]],
    ['documentation', ['README.md', 'CONTRIBUTING.md', ...filesBelow('docs', '.md')]],
  ])('does not come back in the %s', (_, files) => {
    const found = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          retiredIn(line).map((word) => `${file}:${index + 1}: "${word}" is "${RETIRED[word]}"`),
        ),
    )
    expect(found).toEqual([])
  })

  it.each([
    'const roster = createRoster()',
    'SENT_TELLINGS',
    'Who complained',
    'carryOut(order)',
    'KeptReplies',
    'SELECT reply_key',
    'createFairQueue({ perLane: 2 })',
    'rollCall()',
    'type DeliveryEnding = string',
    'a patient round',
  ])('is seen in: %s', (line) => {
    expect(retiredIn(line)).toHaveLength(1)
  })

  it('leaves other words alone', () => {
    expect(retiredIn('blender, a rosterless calendar, to carry it out on demand')).toEqual([])
  })
})
