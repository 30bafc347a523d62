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

// Discord refuses the whole message, and with it the alert, for a link whose host is no full name.
it.each([
  ['https://shop.example/a?b=c', 'https://shop.example/a?b=c'],
  ['https://xn--bcher-kva.xn--p1ai/', 'https://xn--bcher-kva.xn--p1ai/'],
  ['http://shop.example.:8080/', 'http://shop.example:8080/'],
  ['http://intranet:8080/', undefined],
  ['http://localhost/', undefined],
  ['http://my_host.example.com/', undefined],
  ['http://[::1]:8080/', undefined],
  ['http://192.168.1.7/', undefined],
])('an embed for %s has the link %s', async (target, url) => {
  const server = await receiver()
  const { payload, ...down } = told('down')
  const monitor = { ...(payload['monitor'] as object), target }
  await rig(discord).attempt({ url: server.url }, { ...down, payload: { ...payload, monitor } })
  const [embed] = server.only().json.embeds as { url?: string; description: string }[]
  expect(embed?.url).toBe(url)
  // It is said in any case.
  expect(embed?.description).toContain('Target')
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
