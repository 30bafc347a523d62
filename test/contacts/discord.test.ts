import { expect, it } from 'vitest'
import { discordContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const discord = discordContact({ guard: LOOPBACK })

it('is one coloured embed that mentions nobody', async () => {
  const server = await receiver()
  server.answer(204)
  const end = await rig(discord).attempt({ url: server.url }, told('down'))
  expect(end.class).toBe('delivered')
  expect(server.only().json).toEqual({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: '🔴 Shop is down',
        url: 'https://shop.example/',
        description: [
          'Target\\: https\\://shop.example/',
          'Cause\\: Got status 503, expected 200\\-299',
          'Since\\: 2026\\-01\\-01 11\\:58\\:30 UTC',
        ].join('\n'),
        color: 0xd92d20,
        timestamp: '2026-01-01T12:00:00.000Z',
      },
    ],
  })
})

it('keeps to the limits of Discord and escapes its Markdown, whatever it is told', async () => {
  const server = await receiver()
  const { attempt } = rig(discord)
  for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
    await attempt({ url: server.url }, delivery)
  }
  for (const { json } of server.received) {
    const [embed] = json.embeds as { title: string; description: string; color: number }[]
    const { title = '', description = '', color = -1 } = embed ?? {}
    expect(title.length).toBeGreaterThan(0)
    expect(title.length).toBeLessThanOrEqual(256)
    expect(description.length).toBeLessThanOrEqual(4096)
    expect(title.length + description.length).toBeLessThanOrEqual(6000)
    expect(color).toBeGreaterThanOrEqual(0)
    expect(json.allowed_mentions).toEqual({ parse: [] })
    for (const said of [title, description]) {
      expect(said.replace(/\\[\\*_~`|<>[\]()#:@-]/g, '')).not.toMatch(/[\\*_~`|<>[\]()#@]/)
    }
  }
})
