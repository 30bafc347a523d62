/** The recipes of docs/guide/contacts.md, each against a stand-in with the rules that the service documents. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { requestContact } from '../../src/contacts/index.ts'
import type { JsonObject } from '../../src/model.ts'
import { rawReceiver } from './raw-receiver.ts'
import type { RawRequest } from './raw-receiver.ts'
import { EVENTS, hostile, LOOPBACK, rig } from './rig.ts'

const guide = readFileSync(join(root, 'docs/guide/contacts.md'), 'utf8')
const recipes = [...guide.matchAll(/```json\n([^]*?)```/g)]
  .map(([, text = '']) => JSON.parse(text) as JsonObject)
  .filter(({ kind }) => kind === 'request')

/** The status with which a service answers a request. */
type StandIn = (request: RawRequest) => number

const within = (text: unknown, max: number): boolean =>
  typeof text === 'string' && text.trim() !== '' && text.length <= max

/** The members of a JSON body, or nothing where it is not sent as such. */
function jsonOf({ headers, body }: RawRequest): Readonly<Record<string, unknown>> {
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return {}
  return JSON.parse(body) as Readonly<Record<string, unknown>>
}

function formOf({ headers, body }: RawRequest): URLSearchParams {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  return new URLSearchParams(isForm ? body : '')
}

const STAND_INS: Readonly<Record<string, StandIn>> = {
  // https://developers.mattermost.com/integrate/webhooks/incoming/
  Mattermost(request) {
    const isHook = request.method === 'POST' && /^\/hooks\/\w{26}$/.test(request.path)
    const { text } = jsonOf(request)
    // Mentions of its own, and those that it takes from Slack.
    const mentions = /(?:^|[^\w])@(?:all|channel|here|everyone)\b|<!(?:here|channel|all)>|<@\w+>/
    return isHook && within(text, 16_383) && !mentions.test(String(text)) ? 200 : 400
  },
  // https://developers.google.com/workspace/chat/quickstart/webhooks
  'Google Chat'(request) {
    const url = new URL(request.path, 'http://chat')
    const isSpace = /^\/v1\/spaces\/\w+\/messages$/.test(url.pathname)
    const hasKeys = url.searchParams.has('key') && url.searchParams.has('token')
    const { text, thread } = jsonOf(request)
    const { threadKey } = (thread ?? {}) as { threadKey?: unknown }
    const small = Buffer.byteLength(request.body) <= 32_000
    const good = isSpace && hasKeys && small && within(text, 32_000) && within(threadKey, 4000)
    return request.method === 'POST' && good && !/<users\//.test(String(text)) ? 200 : 400
  },
  // https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
  Matrix(request) {
    if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) return 401
    const path = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/
    const [, room = '', transaction = ''] = path.exec(request.path) ?? []
    const { msgtype, body } = jsonOf(request)
    const isRoom = decodeURIComponent(room) === '!room:example.org'
    const good = isRoom && transaction !== '' && msgtype === 'm.text' && within(body, 65_536)
    return request.method === 'PUT' && good ? 200 : 400
  },
  // https://docs.opsgenie.com/docs/alert-api
  Opsgenie(request) {
    if (!/^GenieKey \S+$/.test(request.headers.authorization ?? '')) return 401
    const json = jsonOf(request)
    if (/^\/v2\/alerts\/[^/]{1,512}\/close\?identifierType=alias$/.test(request.path)) return 202
    const bounded = within(json['message'], 130) && within(json['alias'], 512)
    const description = json['description']
    const fits = typeof description === 'string' && description.length <= 15_000
    return request.path === '/v2/alerts' && bounded && fits ? 202 : 422
  },
  // https://pushover.net/api
  Pushover(request) {
    const form = formOf(request)
    const keys = ['token', 'user'].every((name) => /^[A-Za-z0-9]{30}$/.test(form.get(name) ?? ''))
    const fits = within(form.get('title'), 250) && within(form.get('message'), 1024)
    return request.path === '/1/messages.json' && keys && fits ? 200 : 400
  },
  // https://www.twilio.com/docs/messaging/api/message-resource
  Twilio(request) {
    if (!/^Basic [\w+/=]+$/.test(request.headers.authorization ?? '')) return 401
    const form = formOf(request)
    const numbers = ['To', 'From'].every((name) => /^\+\d{6,15}$/.test(form.get(name) ?? ''))
    const isPath = /^\/2010-04-01\/Accounts\/AC[0-9a-f]{32}\/Messages\.json$/.test(request.path)
    return isPath && numbers && within(form.get('Body'), 1600) ? 201 : 400
  },
}

it('there is a recipe for each of the stand-ins', () => {
  expect(recipes.map(({ name }) => name).sort()).toEqual(Object.keys(STAND_INS).sort())
})

it.each(recipes)('$name takes every event as the recipe sends it', async (recipe) => {
  const { kind: _kind, name, all_monitors: _all, ...settings } = recipe
  const server = await rawReceiver()
  server.answer(STAND_INS[name as string] ?? 500)
  const here = JSON.parse(
    JSON.stringify(settings).replaceAll(/https:\/\/[\w.-]+(?=\/)/g, server.url),
  ) as JsonObject
  const { attempt } = rig(requestContact({ guard: LOOPBACK }))
  const deliveries = [...EVENTS, hostile(), hostile('up'), hostile('of_another_kind')]
  for (const delivery of deliveries)
    expect(await attempt(here, delivery), delivery.event).toMatchObject({ class: 'delivered' })
  expect(server.received).toHaveLength(deliveries.length)
})
