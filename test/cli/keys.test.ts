import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { queryFile } from '../faults/rig/tables.ts'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

/** Whether two processes can have the file open: the native driver, from Node 22.13. */
const shares = process.getBuiltinModule('node:sqlite') !== undefined

describe('watchpost keys', () => {
  it('create prints the key alone on the last line; the server takes it', async () => {
    const cwd = folder()
    const { code, stdout, stderr } = await watchpost.run(['keys', 'create', '--name', 'ci'], {
      cwd,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const key = lastLine(stdout)
    expect(key).toMatch(/^svc_\w{49}$/)
    const server = await watchpost.serve({ cwd })
    expect(server.key).toBe('')
    expect((await server.call('/api/v1/me', { key })).status).toBe(200)
    const { body } = await server.call('/api/v1/audit-log', { key })
    expect(body).toMatchObject({ entries: [{ actor: 'cli', resource: 'key', action: 'created' }] })
  })

  it('create makes an account that is new, and finds one by name or id', async () => {
    const cwd = folder()
    await watchpost.run(['keys', 'create'], { cwd })
    const accounts = ['shop', 'shop', '2']
    for (const account of accounts) {
      const { code, stdout } = await watchpost.run(['keys', 'create', '--account', account], {
        cwd,
      })
      expect(code).toBe(0)
      expect(stdout).toContain('of account 2;')
    }
    const { stdout } = await watchpost.run(['keys', 'list'], { cwd })
    expect(stdout.match(/ 2 shop /g)).toHaveLength(3)
  })

  it('create does not take a mistyped id for a name', async () => {
    const { code, stderr } = await watchpost.run(['keys', 'create', '--account', '77'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'watchpost: there is no account 77\n' })
  })

  it('list tells keys apart without telling them', async () => {
    const cwd = folder()
    const key = lastLine((await watchpost.run(['keys', 'create', '--name', 'ci'], { cwd })).stdout)
    const { code, stdout } = await watchpost.run(['keys', 'list'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain(`ci    ${key.slice(0, 8)}…`)
    expect(stdout).not.toContain(key.slice(0, 9))
  })

  it('with damaged accounts: the server starts, and no key goes to another account', async () => {
    const cwd = folder()
    const key = lastLine((await watchpost.run(['keys', 'create'], { cwd })).stdout)
    for (const account of ['shop', 'sound'])
      await watchpost.run(['keys', 'create', '--account', account], { cwd })
    await queryFile(join(cwd, 'data/watchpost.db'), (_all, exec) =>
      exec("UPDATE accounts SET quotas = '{' WHERE id <= 2"),
    )
    const first = await watchpost.run(['keys', 'create'], { cwd })
    expect(first.stdout).toContain('of account 1;')
    const shop = await watchpost.run(['keys', 'create', '--account', 'shop'], { cwd })
    expect(shop.code).toBe(1)
    expect(shop.stderr).toContain('Unreadable "quotas" in row 1')
    const server = await watchpost.serve({ cwd })
    expect((await server.call('/api/v1/monitors', { key })).status).toBe(200)
  })

  it.each(['id', 'prefix', 'key'])('revoke by %s ends a key', async (by) => {
    const cwd = folder()
    const key = lastLine((await watchpost.run(['keys', 'create'], { cwd })).stdout)
    const word = { id: '1', prefix: key.slice(0, 7), key }[by] ?? ''
    const { code, stdout } = await watchpost.run(['keys', 'revoke', word], { cwd })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Key 1 "default" is revoked.\n' })
    expect((await watchpost.run(['keys', 'list'], { cwd })).stdout).toContain('revoked 2')
    const server = await watchpost.serve({ cwd })
    expect((await server.call('/api/v1/me', { key })).status).toBe(401)
  })

  it('revoke leaves all keys alone where it is not clear which one is meant', async () => {
    const cwd = folder()
    const key = lastLine((await watchpost.run(['keys', 'create'], { cwd })).stdout)
    await watchpost.run(['keys', 'create'], { cwd })
    const several = await watchpost.run(['keys', 'revoke', 'svc_'], { cwd })
    expect(several).toMatchObject({ code: 1 })
    expect(several.stderr).toContain('several keys: revoke one by its id (1, 2)')
    const alike = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
    for (const stranger of ['7', alike, `${key}x`]) {
      const { code, stderr } = await watchpost.run(['keys', 'revoke', stranger], { cwd })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'watchpost: there is no such key (see keys list)\n',
      })
    }
    expect((await watchpost.run(['keys', 'list'], { cwd })).stdout).not.toContain('revoked')
  })

  it.each([
    [[], 'keys create, keys list or keys revoke is expected'],
    [['burn'], 'keys create, keys list or keys revoke is expected'],
    [['toString'], 'keys create, keys list or keys revoke is expected'],
    [['revoke'], 'takes the id or the prefix of one key'],
    [['revoke', ''], 'takes the id or the prefix of one key'],
    [['revoke', '1', '2'], 'takes the id or the prefix of one key'],
    [['create', 'ci'], 'takes flags only, but was given "ci"'],
    [['list', '--data', ' '], '--data: a path is expected'],
    [['list', '--database-url', 'mysql://x'], '--database-url: postgres://user:password@host'],
  ])('%j is wrong usage', async (args, problem) => {
    const { code, stderr } = await watchpost.run(['keys', ...args])
    expect(code).toBe(64)
    expect(stderr).toMatch(/^watchpost: .*\n$/)
    expect(stderr).toContain(problem)
  })

  it.each([['list'], ['revoke', '1']])(
    '%s makes no data file where there is none',
    async (...args) => {
      const { code, stderr } = await watchpost.run(['keys', ...args])
      expect(code).toBe(1)
      expect(stderr).toContain('there is no data file data/watchpost.db')
    },
  )

  it('says in one line that a file is no database', async () => {
    const file = join(folder(), 'notes.txt')
    writeFileSync(file, 'shopping list '.repeat(500))
    const { code, stderr } = await watchpost.run(['keys', 'list', '--data', file])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^watchpost: .*notes\.txt.*\n$/)
  })

  // One of the two holds, depending on the SQLite of this Node.
  const [ifShared, ifNot] = shares ? [it, undefined] : [undefined, it]

  ifShared?.('work beside a running server', async () => {
    const cwd = folder()
    const server = await watchpost.serve({ cwd })
    const key = lastLine((await watchpost.run(['keys', 'create'], { cwd })).stdout)
    expect((await server.call('/api/v1/me', { key })).status).toBe(200)
    expect((await watchpost.run(['keys', 'revoke', key], { cwd })).code).toBe(0)
    expect((await server.call('/api/v1/me', { key })).status).toBe(401)
  })

  ifNot?.('say what to do beside a running server that cannot share its file', async () => {
    const cwd = folder()
    const server = await watchpost.serve({ cwd })
    const { code, stdout, stderr } = await watchpost.run(['keys', 'create'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^watchpost: .*\n$/)
    expect(stderr).toContain(`is in use by process ${server.pid}`)
    expect(stderr).toContain('Stop that process first, run this command, and start it again')
    await server.stop()
    expect((await watchpost.run(['keys', 'create'], { cwd })).code).toBe(0)
  })
})

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
