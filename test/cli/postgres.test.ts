import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'

const watchpost = commandLine()

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

describeWithServer(postgresServer, 'watchpost with DATABASE_URL', () => {
  it('serve keeps everything in PostgreSQL, and keys works beside it', async () => {
    const { ports } = await forThisTest(startPostgres({ auth: 'trust' }))
    const place = `127.0.0.1:${ports.postgres}/app`
    const env = { DATABASE_URL: `postgres://postgres:hidden@${place}` }
    const first = await watchpost.serve({ env })
    expect(first.stdout()).toContain(`data in PostgreSQL at ${place}`)
    const made = await watchpost.run(['keys', 'create', '--name', 'ci'], { env })
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
    const key = lastLine(made.stdout)
    const monitor = { type: 'tcp', name: 'Kept', host: '192.0.2.1', port: 9, interval_sec: 3600 }
    const created = await first.call('/api/v1/monitors', { key, method: 'POST', body: monitor })
    expect(created.status).toBe(201)
    await first.stop()

    const second = await watchpost.serve({ env })
    expect(second.key).toBe('')
    const listed = await second.call('/api/v1/monitors', { key })
    expect(listed.body).toMatchObject({ ok: true, monitors: [{ name: 'Kept' }] })
    const revoked = await watchpost.run(['keys', 'revoke', key], { env })
    expect(revoked.stdout).toMatch(/"ci" is revoked/)
    expect((await second.call('/api/v1/me', { key })).status).toBe(401)
    const said = [first.stdout(), first.stderr(), second.stdout(), second.stderr(), made.stdout]
    expect(said.join('\n')).not.toContain('hidden')
  })

  it('servers that start at the same moment share the key and the contacts they are given', async () => {
    const { ports } = await forThisTest(startPostgres({ auth: 'trust' }))
    const contacts = join(folder(), 'contacts.json')
    const names = ['ops', 'night', 'boss']
    const entries = names.map((name) => ({
      kind: 'webhook',
      name,
      url: `http://127.0.0.1/${name}`,
    }))
    writeFileSync(contacts, JSON.stringify(entries))
    const key = 'a-key-of-the-operator'
    const env = {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${ports.postgres}/app`,
      WATCHPOST_API_KEY: key,
      WATCHPOST_CONTACTS: contacts,
      WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32',
    }
    const servers = await Promise.all([1, 2, 3].map(() => watchpost.serve({ env })))
    for (const server of servers) {
      const listed = await server.call('/api/v1/contacts', { key })
      expect(listed.status).toBe(200)
      const found = (listed.body as { contacts: { name: string }[] }).contacts
      expect(found.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    }
  })

  it('of servers that start at the same moment without a key, one makes and prints it', async () => {
    const { ports } = await forThisTest(startPostgres({ auth: 'trust' }))
    const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${ports.postgres}/app` }
    const servers = await Promise.all([1, 2, 3].map(() => watchpost.serve({ env })))
    const keys = servers.map(({ key }) => key).filter((key) => key !== '')
    expect(keys).toHaveLength(1)
    for (const server of servers) {
      const asked = await server.call('/api/v1/me', { key: keys[0] ?? '' })
      expect(asked.status).toBe(200)
    }
  })

  it('a key has its 60 requests a minute over all servers together, and another key its own', async () => {
    const { ports } = await forThisTest(startPostgres({ auth: 'trust' }))
    const key = 'a-key-of-the-operator'
    const place = `postgres://postgres@127.0.0.1:${ports.postgres}/app`
    const env = { DATABASE_URL: place, WATCHPOST_API_KEY: key }
    const servers = await Promise.all([1, 2].map(() => watchpost.serve({ env })))
    const { stdout } = await watchpost.run(['keys', 'create', '--name', 'ci'], { env })
    const from = Date.now()
    const asked = Array.from({ length: 90 }, (_, n) => servers[n % 2]!.call('/api/v1/me', { key }))
    const answers = await Promise.all(asked)
    // Else the window has moved on, and the figure says nothing.
    expect(Date.now() - from).toBeLessThan(60_000)
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([count(200), count(429)]).toEqual([60, 30])
    const other = await servers[0]!.call('/api/v1/me', { key: lastLine(stdout) })
    expect(other.status).toBe(200)
  })

  it('a database that cannot be reached is one clear line, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/app' }
    for (const args of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
    ]) {
      const { code, stdout, stderr } = await watchpost.run(args, { env })
      expect(code).toBe(1)
      expect(stderr).toContain('PostgreSQL at 127.0.0.1:1/app: nobody answers there')
      expect(stdout + stderr).not.toContain('hidden')
    }
  })
})
