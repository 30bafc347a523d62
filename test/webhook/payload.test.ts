import { describe, expect, it } from 'vitest'
import {
  composeBody,
  freezePayload,
  MAX_BODY_BYTES,
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
      incident: 2,
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

  it('is not cut below that', () => {
    const extras = { page: 'x'.repeat(200_000) }
    const whole = body(freezePayload({ event: 'down', monitor, incident, extras }))
    expect(whole.page).toBe(extras.page)
    expect(whole).not.toHaveProperty('truncated')
  })
})
