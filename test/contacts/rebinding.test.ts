/** Names of receivers that change their address between the verdict of the guard and the connection. */
import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import {
  discordContact,
  emailContact,
  ntfyContact,
  requestContact,
  slackContact,
  teamsContact,
} from '../../src/contacts/index.ts'
import { decodeSettings, parse } from '../../src/fields/parse.ts'
import type { JsonObject } from '../../src/model.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { guard, INNER, openTrap, OUTER } from '../support/rebinding.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import { told } from './rig.ts'

const NAME = 'moving.example.org'

const KINDS: readonly (readonly [AnyContactKind, (at: string, port: number) => JsonObject])[] = [
  [webhookContact({ guard }), (at) => ({ url: `http://${at}/` })],
  [requestContact({ guard }), (at) => ({ url: `http://${at}/`, json: { a: '{{title}}' } })],
  [slackContact({ guard }), (at) => ({ url: `https://${at}/` })],
  [discordContact({ guard }), (at) => ({ url: `https://${at}/` })],
  [teamsContact({ guard }), (at) => ({ url: `https://${at}/` })],
  [ntfyContact({ guard }), (at) => ({ server: `https://${at}`, topic: 'alerts' })],
  [
    emailContact({ guard }),
    (_at, port) => ({ host: NAME, port, tls: 'none', from: 'a@b.example', to: ['c@d.example'] }),
  ],
]

it.each(KINDS.map(([kind, settings]) => ({ kind, settings, name: kind.kind })))(
  'a $name never reaches the address inside of a name that has one in turn, first, or beside the other',
  async ({ kind, settings }) => {
    for (const [addresses, reaches] of [
      [(asked: number) => [asked % 2 === 1 ? OUTER : INNER], true],
      [(asked: number) => [asked % 2 === 1 ? INNER : OUTER], true],
      [() => [OUTER, INNER], false],
    ] as const) {
      const { visits, port } = await openTrap()
      let asked = 0
      const { address } = await scriptedDns(({ name, type }) => {
        if (type !== 'A') return { answers: [] }
        asked++
        return { answers: addresses(asked).map((data) => ({ type: 'A', name, ttl: 0, data })) }
      })
      const network = createNetwork({
        clock: systemClock,
        policy: kind.policy,
        resolver: createResolver({ nameservers: [address] }),
      })
      const parsed = parse(kind.fields, settings(`${NAME}:${port}`, port))
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
      const { signal } = new AbortController()
      const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
      const context = { network, clock: systemClock, signal, log }
      for (let n = 0; n < 4; n++)
        await kind.deliver(context, decodeSettings(kind.fields, parsed.value), told('down'))
      expect(visits.inner).toBe(0)
      expect(visits.outer > 0).toBe(reaches)
    }
  },
)
