import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freePorts, reserve } from './ports.ts'

it('gives a port to one process alone', async () => {
  const { port } = await freePorts(['port'])
  expect(await reserve(port)).toBe(process.platform !== 'linux')
})

it('gives it to another process when this one has ended', async () => {
  // No port: nobody else reserves it.
  const number = 100_000 + process.pid
  const name = JSON.stringify(`\0watchpost-test-port-${number}`)
  await promisify(execFile)(process.execPath, ['-e', `net.createServer().listen(${name}).unref()`])
  expect(await reserve(number)).toBe(true)
})
