import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const QUIET = { PORT: '0', LOG_LEVEL: 'error', WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32' }
const OPS = { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/hook' }

describe('WATCHPOST_MANAGE_CONTACTS', () => {
  it('lets contacts be made over REST', async () => {
    const server = await watchpost.serve({ env: { ...QUIET, WATCHPOST_MANAGE_CONTACTS: 'true' } })
    const made = await server.call('/api/v1/contacts', { method: 'POST', body: OPS })
    expect([made.status, made.body.contact?.name]).toEqual([201, 'ops'])
    expect((await server.call('/api/v1/contacts/1', { method: 'DELETE' })).status).toBe(200)
  })
})

describe('WATCHPOST_METADATA_IN_PAYLOADS', () => {
  it('adds the metadata of its monitor to a notification', async () => {
    const bodies: { monitor: { metadata?: unknown } }[] = []
    const receiver = createServer((req, res) => {
      void json(req).then((body) => {
        bodies.push(body as (typeof bodies)[number])
        res.end()
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await once(receiver, 'listening')
    const service = contactsFile({ WATCHPOST_METADATA_IN_PAYLOADS: 'true' })
    const { port } = receiver.address() as AddressInfo
    service.write([{ ...OPS, url: `http://127.0.0.1:${port}/`, all_monitors: true }])
    const server = await service.serve()
    const closed = { type: 'tcp', host: '127.0.0.1', port: 9, fail_threshold: 1 }
    const body = { ...closed, metadata: { customer: 'c-7' } }
    await server.call('/api/v1/monitors', { body, key: service.key })
    await expect.poll(() => bodies.length).toBe(1)
    expect(bodies[0]?.monitor.metadata).toEqual({ customer: 'c-7' })
  })
})

describe('WATCHPOST_CONTACTS', () => {
  it('makes contacts, and brings those of the same name up to date', async () => {
    const service = contactsFile()
    service.write([
      { ...OPS, secret: 'a-long-secret', headers: { 'X-Team': 'a' }, all_monitors: true },
      { ...OPS, name: 'boss', method: 'GET' },
    ])
    expect(await service.contacts()).toMatchObject([
      {
        id: 1,
        name: 'ops',
        all_monitors: true,
        settings: { secret: '***', method: 'POST', headers: { 'X-Team': '***' } },
      },
      { id: 2, name: 'boss', all_monitors: false, settings: { method: 'GET' } },
    ])

    service.write([{ ...OPS, url: 'http://127.0.0.1:10/hook' }])
    const [ops, boss] = await service.contacts()
    // What the file does not say any more is as if it had never been said.
    expect(ops).toMatchObject({ id: 1, all_monitors: false })
    expect(ops?.settings).toEqual({ url: 'http://127.0.0.1:10/hook', method: 'POST' })
    expect(boss).toMatchObject({ id: 2, name: 'boss', settings: { method: 'GET' } })
  })

  it('makes contacts of every kind, whose secrets are not shown', async () => {
    const service = contactsFile()
    const mail = { host: '127.0.0.1', from: 'a@example.com', to: 'b@example.com, c@example.com' }
    service.write([
      OPS,
      { kind: 'slack', name: 'chat', url: 'http://127.0.0.1:9/hidden' },
      { kind: 'email', name: 'mail', ...mail, user: 'u', pass: 'hidden' },
      { kind: 'ntfy', name: 'phone', server: 'http://127.0.0.1:9', topic: 'hidden' },
    ])
    const contacts = await service.contacts()
    expect(contacts.map(({ name }) => name)).toEqual(['ops', 'chat', 'mail', 'phone'])
    expect(contacts[2]?.settings).toMatchObject({ to: ['b@example.com', 'c@example.com'] })
    expect(JSON.stringify(contacts)).not.toContain('hidden')
  })

  it('changes nothing for a file with a mistake in its last entry', async () => {
    const service = contactsFile()
    service.write([
      { ...OPS, name: 'new' },
      { kind: 'webhook', name: 'broken' },
    ])
    const ended = await service.start()
    expect(ended.code).toBe(64)
    service.write([])
    expect(await service.contacts()).toEqual([])
  })

  it.each([
    ['{"kind": "webhook", "secret": "hidden', 'is not valid JSON'],
    ['{}', 'an array of contacts is expected'],
    ['["ops"]', 'entry 1: an object is expected'],
    [[OPS, { ...OPS, name: undefined }], 'entry 2: name: required'],
    [[OPS, { ...OPS, name: ' ops ' }], 'entry 2: name: the same as in entry 1'],
    [[{ ...OPS, name: 7 }], 'entry 1 (7): name: invalid'],
    [[{ ...OPS, kind: 'pigeon' }], 'entry 1 ("ops"): kind: invalid: one of webhook'],
    [[{ ...OPS, kind: undefined }], 'entry 1 ("ops"): kind: required'],
    [[{ ...OPS, url: undefined }], 'entry 1 ("ops"): url: required'],
    [[{ ...OPS, url: 'ftp://x/hidden' }], 'entry 1 ("ops"): url: invalid'],
    [
      [{ ...OPS, url: 'http://10.1.2.3/' }],
      'private_address: this address is not allowed (WATCHPOST_WEBHOOK_ALLOW',
    ],
    [[{ ...OPS, method: 'PUT' }], 'entry 1 ("ops"): method: invalid'],
    [[{ ...OPS, headers: { 'X\n': 'hidden' } }], 'entry 1 ("ops"): headers: invalid'],
    [[{ ...OPS, colour: 'red', id: 3 }], 'colour: unknown_field; id: unknown_field'],
  ])('%j is refused: %s', async (content, problem) => {
    const service = contactsFile()
    service.write(content)
    const { code, stdout, stderr } = await service.start()
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/^watchpost: WATCHPOST_CONTACTS: contacts\.json: .*\n$/)
    expect(stderr).toContain(problem)
    expect(stderr).not.toContain('hidden')
  })

  it('counts a byte order mark as nothing', async () => {
    const service = contactsFile()
    service.write(`\uFEFF${JSON.stringify([OPS])}`)
    expect(await service.contacts()).toHaveLength(1)
  })
})

interface Contact {
  readonly id: number
  readonly name: string
  readonly all_monitors: boolean
  readonly settings: Readonly<Record<string, unknown>>
}

/** A service that is started over and over with the same data. */
function contactsFile(more: Readonly<Record<string, string>> = {}) {
  const cwd = folder()
  const key = 'a-key-of-the-operator'
  const env = { ...QUIET, WATCHPOST_CONTACTS: 'contacts.json', WATCHPOST_API_KEY: key, ...more }
  return {
    key,
    serve: () => watchpost.serve({ cwd, env }),
    write(content: unknown): void {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(join(cwd, 'contacts.json'), text)
    },
    /** For files that keep it from starting. */
    start: () => watchpost.run(['serve'], { cwd, env }),
    async contacts(): Promise<Contact[]> {
      const server = await watchpost.serve({ cwd, env })
      const { body } = await server.call('/api/v1/contacts', { key })
      await server.stop()
      return body.contacts as Contact[]
    },
  }
}
