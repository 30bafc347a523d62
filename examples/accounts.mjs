/**
 * Your users, your accounts: an Express app whose own sign-in decides who sees which monitors, over REST and on the
 * page, and whose name the audit log shows. It signs two users in, prints what each of them sees, and ends.
 *
 *   npm run build && npm install express && node examples/accounts.mjs
 */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import { createEngine } from 'watchpost'
import { tcp } from 'watchpost/checkers/tcp'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { memoryStore } from 'watchpost/store/memory'

const engine = createEngine({
  store: memoryStore(),
  checkers: [tcp()],
  quotas: { monitors: 1, min_interval_sec: 60 },
})
await engine.start()

// Your users, and who of them is signed in: your database and your session middleware.
const users = new Map([
  ['ann', { id: 'ann', company: 'Ann & Co', company_id: 'customer-7', read_only: false }],
  ['bob', { id: 'bob', company: 'Bob Ltd', company_id: 'customer-8', read_only: true }],
])
/** @type {Map<string, string>} */
const sessions = new Map()

/** @param {Request} request */
function userOf(request) {
  const token = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  return users.get(sessions.get(token ?? '') ?? '')
}

/**
 * The same `external_id` is the same account: it is made when the first user of a company comes.
 *
 * @param {{ company: string, company_id: string }} user
 */
async function accountOf({ company, company_id }) {
  const found = await engine.accounts.find({ external_id: company_id })
  return found ?? engine.accounts.create({ name: company, external_id: company_id })
}

const rest = createRest(engine, {
  async authenticate(request) {
    const user = userOf(request)
    if (user === undefined) return undefined
    const { id: account_id } = await accountOf(user)
    /** @type {import('watchpost').KeyScope[]} */
    const scopes = user.read_only ? ['read'] : ['read', 'write']
    return { account_id, key: { id: `user-${user.id}`, scopes }, actor: `user:${user.id}` }
  },
})
const page = createPage(engine, {
  basePath: '/status',
  async authorize(request) {
    const user = userOf(request)
    if (user === undefined)
      return new Response(null, { status: 302, headers: { Location: '/sign-in' } })
    const { id: account_id } = await accountOf(user)
    const { id, read_only } = user
    return { account_id, read_only, identity: `user-${id}`, actor: `user:${id}` }
  },
})

// Events lead back to your records by the account, or by what you keep in the metadata.
engine.on('down', ({ account_id, monitor }) => {
  console.log(`tell the people of account ${account_id}: shop`, monitor.metadata['shop'], 'is down')
})

const app = express()
for (const door of [rest, page]) app.use(toNodeHandler(door))
app.post('/sign-in', (req, res) => {
  const name = String(req.headers['x-user'])
  if (!users.has(name)) return res.sendStatus(401)
  const token = randomUUID()
  sessions.set(token, name)
  res.setHeader('Set-Cookie', `session=${token}; HttpOnly; SameSite=Strict; Path=/`)
  res.end()
})
const server = createServer(app).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

/** @param {string} user */
async function signIn(user) {
  // Yours asks for a password.
  const headers = { 'x-user': user }
  const response = await fetch(`${url}/sign-in`, { method: 'POST', headers })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  function ask(method, path, body) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch(url + path, { method, headers: { cookie, ...type }, ...sent })
  }
  return ask
}

const monitor = {
  type: 'tcp',
  name: 'Shop',
  host: '127.0.0.1',
  port: 9,
  fail_threshold: 1,
  metadata: { shop: 'a' },
}
const ann = await signIn('ann')
const bob = await signIn('bob')
const down = new Promise((resolve) => engine.once('down', resolve))
const created = await ann('POST', '/api/v1/monitors', monitor)
await down
console.log('ann creates:', created.status)
console.log('one too many:', (await ann('POST', '/api/v1/monitors', monitor)).status)
console.log('bob may only look:', (await bob('POST', '/api/v1/monitors', monitor)).status)
console.log('a stranger:', (await fetch(`${url}/api/v1/monitors`)).status)
for (const [name, ask] of Object.entries({ ann, bob })) {
  /** @type {any} */
  const { monitors } = await (await ask('GET', '/api/v1/monitors')).json()
  const shown = (await (await ask('GET', '/status/')).text()).includes('127.0.0.1:9')
  console.log(
    `${name} sees ${monitors.length} over REST, ${shown ? 'and one' : 'none'} on the page`,
  )
}
/** @type {any} */
const { entries } = await (await ann('GET', '/api/v1/audit-log?resource=monitor')).json()
for (const { actor, action, resource_name } of entries)
  console.log(`audit log: ${actor} ${action} ${resource_name}`)

// A customer leaves: everything of the account goes.
const { id } = await accountOf({ company: 'Ann & Co', company_id: 'customer-7' })
await engine.accounts.remove(id, { actor: 'admin:eve' })
console.log('after the removal:', (await engine.accounts.exists(id)) ? 'still there' : 'gone')

server.close()
await engine.stop()
