import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { artifact, artifactSync } from './shared-artifacts.ts'

const name = (of: string): string => `test-${of}-${process.pid}`
const write = (folder: string, text: string): void => writeFileSync(join(folder, 'text'), text)

it('is made once, also for those who ask at the same time, and leaves nothing else behind', async () => {
  let times = 0
  const make = async (folder: string): Promise<void> => {
    await new Promise(setImmediate)
    write(folder, `made ${++times}`)
  }
  const all = [1, 2, 3].map(() => artifact(name('once'), make))
  const [first = '', ...more] = await Promise.all(all)
  expect(more).toEqual([first, first])
  expect(artifactSync(name('once'), () => expect.unreachable())).toBe(first)
  expect(readFileSync(join(first, 'text'), 'utf8')).toBe('made 1')
  expect(readdirSync(dirname(first)).filter((each) => each.startsWith(name('once')))).toEqual([
    name('once'),
  ])
})

it('is tried again after a failure', async () => {
  const failing = artifact(name('failing'), async (folder) => {
    write(folder, 'half')
    throw new Error('no space')
  })
  await expect(failing).rejects.toThrow('no space')
  const path = artifactSync(name('failing'), (folder) => write(folder, 'whole'))
  expect(readFileSync(join(path, 'text'), 'utf8')).toBe('whole')
})

it('is made by the next one where a process ended amid it', async () => {
  const folder = dirname(await artifact(name('other'), async () => undefined))
  const ended = spawnSync(process.execPath, ['-e', '']).pid
  writeFileSync(join(folder, `${name('abandoned')}.lock`), String(ended))
  const path = await artifact(name('abandoned'), async (made) => write(made, 'whole'))
  expect(readFileSync(join(path, 'text'), 'utf8')).toBe('whole')
})
