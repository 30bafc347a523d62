import { describe, expect, it } from 'vitest'
import {
  composeBody,
  freezePayload,
  MAX_BODY_BYTES,
  outagePayload,
  payloadMonitorOf,
  repeatPayload,
} from '../../src/webhook/payload.ts'

const monitor = { id: 7, name: 'Shop', type: 'http', target: 'https://shop.example/' }
const incident = {
  started_at: Date.UTC(2026, 0, 1, 12),
  cause_code: 'http_status',
  cause_text: 'The status is 503',
}
const row = { id: 42, incident_id: 9, sent_at: Date.UTC(2026, 0, 1, 12, 1, 2, 3) }
const text = (payload: string, of = row): string =>
  Buffer.from(composeBody(of, payload)).toString('utf8')
const body = (payload: string, of = row) => JSON.parse(text(payload, of)) as Record<string, unknown>

describe('the body of a webhook', () => {
  it('has the fields of the specification, in its order, and then the extras', () => {
    const payload = freezePayload({
      event: 'down',
      monitor,
      incident,
      extras: { locations: [1, 2] },
    })
    expect(text(payload)).toBe(
      '{"event":"down","monitor":{"id":7,"name":"Shop","type":"http","target":"https://shop.example/"},' +
        '"incident":{"id":9,"started_at":"2026-01-01T12:00:00.000Z","cause_code":"http_status","cause_text":"The status is 503"},' +
        '"sent_at":"2026-01-01T12:01:02.003Z","notification_id":42,"locations":[1,2]}',
    )
  })

  it('is the same bytes at every attempt', () => {
    const payload = freezePayload({ event: 'down', monitor, incident, extras: { 2: 'b', 1: 'a' } })
    expect(composeBody(row, payload)).toEqual(composeBody({ ...row }, payload))
  })

  it('tells the end of an incident with up', () => {
    const ended = { ...incident, ended_at: incident.started_at + 61_000, duration_sec: 61 }
    expect(body(freezePayload({ event: 'up', monitor, incident: ended })).incident).toMatchObject({
      id: 9,
      ended_at: '2026-01-01T12:01:01.000Z',
      duration_sec: 61,
    })
  })

  it('tells why an incident was closed, and when somebody took it on', () => {
    const closed = { ...incident, closed_reason: 'recovered' as const }
    const taken = { ...incident, acknowledged_at: incident.started_at + 1 }
    const frozen = (of: typeof incident) =>
      body(freezePayload({ event: 'x', monitor, incident: of }))
    const plain = { ...incident, id: 9, started_at: '2026-01-01T12:00:00.000Z' }
    expect(frozen(incident)['incident']).toEqual(plain)
    expect(frozen(closed)['incident']).toEqual({ ...plain, closed_reason: 'recovered' })
    expect(frozen(taken)['incident']).toEqual({
      ...plain,
      acknowledged_at: '2026-01-01T12:00:00.001Z',
    })
  })

  it('has the metadata of a monitor where it was asked for', () => {
    const metadata = { team: 'shop' }
    const whole = freezePayload({ event: 'down', monitor: { ...monitor, metadata }, incident })
    expect(body(whole)['monitor']).toEqual({ ...monitor, metadata })
  })

  it('has of a monitor its id, its name, its type and its target', () => {
    const record = { id: 7, type: 'http', target: monitor.target, common: { name: 'Shop' }, x: 1 }
    expect(payloadMonitorOf(record as never)).toEqual(monitor)
  })

  it('becomes an outage: what was to be told of its end, as one message', () => {
    const ended = { ...incident, ended_at: incident.started_at + 61_000, duration_sec: 61 }
    const up = freezePayload({ event: 'up', monitor, incident: ended, extras: { locations: [1] } })
    expect(body(outagePayload(up))).toEqual({ ...body(up), event: 'outage' })
  })

  it('is dated 1970 where it was never sent: the caller sets the time first', () => {
    const early = { ...row, sent_at: null } as unknown as typeof row
    expect(body(freezePayload({ event: 'down', monitor, incident }), early)['sent_at']).toBe(
      '1970-01-01T00:00:00.000Z',
    )
  })

  it('has null for what an event does not have', () => {
    const test = body(freezePayload({ event: 'test', monitor: null, incident: null }), {
      ...row,
      incident_id: 9,
    })
    expect(test).toMatchObject({ event: 'test', monitor: null, incident: null })
  })

  it('becomes a repetition of itself', () => {
    const first = freezePayload({ event: 'down', monitor, incident, extras: { locations: [1] } })
    const second = repeatPayload(first, { n: 1, max: 5 })
    const third = repeatPayload(second, { n: 2, max: 5 })
    expect(body(third)).toEqual({ ...body(first), event: 'repeat', repeat: { n: 2, max: 5 } })
  })

  it('does not let extras replace its own fields, nor fields of records slip in', () => {
    const extras = {
      event: 'up',
      monitor: 1,
      incident: { id: 2 },
      truncated: true,
      sent_at: 3,
      notification_id: 4,
      note: 'x',
    }
    const secretive = { ...monitor, settings: { pass: 'x' } }
    const whole = body(freezePayload({ event: 'down', monitor: secretive, incident: null, extras }))
    expect(whole).toEqual({
      event: 'down',
      monitor,
      incident: null,
      sent_at: '2026-01-01T12:01:02.003Z',
      notification_id: 42,
      note: 'x',
    })
  })

  it('is well-formed Unicode whatever a name holds', () => {
    const names = { ...monitor, name: 'a\ud800b\udc00c🚨' }
    const sent = text(freezePayload({ event: 'down', monitor: names, incident: null }))
    expect(sent).not.toMatch(/\\ud/)
    expect(sent).toContain('"a\ufffdb\ufffdc🚨"')
  })

  it('is well-formed Unicode whatever the details of a probe are called', () => {
    const details = { 'a\ud800': 'b\udfff', '\\ud800 🚨': '\\\ud800\t"' }
    const sent = text(
      freezePayload({ event: 'down', monitor, incident: null, extras: { details } }),
    )
    expect((JSON.parse(sent) as { readonly details: unknown }).details).toEqual({
      'a\ufffd': 'b\ufffd',
      '\\ud800 🚨': '\\\ufffd\t"',
    })
  })

  it.each([
    ['one long text', { details: { page: 'x'.repeat(400_000) } }],
    ['a text that grows when it is escaped', { page: '\u0001'.repeat(60_000) }],
    ['a text of many bytes per character', { page: '🚨'.repeat(100_000) }],
    ['a long list', { lists: Array.from({ length: 50_000 }, (_, id) => ({ id, zone: 'x' })) }],
    [
      'many names',
      Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`n${n}`, 'x'.repeat(50)])),
    ],
    ['long texts in a list', { lists: Array.from({ length: 500 }, () => 'y'.repeat(5000)) }],
  ])('stays within 256 KiB and says so, with %s', (_, extras) => {
    const bytes = composeBody(row, freezePayload({ event: 'down', monitor, incident, extras }))
    expect(bytes.byteLength).toBeLessThanOrEqual(MAX_BODY_BYTES)
    expect(JSON.parse(Buffer.from(bytes).toString('utf8'))).toMatchObject({
      event: 'down',
      monitor,
      incident: { id: 9, cause_code: 'http_status' },
      notification_id: 42,
      truncated: true,
    })
  })

  it('is cut as little as possible: texts to 16384 characters, lists and objects to 1000 entries', () => {
    const extras = {
      page: 'x'.repeat(400_000),
      list: Array.from({ length: 1001 }, (_, n) => n),
      kept: 'y'.repeat(16_384),
      cut: 'y'.repeat(16_385),
      names: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`n${n}`, n])),
      deep: [{ text: 'z'.repeat(20_000), nothing: null }],
    }
    const whole = body(freezePayload({ event: 'down', monitor, incident, extras }))
    expect(whole['page']).toBe(`${'x'.repeat(16_384)}…`)
    expect(whole['list']).toEqual(extras.list.slice(0, 1000))
    expect(whole['kept']).toBe(extras.kept)
    expect(whole['cut']).toBe(`${extras.kept}…`)
    expect(Object.keys(whole['names'] as object)).toEqual(Object.keys(extras.names).slice(0, 1000))
    expect(whole['deep']).toEqual([{ text: `${'z'.repeat(16_384)}…`, nothing: null }])
    expect(whole['truncated']).toBe(true)
  })

  const sizes = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(sizes) : String(value).replace('…', '').length
  const texts = (count: number, chars: number) => Array<string>(count).fill('x'.repeat(chars))
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['texts to 4096 characters', texts(20, 20_000), texts(20, 4096)],
    ['lists to 200 entries', texts(300, 1000), texts(200, 1000)],
    ['texts to 1024 characters, lists to 50 entries', texts(100, 20_000), texts(50, 1024)],
    [
      'texts to 256 characters, lists to 10 entries',
      Array(20).fill(texts(60, 20_000)),
      Array(10).fill(texts(10, 256)),
    ],
  ])('is cut further where it needs to be: %s', (_, list, kept) => {
    const extras = { list: list as readonly string[] }
    const whole = body(freezePayload({ event: 'down', monitor, incident, extras }))
    expect(sizes(whole['list'])).toEqual(sizes(kept))
    expect(whole['truncated']).toBe(true)
  })

  it('loses what an event adds where even that is too much', () => {
    const list = Array(10).fill(Array(10).fill(Array(10).fill('ä'.repeat(300)))) as never
    const whole = body(freezePayload({ event: 'down', monitor, incident, extras: { list } }))
    const { sent_at, notification_id } = whole
    expect(whole).toEqual({
      event: 'down',
      monitor,
      incident: { id: 9, ...incident, started_at: '2026-01-01T12:00:00.000Z' },
      sent_at,
      notification_id,
      truncated: true,
    })
  })

  it('is not cut below that', () => {
    const extras = { page: 'x'.repeat(200_000) }
    const whole = body(freezePayload({ event: 'down', monitor, incident, extras }))
    expect(whole.page).toBe(extras.page)
    expect(whole).not.toHaveProperty('truncated')
  })

  it('is cut from the byte on that would not leave room for what each attempt adds', () => {
    const frozen = (chars: number) =>
      freezePayload({ event: 'down', monitor, incident, extras: { page: 'x'.repeat(chars) } })
    const most = MAX_BODY_BYTES - 512 - Buffer.byteLength(frozen(0))
    expect(frozen(most)).toHaveLength(MAX_BODY_BYTES - 512)
    expect(body(frozen(most + 1))).toMatchObject({ truncated: true })
  })
})
