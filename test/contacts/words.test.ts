import { describe, expect, it } from 'vitest'
import { cut, cutBytes, cutEscaped, escapeMarkup } from '../../src/contacts/text.ts'
import { messageOf } from '../../src/contacts/words.ts'
import type { JsonObject } from '../../src/model.ts'
import { EVENTS, hostile, isWellFormed, told } from './rig.ts'

describe('an event in words', () => {
  it('says what has happened, to what, and what is worth knowing', () => {
    const said = EVENTS.map(messageOf).map(({ event, severity, title }) =>
      [event, severity, title].join(' | '),
    )
    expect(said).toEqual([
      'down | down | Shop is down',
      'up | up | Shop is up again',
      'up | info | Shop: incident closed, since the monitor was paused',
      'up | info | Shop: incident closed, since what it checks was changed',
      'up | info | Shop: incident closed, since the monitor was deleted',
      'acknowledged | info | Shop: somebody is working on it',
      'repeat | down | Shop is still down',
      'blacklisted | down | Shop is on a blacklist',
      'ssl_expiring | warning | The certificate of Shop ends in 9 days',
      'ssl_changed | info | Shop shows another certificate',
      'domain_expiring | warning | The registration of Shop ends in 1 day',
      'domain_expired | warning | The registration of Shop has ended',
      'content_changed | info | Shop has changed',
      'flapping | warning | Shop goes up and down',
      'flapping | info | Shop has settled',
      'test | info | Test: notifications arrive here',
      'quota_nearly_used | info | Shop: quota nearly used',
    ])
  })

  it('tells times and durations as people write them', () => {
    expect(factsOf(told('up'))).toEqual({
      Target: 'https://shop.example/',
      Cause: 'Got status 503, expected 200-299',
      Since: '2026-01-01 11:58:30 UTC',
      Until: '2026-01-01 12:00:00 UTC',
      Lasted: '1 h 5 min',
    })
    const lasting = (duration_sec: number) =>
      factsOf(told('up', { incident: { duration_sec } }))['Lasted']
    expect([0, 59, 60, 3600, 90_000, 86_400 * 3 + 5].map(lasting)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h',
      '1 d 1 h',
      '3 d',
    ])
  })

  it('tells a recovery only where there was one', () => {
    for (const closed_reason of ['paused', 'reconfigured', 'deleted'] as const) {
      const delivery = told('up', { incident: { closed_reason } })
      const facts = factsOf(delivery)
      expect(Object.keys(facts)).toEqual(['Target', 'Cause', 'Since', 'Closed', 'Open for'])
      expect(facts).toMatchObject({ Closed: '2026-01-01 12:00:00 UTC', 'Open for': '1 h 5 min' })
      expect(messageOf(delivery).title).not.toContain('up again')
    }
    // Frozen before there was a reason, when only recovery was told.
    const { closed_reason: _reason, ...before } = told('up').payload['incident'] as JsonObject
    const { title, severity } = messageOf({
      ...told('up'),
      payload: { ...told('up').payload, incident: before },
    })
    expect([title, severity]).toEqual(['Shop is up again', 'up'])
  })

  it('tells since when somebody works on it', () => {
    expect(factsOf(told('acknowledged'))).toMatchObject({
      Since: '2026-01-01 11:58:30 UTC',
      Acknowledged: '2026-01-01 12:00:00 UTC',
    })
  })

  it('counts the repetitions, with their end where there is one', () => {
    expect(factsOf(told('repeat'))['Reminder']).toBe('2 of 3')
  })

  it('tells an event that it does not know by the texts and numbers that it brings', () => {
    const unknown = told('quota_nearly_used', {
      incident: null,
      extras: { quota: { used_pct: 93, list: [1] }, plan: 'small', nothing: null },
    })
    expect(factsOf(unknown)).toEqual({
      Target: 'https://shop.example/',
      'Quota used pct': '93',
      Plan: 'small',
    })
  })

  it('has one key for one incident, and another one for every other', () => {
    const key = (event: string, incident_id = 9, started_at?: number) =>
      messageOf(told(event, { incident_id, ...(started_at ? { incident: { started_at } } : {}) }))
        .incident_key
    expect(key('up')).toBe(key('down'))
    expect(key('repeat')).toBe(key('down'))
    expect(key('down', 10)).not.toBe(key('down'))
    // The same ids, of another installation.
    expect(key('down', 9, 1)).not.toBe(key('down'))
    expect(messageOf(told('ssl_changed', { incident: null })).incident_key).toBeNull()
    expect(messageOf(told('test')).incident_key).toBeNull()
  })

  it('has a link only where the target can be opened', () => {
    const link = (target: string) => messageOf(told('down', { monitor: { target } })).link
    expect(link('https://shop.example/a')).toBe('https://shop.example/a')
    expect(link('shop.example:443')).toBeNull()
    expect(link('javascript:alert(1)')).toBeNull()
    expect(link('http://')).toBeNull()
  })

  it('takes every payload, also one that is nothing like ours', () => {
    const body = new Uint8Array()
    for (const payload of [{}, { monitor: 5, incident: 'x' }, { monitor: { name: {} } }]) {
      expect(messageOf({ event: 'constructor', payload, notification_id: 1, body })).toMatchObject({
        title: 'A monitor: constructor',
        facts: [],
        incident_key: null,
      })
    }
  })

  it('leaves out controls and marks that turn text around, and ends', () => {
    const { title, facts } = messageOf(hostile())
    const texts = [title, ...facts.map(({ text }) => text)]
    expect(texts.join('')).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(texts.every(isWellFormed)).toBe(true)
    expect(title.length).toBeLessThanOrEqual(200)
    expect(Math.max(...facts.map(({ text }) => text.length))).toBeLessThanOrEqual(600)
  })
})

describe('a text that is too long', () => {
  it('ends with an ellipsis, and never with half a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abcde…')
    expect(cut('abcd😀fg', 6)).toBe('abcd…')
    expect(cutBytes('ab😀cd', 8)).toBe('ab😀cd')
    expect(cutBytes('ab😀cde', 8)).toBe('ab…')
    expect(Buffer.byteLength(cutBytes('😀'.repeat(50), 101))).toBeLessThanOrEqual(101)
  })

  it('is cut between two escapes, never inside one', () => {
    expect(cutEscaped('a&b', 7, escapeMarkup)).toBe('a&amp;b')
    expect(cutEscaped('a&bc', 7, escapeMarkup)).toBe('a&amp;…')
    expect(cutEscaped('&&&', 7, escapeMarkup)).toBe('&amp;…')
  })
})

function factsOf(delivery: Parameters<typeof messageOf>[0]): Record<string, string> {
  return Object.fromEntries(messageOf(delivery).facts.map(({ label, text }) => [label, text]))
}
