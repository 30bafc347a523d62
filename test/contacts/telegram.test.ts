import { describe, expect, it } from 'vitest'
import { telegramContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const token = '123456789:AAExampleExampleExample_Example-Exa'
const telegram = (baseUrl = 'http://127.0.0.1:9') => telegramContact({ guard: LOOPBACK, baseUrl })

it('is sendMessage with a bold title', async () => {
  const server = await receiver()
  const settings = { token, chat_id: ' @ops_alerts ', thread_id: 5 }
  await rig(telegram(`${server.url}/`)).attempt(settings, told('up'))
  const { path, json } = server.only()
  expect(path).toBe(`/bot${token}/sendMessage`)
  expect(json).toEqual({
    chat_id: '@ops_alerts',
    message_thread_id: 5,
    text: [
      '<b>🟢 Shop is up again</b>',
      'Target: https://shop.example/',
      'Cause: Got status 503, expected 200-299',
      'Since: 2026-01-01 11:58:30 UTC',
      'Until: 2026-01-01 12:00:00 UTC',
      'Lasted: 1 h 5 min',
    ].join('\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
})

it('keeps to 4096 characters and to HTML that Telegram takes, whatever it is told', async () => {
  const server = await receiver()
  const { attempt } = rig(telegram(server.url))
  for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
    await attempt({ token, chat_id: '1' }, delivery)
  }
  for (const { json } of server.received) {
    const { text } = json as { text: string }
    expect(text.length).toBeGreaterThan(0)
    expect(text.length).toBeLessThanOrEqual(4096)
    const inside = /^<b>([^]*?)<\/b>([^]*)$/.exec(text)
    expect(inside).not.toBeNull()
    expect(`${inside?.[1]}${inside?.[2]}`).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/)
  }
})

it('mentions nobody, whatever a monitor is called or a target answers', async () => {
  const server = await receiver()
  const { attempt } = rig(telegram(server.url))
  const delivery = told('down', {
    monitor: { name: '@everybody Shop', target: 'https://shop.example/@a' },
    incident: { cause_text: 'The server said: 554 (@victim)' },
  })
  const body = '@team: {{monitor.name}} {{incident.cause_text}} <a href="{{link}}">open</a>'
  await attempt({ token, chat_id: '1' }, delivery)
  await attempt({ token, chat_id: '1', template: { body } }, delivery)
  const [own, written] = server.received.map(({ json }) => (json as { text: string }).text)
  expect(own).not.toMatch(/@\w/)
  expect(own).toContain('554 (@\u200bvictim)')
  const mentions = [...(written ?? '').matchAll(/(?<!\/)@\w+/g)].map(([name]) => name)
  expect(mentions).toEqual(['@team'])
  expect(written).toContain('<a href="https://shop.example/@a">')
})

describe('the settings', () => {
  it.each([
    ['no token', { token: 'abc' }, 'token'],
    ['a token that leaves its place in the path', { token: '1:aaaaaaaaaa/../..' }, 'token'],
    ['a token with a query', { token: '1:aaaaaaaaaa?x=1' }, 'token'],
    ['a chat that is none', { chat_id: 'ops' }, 'chat_id'],
  ])('refuse %s', async (_, wrong, field) => {
    const problems = await rig(telegram()).problems({ token, chat_id: '-100123', ...wrong })
    expect(Object.keys(problems)).toEqual([field])
  })

  it('take a group, a channel and a person', async () => {
    for (const chat_id of ['-1001234567890', '@channel', '42']) {
      expect(await rig(telegram()).problems({ token, chat_id })).toEqual({})
    }
  })
})
