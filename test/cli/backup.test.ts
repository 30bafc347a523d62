import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const KEY = 'a-key-of-the-operator'
const env = { LOG_LEVEL: 'warn', WATCHPOST_API_KEY: KEY }
/** Whether two processes can have the file open: the native driver, from Node 22.13. */
const builtin: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const shares = builtin !== undefined

it('watchpost backup and restore: a server goes on where the backup was made', async () => {
  const cwd = folder()
  const run = (...args: readonly string[]) => watchpost.run(args, { cwd })
  const server = await watchpost.serve({ cwd, env })
  const body = { type: 'tcp', name: 'Kept', host: '127.0.0.1', port: 9, interval_sec: 3600 }
  expect((await server.call('/api/v1/monitors', { key: KEY, method: 'POST', body })).status).toBe(
    201,
  )
  const beside = await run('backup', 'monday.db')
  if (!shares) {
    expect(beside).toMatchObject({ code: 1, stdout: '' })
    expect(beside.stderr).toContain('Stop that process first')
  }
  await server.stop()
  const made = shares ? beside : await run('backup', 'monday.db')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toMatch(/^monday\.db: \d\.\d MB, 1 monitors, examined\n$/)
  expect(statSync(join(cwd, 'monday.db')).mode & 0o777).toBe(0o600)
  expect(await run('backup', 'monday.db')).toMatchObject({
    code: 64,
    stderr: 'watchpost: monday.db: exists, and is not replaced; take another name\n',
  })

  const inTheWay = await run('restore', 'monday.db')
  expect(inTheWay).toMatchObject({ code: 64 })
  expect(inTheWay.stderr).toContain('data/watchpost.db: exists, and is not replaced')
  renameSync(join(cwd, 'data'), join(cwd, 'old'))
  const restored = await run('restore', 'monday.db')
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(/^data\/watchpost\.db: \d\.\d MB, 1 monitors, last written 20/)
  const again = await watchpost.serve({ cwd, env })
  const { body: list } = await again.call('/api/v1/monitors', { key: KEY })
  expect(list.monitors).toMatchObject([{ name: 'Kept' }])
  await again.stop()
})

it.each([
  [['backup'], 'backup takes one file'],
  [['backup', 'a', 'b'], 'backup takes one file'],
  [['backup', 'a', '--database-url', 'postgres://localhost/x'], 'pg_dump'],
  [['restore'], 'restore takes one file'],
  [['restore', 'none.db'], 'none.db: there is no such file'],
])('watchpost %j is refused with exit code 64', async (args, problem) => {
  const { code, stdout, stderr } = await watchpost.run(args, { cwd: folder() })
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toContain(problem)
})
