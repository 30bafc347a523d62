import { expect, it } from 'vitest'
import { teamsContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const teams = teamsContact({ guard: LOOPBACK })

it('is a message with one Adaptive Card', async () => {
  const server = await receiver()
  server.answer(202)
  const end = await rig(teams).attempt({ url: server.url }, told('down'))
  expect(end.class).toBe('delivered')
  const { json } = server.only()
  expect(json).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          version: '1.2',
          fallbackText: 'Shop is down',
          actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://shop.example/' }],
        },
      },
    ],
  })
  expect((json.attachments[0].content.body as Block[]).map(textOf)).toEqual([
    '🔴 Shop is down',
    'Target: https://shop.example/',
    'Cause: Got status 503, expected 200-299',
    'Since: 2026-01-01 11:58:30 UTC',
  ])
})

it('keeps to 28 KB, and to text runs that know no markup, whatever it is told', async () => {
  const server = await receiver()
  const { attempt } = rig(teams)
  for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
    await attempt({ url: server.url }, delivery)
  }
  for (const { json } of server.received) {
    expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThan(28_000)
    const blocks = json.attachments[0].content.body as Block[]
    expect(blocks.length).toBeGreaterThan(0)
    for (const { type, inlines } of blocks) {
      expect(type).toBe('RichTextBlock')
      expect(inlines.map((run) => run.type)).toEqual(inlines.map(() => 'TextRun'))
      expect(inlines.every(({ text }) => text.length > 0)).toBe(true)
    }
  }
})

interface Block {
  readonly type: string
  readonly inlines: readonly { readonly type: string; readonly text: string }[]
}

function textOf({ inlines }: Block): string {
  return inlines.map(({ text }) => text).join('')
}
