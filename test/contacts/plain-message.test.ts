/** Where a service refuses the form of a message, its words arrive all the same. */
import { describe, expect, it } from 'vitest'
import { discordContact, slackContact, telegramContact } from '../../src/contacts/index.ts'
import type { PostingOptions } from '../../src/contacts/index.ts'
import type { WebhookAnswer } from '../../src/webhook/transport.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const TOKEN = '123456789:AAExampleExampleExample_Example-Exa'
const FACTS = [
  'Target: https://shop.example/',
  'Cause: Got status 503, expected 200-299',
  'Since: 2026-01-01 11:58:30 UTC',
]
const WORDS = ['🔴 Shop is down', ...FACTS].join('\n')
const TEMPLATE = { title: 'Mine', body: 'my words' }

const byUrl = (base: string) => ({ url: `${base}/hook/aSecretOfTheHook` })

const KINDS = [
  {
    name: 'slack',
    kind: (options: PostingOptions) => slackContact(options),
    settings: byUrl,
    most: 3000,
    markup: /<[!@#a-z]/,
    plain: { text: WORDS, mrkdwn: false, unfurl_links: false, unfurl_media: false },
    text: (json: Record<string, string>) => json['text'],
  },
  {
    name: 'discord',
    kind: (options: PostingOptions) => discordContact(options),
    settings: byUrl,
    most: 2000,
    markup: /(?<!\\)[@<*_[]/,
    plain: { content: WORDS.replace(/[:-]/g, '\\$&'), allowed_mentions: { parse: [] } },
    text: (json: Record<string, string>) => json['content'],
  },
  {
    name: 'telegram',
    kind: (options: PostingOptions, base = 'http://127.0.0.1:9') =>
      telegramContact({ ...options, baseUrl: base }),
    // A topic that was deleted is refused: the plain message goes to the chat.
    settings: () => ({ token: TOKEN, chat_id: '-1001', thread_id: 5 }),
    most: 4096,
    // There is no markup without `parse_mode`.
    markup: /@\w/,
    plain: { chat_id: '-1001', text: WORDS, link_preview_options: { is_disabled: true } },
    text: (json: Record<string, string>) => json['text'],
  },
] as const

describe.each(KINDS)('$name', ({ kind, settings, plain, most, markup, text }) => {
  async function begin(options: PostingOptions = {}) {
    const server = await receiver()
    const { attempt } = rig(kind({ guard: LOOPBACK, ...options }, server.url))
    const given = { ...settings(server.url), template: TEMPLATE }
    return { server, attempt: (delivery = told('down')) => attempt(given, delivery) }
  }

  it.each([400, 413, 422])('gets plain words after a %i, which the log tells', async (status) => {
    const { server, attempt } = await begin()
    server.answerOnce(status, 'invalid_blocks')
    expect(await attempt()).toMatchObject({
      ...{ class: 'delivered', http_status: 200, error: null },
      answer: `sent as plain text after http_${status}: invalid_blocks`,
    })
    const [refused, sent, ...others] = server.received
    expect(JSON.stringify(refused?.json)).toContain('my words')
    expect(sent?.json).toEqual(plain)
    expect(sent?.path).toBe(refused?.path)
    expect(others).toEqual([])
  })

  it('says the status alone where the refusal has no words', async () => {
    const { server, attempt } = await begin()
    server.answerOnce(422)
    expect(await attempt()).toMatchObject({ answer: 'sent as plain text after http_422' })
  })

  it('fails by the first refusal where the plain words are refused as well', async () => {
    const { server, attempt } = await begin()
    server.answerOnce(400, 'chat not found')
    server.answer(403, 'go away')
    const end = { class: 'failed', http_status: 400, error: 'http_400', answer: 'chat not found' }
    expect(await attempt()).toMatchObject(end)
    expect(server.received).toHaveLength(2)
  })

  it('comes back where the plain words could not be taken now', async () => {
    const { server, attempt } = await begin()
    server.answerOnce(400)
    server.answer(429, '{"retry_after":7}')
    const end = { class: 'temporary', http_status: 429, retry_after_ms: 7000 }
    expect(await attempt()).toMatchObject(end)
  })

  it.each([401, 403, 404, 410, 429, 500])('sends nothing else after a %i', async (status) => {
    const { server, attempt } = await begin()
    server.answer(status)
    expect(await attempt()).toMatchObject({ error: `http_${status}` })
    server.only()
  })

  it('sends nothing else after a refusal that took four seconds', async () => {
    const slow = (duration_ms: number) => {
      const sent: number[] = []
      const send = (): Promise<WebhookAnswer> => {
        const answer = { http_status: sent.push(1) === 1 ? 400 : 200, duration_ms, written: true }
        return Promise.resolve({ ...answer, error: null, retry_after: undefined, answer: '' })
      }
      return { transport: { send } }
    }
    const { attempt } = await begin(slow(4001))
    expect(await attempt()).toMatchObject({ class: 'failed', duration_ms: 4001 })
    const { attempt: inTime } = await begin(slow(4000))
    expect(await inTime()).toMatchObject({ class: 'delivered', duration_ms: 8000 })
  })

  it('keeps to the limits, mentions nobody and shows no markup, whatever it is told', async () => {
    const { server, attempt } = await begin()
    for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
      server.answerOnce(400)
      await attempt(delivery)
    }
    const messages = server.received.filter((_, index) => index % 2 === 1)
    expect(messages).toHaveLength(EVENTS.length + 2)
    for (const { json } of messages) {
      const words = text(json as Record<string, string>) ?? ''
      expect(words.length).toBeGreaterThan(0)
      expect(words.length).toBeLessThanOrEqual(most)
      expect(words).not.toMatch(markup)
    }
  })
})
