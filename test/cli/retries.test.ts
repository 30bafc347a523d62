import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'
import { httpProxy } from '../support/test-proxies.ts'
import { freePorts } from '../support/servers/ports.ts'

const watchpost = commandLine()

interface Notification {
  readonly attempts: readonly unknown[]
}

/** The one notification of a monitor that is down, once its first attempt has ended at a closed port. */
async function afterOneAttempt(env: Readonly<Record<string, string>>) {
  const cwd = folder()
  const { target, receiver } = await freePorts(['target', 'receiver'])
  const url = `http://127.0.0.1:${receiver}/`
  const contacts = [{ kind: 'webhook', name: 'ops', url, all_monitors: true }]
  writeFileSync(join(cwd, 'contacts.json'), JSON.stringify(contacts))
  const server = await watchpost.serve({
    cwd,
    env: { WATCHPOST_CONTACTS: 'contacts.json', WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32', ...env },
  })
  const monitor = { type: 'tcp', name: 'Closed', host: '127.0.0.1', port: target }
  await server.call('/api/v1/monitors', { body: { ...monitor, fail_threshold: 1 } })
  const attempted = async () => {
    const { body } = await server.call('/api/v1/notifications')
    const [notification] = (body.notifications ?? []) as Notification[]
    return (notification?.attempts.length ?? 0) > 0 ? notification : undefined
  }
  await expect.poll(attempted, { interval: 1000 }).toBeDefined()
  const notification = await attempted()
  // It would be tried again half a minute later.
  await server.stop()
  return notification
}

it('a failed connection is tried again', async () => {
  expect(await afterOneAttempt({})).toMatchObject({
    event: 'down',
    status: 'queued',
    attempts: [{ error: 'connect_refused' }],
  })
})

it('WATCHPOST_RETRY_CONNECTION_ERRORS=false takes it as final', async () => {
  const env = { WATCHPOST_RETRY_CONNECTION_ERRORS: 'false' }
  expect(await afterOneAttempt(env)).toMatchObject({
    event: 'down',
    status: 'failed',
    attempts: [{ error: 'connect_refused' }],
  })
})

it('another value is refused in one line', async () => {
  const env = { WATCHPOST_RETRY_CONNECTION_ERRORS: 'no' }
  expect(await watchpost.run(['serve'], { env })).toMatchObject({
    code: 64,
    stderr: 'watchpost: WATCHPOST_RETRY_CONNECTION_ERRORS: "no" is neither true nor false\n',
  })
})

it('WATCHPOST_PROXY carries what is sent to contacts, and NO_PROXY leaves hosts out', async () => {
  await using proxy = await httpProxy()
  const WATCHPOST_PROXY = proxy.url
  expect(await afterOneAttempt({ WATCHPOST_PROXY })).toMatchObject({
    attempts: [{ error: 'proxy_target_unreachable' }],
  })
  expect(proxy.asked).toHaveLength(1)
  expect(await afterOneAttempt({ WATCHPOST_PROXY, NO_PROXY: '127.0.0.1' })).toMatchObject({
    attempts: [{ error: 'connect_refused' }],
  })
  expect(proxy.asked).toHaveLength(1)
  const env = { WATCHPOST_PROXY: 'http://u:secret@proxy.example' }
  expect(await watchpost.run(['serve'], { env })).toMatchObject({
    code: 64,
    stderr: 'watchpost: WATCHPOST_PROXY: host:port is expected\n',
  })
})
