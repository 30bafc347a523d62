/** One message for several notifications: what it counts, what it names, what it leaves out. */
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/webhook/digest.ts'
import { freezePayload } from '../../src/webhook/payload.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

interface Said {
  readonly event?: string
  readonly cause_code?: string
  readonly cause_text?: string
  /** Minutes after noon. */
  readonly began?: number
  readonly name?: string
  readonly incident?: null
}

function row(id: number, said: Said = {}): Parameters<typeof digestOf>[0][number] {
  const { event = 'down', cause_code = 'timeout', cause_text = 'no answer', began = id } = said
  return {
    id,
    event,
    incident_id: 100 + id,
    sent_at: NOON + id * 1000,
    payload: freezePayload({
      event,
      monitor: { id: 10 + id, name: said.name ?? `m${id}`, type: 'http', target: `h${id}.test` },
      incident:
        said.incident === null
          ? null
          : { started_at: NOON + began * 60_000, cause_code, cause_text },
    }),
  }
}
const read = (...rows: readonly ReturnType<typeof row>[]) =>
  JSON.parse(Buffer.from(digestOf(rows).body).toString('utf8')) as {
    readonly digest: Readonly<Record<string, unknown>>
  }

describe('a digest', () => {
  it('has the lowest id and its time, and the notifications in the order of their ids', () => {
    const sent = digestOf([row(3), row(1, { event: 'up' }), row(2)])
    expect(sent).toMatchObject({ notification_id: 1, event: 'digest' })
    expect(JSON.parse(Buffer.from(sent.body).toString('utf8'))).toEqual(sent.payload)
    expect(sent.payload).toEqual({
      event: 'digest',
      monitor: null,
      incident: null,
      sent_at: '2026-01-01T12:00:01.000Z',
      notification_id: 1,
      digest: {
        count: 3,
        events: { down: 2, up: 1 },
        first: {
          monitor: { id: 12, name: 'm2', type: 'http', target: 'h2.test' },
          started_at: '2026-01-01T12:02:00.000Z',
          cause_code: 'timeout',
          cause_text: 'no answer',
        },
        worst: { cause_code: 'timeout', cause_text: 'no answer', count: 2 },
        notifications: [1, 2, 3].map((n) => ({
          notification_id: n,
          event: n === 1 ? 'up' : 'down',
          monitor: { id: 10 + n, name: `m${n}`, type: 'http', target: `h${n}.test` },
          incident: {
            id: 100 + n,
            started_at: `2026-01-01T12:0${n}:00.000Z`,
            cause_code: 'timeout',
            cause_text: 'no answer',
          },
        })),
      },
    })
  })

  it('is the same bytes whatever the order of the rows', () => {
    const rows = [row(1), row(2), row(3)]
    expect(digestOf(rows.toReversed()).body).toEqual(digestOf(rows).body)
  })

  it('names what began first, whatever its id', () => {
    const { digest } = read(row(1, { began: 9 }), row(2, { began: 3 }), row(3, { began: 6 }))
    expect(digest['first']).toMatchObject({
      monitor: { id: 12 },
      started_at: '2026-01-01T12:03:00.000Z',
    })
  })

  it('names the cause of most of them, with the text of its first', () => {
    const { digest } = read(
      row(1, { cause_code: 'dns_nxdomain' }),
      row(2, { cause_code: 'http_status', cause_text: 'Got 503' }),
      row(3, { cause_code: 'http_status', cause_text: 'Got 500' }),
    )
    expect(digest['worst']).toEqual({ cause_code: 'http_status', cause_text: 'Got 503', count: 2 })
  })

  it('names the earlier of two causes of the same number', () => {
    const { digest } = read(
      row(1, { cause_code: 'http_status' }),
      row(2, { cause_code: 'dns_nxdomain' }),
    )
    expect(digest['worst']).toMatchObject({ cause_code: 'http_status', count: 1 })
  })

  it.each(['up', 'outage', 'acknowledged'])(
    'names no failure that %s has ended or somebody works on',
    (event) => {
      const ended = { event, cause_code: 'ended', began: 0 }
      const { digest } = read(row(1, ended), row(2, ended), row(3, { cause_code: 'lasting' }))
      expect(digest['first']).toMatchObject({ cause_code: 'lasting' })
      expect(digest['worst']).toMatchObject({ cause_code: 'lasting', count: 1 })
      expect(read(row(1, ended), row(2, ended)).digest).toMatchObject({ first: null, worst: null })
    },
  )

  it('names no failure where no notification is of an incident', () => {
    const { digest } = read(
      row(1, { event: 'ssl_changed', incident: null }),
      row(2, { event: 'content_changed', incident: null }),
    )
    expect(digest).toMatchObject({ first: null, worst: null, events: { ssl_changed: 1 } })
    expect(digest['notifications']).toMatchObject([{ incident: null }, { incident: null }])
  })

  it('shortens texts of more than 500 characters, and cuts no character in half', () => {
    const nameOf = (name: string): unknown => read(row(1, { name })).digest['notifications']
    const shown = (name: string) => [{ monitor: { name } }]
    expect(nameOf('x'.repeat(500))).toMatchObject(shown('x'.repeat(500)))
    expect(nameOf('x'.repeat(501))).toMatchObject(shown(`${'x'.repeat(500)}…`))
    expect(nameOf(`${'x'.repeat(499)}🚨`)).toMatchObject(shown(`${'x'.repeat(499)}…`))
    expect(nameOf(`${'x'.repeat(498)}🚨y`)).toMatchObject(shown(`${'x'.repeat(498)}🚨…`))
  })

  it('of nothing has no id and no time', () => {
    expect(digestOf([]).payload).toMatchObject({ notification_id: 0, sent_at: null })
  })
})
