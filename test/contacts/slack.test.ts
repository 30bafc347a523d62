import { expect, it } from 'vitest'
import { slackContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const slack = slackContact({ guard: LOOPBACK })

it('is a header and the facts, with the title as what a notification shows', async () => {
  const server = await receiver()
  await rig(slack).attempt({ url: server.url }, told('down'))
  expect(server.only().json).toEqual({
    text: '🔴 Shop is down',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '🔴 Shop is down', emoji: false } },
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: [
            'Target: https://shop.example/',
            'Cause: Got status 503, expected 200-299',
            'Since: 2026-01-01 11:58:30 UTC',
          ].join('\n'),
          emoji: false,
        },
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  })
})

it('keeps to the limits and the escaping of Slack, whatever it is told', async () => {
  const server = await receiver()
  const { attempt } = rig(slack)
  for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
    await attempt({ url: server.url }, delivery)
  }
  for (const { json } of server.received) {
    const { text, blocks } = json as { text: string; blocks: { text: Text }[] }
    expect(text.length).toBeGreaterThan(0)
    for (const [index, block] of blocks.entries()) {
      expect(block.text.type).toBe('plain_text')
      expect(block.text.text.length).toBeGreaterThan(0)
      expect(block.text.text.length).toBeLessThanOrEqual(index === 0 ? 150 : 3000)
    }
    for (const said of [text, ...blocks.map((block) => block.text.text)]) {
      // What Slack gives a meaning to, and no `&` but that of an escape.
      expect(said).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/)
    }
  }
})

interface Text {
  readonly type: string
  readonly text: string
}

it('refuses what is no address', async () => {
  const { problems } = rig(slack)
  expect(await problems({ url: 'hooks.slack.com/services/x' })).toEqual({
    url: 'invalid: an absolute URL is expected',
  })
  expect(await problems({})).toEqual({ url: 'required' })
  expect(await problems({ url: 'https://me:pw@hooks.slack.com/x' })).toEqual({
    url: 'invalid: user and password do not belong in this address',
  })
})
