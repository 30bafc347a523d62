/**
 * Code of an app, as it compiles and as it must not: `npm run check -- package` compiles it against the packed
 * package, as an ES module, as CommonJS, and as a bundler resolves it. Where a mistake is no error, the comment is.
 */

/* eslint-disable @typescript-eslint/no-unsafe-call -- a misspelt call has no type */

import { createEngine } from 'watchpost'
import type { Engine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { tcp } from 'watchpost/checkers/tcp'
import { createClient } from 'watchpost/client'
import { builtinContacts, slackContact } from 'watchpost/contacts'
import { defineMonitors } from 'watchpost/monitors'
import { createRest } from 'watchpost/rest'
import { memoryStore } from 'watchpost/store/memory'
import { verifyStandardWebhook, verifyWebhook } from 'watchpost/verify'

const store = memoryStore()

export async function right(): Promise<unknown> {
  const engine = createEngine({ store, checkers: builtinCheckers(), contacts: builtinContacts() })
  // An engine of known types is one of any.
  const any: Engine = engine
  await engine.monitors.create({ type: 'http', name: 'Shop', url: 'https://shop.example/' })
  const patched = await engine.monitors.update(1, { interval_sec: 60, name: undefined })
  if (patched.type === 'tcp') patched.port.toFixed()
  await engine.contacts.create({
    kind: 'slack',
    name: 'ops',
    url: 'https://hooks.slack.com/services/x',
    template: { title: '{{monitor.name}}', events: { down: { body: '{{facts}}' } } },
  })
  engine.on('down', ({ incident }) => incident.cause_code)
  const rest = createRest(any, { manageContacts: true, rateLimit: undefined })
  const client = createClient({ url: 'https://watch.example/', apiKey: 'svc_x' })
  const monitors = defineMonitors([{ key: 'a', type: 'ping', name: 'Router', host: '192.0.2.1' }])
  const verified = verifyWebhook({ body: '', header: undefined, secret: 'x' })
  if (verified.ok) verified.payload.sent_at.trim()
  else verified.reason.trim()
  const standard = verifyStandardWebhook({ body: '', headers: new Headers(), secret: 'whsec_x' })
  return [rest, await client.monitors.list(), monitors, standard.ok && standard.id]
}

export async function misspeltSettings(): Promise<void> {
  const engine = createEngine({ store, checkers: builtinCheckers() })
  // @ts-expect-error a setting is misspelt
  await engine.monitors.create({ type: 'http', name: 'Shop', ulr: 'https://shop.example/' })
  // @ts-expect-error a required setting is absent
  await engine.monitors.create({ type: 'tcp', name: 'Mail', host: 'mx.example' })
  // @ts-expect-error a port is a number
  await engine.monitors.create({ type: 'tcp', name: 'Mail', host: 'mx.example', port: '25' })
  // @ts-expect-error there is no such type
  await engine.monitors.create({ type: 'htttp', name: 'Shop', url: 'https://shop.example/' })
  // @ts-expect-error no type has this setting
  await engine.monitors.update(1, { intervall_sec: 60 })
  const few = createEngine({ store, checkers: [tcp()] })
  // @ts-expect-error this engine has no such type
  await few.monitors.create({ type: 'http', name: 'Shop', url: 'https://shop.example/' })
  // @ts-expect-error a setting of a list is misspelt
  defineMonitors([{ key: 'a', type: 'ping', name: 'Router', hots: '192.0.2.1' }])
}

export function misspeltOptions(): void {
  // @ts-expect-error an option of the engine is misspelt
  createEngine({ store, checkers: [], loger: false })
  // @ts-expect-error an option of REST is misspelt
  createRest(createEngine({ store, checkers: [] }), { manageContact: true })
  // @ts-expect-error a client needs a key
  createClient({ url: 'https://watch.example/' })
  // @ts-expect-error an option of a contact kind is misspelt
  slackContact({ brandt: 'Ours' })
  // @ts-expect-error a header is needed
  verifyWebhook({ body: '', secret: 'x' })
}

export async function misspeltNames(): Promise<void> {
  const engine = createEngine({ store, checkers: [], contacts: [slackContact()] })
  // @ts-expect-error there is no such event
  engine.on('dwon', () => undefined)
  // @ts-expect-error this engine has no such kind
  await engine.contacts.create({ kind: 'telegram', name: 'ops', token: 'x', chat_id: '1' })
  // @ts-expect-error a setting of the kind is misspelt
  await engine.contacts.create({ kind: 'slack', name: 'ops', uri: 'https://hooks.slack.com/x' })
  const url = 'https://hooks.slack.com/x'
  // @ts-expect-error a part of a template is misspelt
  await engine.contacts.create({ kind: 'slack', name: 'ops', url, template: { titel: 'x' } })
  const client = createClient({ url: 'https://watch.example/', apiKey: 'svc_x' })
  // @ts-expect-error a call of the client is misspelt
  await client.monitors.creat({ type: 'ping', name: 'Router', host: '192.0.2.1' })
  // @ts-expect-error a filter is misspelt
  await client.monitors.list({ stats: ['down'] })
}
