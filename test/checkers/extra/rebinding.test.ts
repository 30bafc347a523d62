/** Names that change their address between the verdict of the guard and the connection, for the further types. */
import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../../src/checkers/index.ts'
import { createGuard } from '../../../src/net/guard/guard.ts'
import { check } from '../../support/check.ts'
import { guard, INNER, openTrap, OUTER } from '../../support/rebinding.ts'
import { scriptedDns } from '../../support/scripted-dns.ts'

const { policy } = createGuard(guard)

const checkers = new Map(builtinCheckers({ extra: true }).map((one) => [one.type, one]))

type Type = 'websocket' | 'grpc' | 'redis' | 'http'

const settings: Readonly<Record<string, (port: number) => readonly [Type, object]>> = {
  websocket: (port) => ['websocket', { url: `ws://moving.example.org:${port}/` }],
  grpc: (port) => ['grpc', { host: 'moving.example.org', port }],
  redis: (port) => ['redis', { host: 'moving.example.org', port }],
  'http with OAuth2': (port) => [
    'http',
    {
      url: `http://${OUTER}:${port}/`,
      oauth: {
        token_url: `http://moving.example.org:${port}/`,
        client_id: 'a',
        client_secret: 'b',
      },
    },
  ],
}

describe.each(Object.entries(settings))('%s', (_, inputFor) => {
  it.each([
    ['each time another one', (asked: number) => [asked % 2 === 1 ? OUTER : INNER], true],
    ['first the one inside', (asked: number) => [asked % 2 === 1 ? INNER : OUTER], false],
    ['both at once', () => [OUTER, INNER], false],
  ])('never reaches the address inside of a name that has %s', async (_how, answers, reaches) => {
    const { visits, port } = await openTrap()
    let asked = 0
    const { address } = await scriptedDns(({ name, type }) => {
      if (type !== 'A') return { answers: [] }
      asked++
      return { answers: answers(asked).map((data) => ({ type: 'A', name, ttl: 0, data })) }
    })
    const [type, input] = inputFor(port)
    const options = { policy, strangers: true, nameservers: [address] }
    const outcome = await check(checkers.get(type)!, input as never, options)
    expect(visits).toEqual({ outer: reaches ? 1 : 0, inner: 0 })
    if (!reaches) expect(outcome.cause_code).toMatch(/connect_blocked|oauth/)
  })
})
