/** The contact kind `webhook`: what it makes of its settings, over a transport that sends nothing. */
import { describe, expect, it } from 'vitest'
import { parse } from '../../src/fields/parse.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { delivery, rig, SENT_AT } from './rig.ts'

const url = 'https://8.8.8.8/hook'
const OLD = `whsec_${Buffer.alloc(24, 'a').toString('base64')}`
const NEW = `whsec_${Buffer.alloc(24, 'b').toString('base64')}`

/** One delivery with these settings; `answer` is what the receiver says. */
async function delivered(settings: object, answer = 'ok') {
  const transport = recordingTransport({ fallback: { status: 400, answer } })
  const { attempt, warnings } = rig({ transport, guard: {} })
  const end = await attempt({ url, ...settings })
  const [request] = transport.requests
  return { ...end, warnings, request, names: request?.headers.map(([name]) => name) }
}

describe('a delivery', () => {
  it('has the headers that it needs and no others, and none is left out', async () => {
    const { names, warnings } = await delivered({})
    expect(names).toEqual(['Content-Type', 'User-Agent', 'X-Service-Event'])
    expect(warnings).toEqual([])
  })

  it('says in the log which headers of a contact were not sent', async () => {
    const transport = recordingTransport()
    const kind = webhookContact({ transport })
    const told: unknown[] = []
    const log = { warn: (...said: unknown[]) => void told.push(said) }
    const clock = { now: () => SENT_AT }
    const headers = [['Host', 'evil.example']] as const
    await kind.deliver({ log, clock } as never, { url, method: 'POST', headers }, delivery)
    expect(told).toEqual([
      [{ notification_id: 42, headers: ['Host'] }, 'headers of a contact were not sent'],
    ])
  })

  it('is signed in the standard way with each of its secrets', async () => {
    const { names, request } = await delivered({ standard_secret: `${OLD}  ${NEW}` })
    expect(names).toEqual([
      ...['Content-Type', 'User-Agent', 'X-Service-Event'],
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ])
    expect(request?.header('webhook-signature')?.split(' ')).toHaveLength(2)
  })

  it('is not signed with what is no secret, as an older version may have stored it', async () => {
    const transport = recordingTransport()
    const { stored } = rig({ transport, guard: {} })
    await stored({ url, method: 'POST', standard_secret: 'short' })
    const names = transport.requests[0]?.headers.map(([name]) => name)
    expect(names).toEqual(['Content-Type', 'User-Agent', 'X-Service-Event'])
  })

  it('shows in its answer none of the secrets, and all of the rest', async () => {
    const settings = {
      secret: 'topsecret',
      standard_secret: `${OLD} ${NEW}`,
      headers: { 'X-Key': 'own-key' },
    }
    const text = `topsecret, ${OLD}, ${NEW}, own-key, it was here`
    expect((await delivered(settings, text)).answer).toBe('***, ***, ***, ***, it was here')
    expect((await delivered({}, text)).answer).toBe(text)
  })
})

describe('a contact', () => {
  const kind = webhookContact()
  const resolve = () => ['8.8.8.8']

  it('has a standard secret that is one, besides its address', async () => {
    const check = (standard_secret: string) =>
      kind.check({ url: 'http://10.0.0.1/', method: 'POST', standard_secret }, { resolve })
    expect(await check('short')).toEqual({
      standard_secret: 'invalid: whsec_ and the base64 of 24 to 64 bytes are expected',
    })
    expect(Object.keys(await check(OLD))).toEqual(['url'])
    expect(await kind.check({ url, method: 'POST', standard_secret: OLD }, { resolve })).toEqual({})
    expect(await kind.check({ url, method: 'POST' }, { resolve })).toEqual({})
  })

  it('has no header that belongs to the request itself', () => {
    const parsed = parse(kind.fields, { url, headers: { Host: 'x' } })
    expect(parsed).toMatchObject({
      ok: false,
      fields: { headers: expect.stringMatching(/^invalid: \S+/) as string },
    })
  })

  it('of a wrong option says which function it was given to', () => {
    expect(() => webhookContact({ deadline: 5 } as never)).toThrow(/^webhookContact: /)
  })
})
