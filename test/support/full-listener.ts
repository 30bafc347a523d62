/**
 * A listener that accepts nothing: its queue is full, so that further connections are never answered.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Listens in a process of its own, which then stands still. */
const LISTENER = `
  const server = require('node:net').createServer().listen(0, process.argv[1], 1, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

/** The port on `host`; freed when the test ends. */
export async function fullListener(host = '127.0.0.1'): Promise<number> {
  const child = spawn(process.execPath, ['-e', LISTENER, host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  // One more than the backlog is let in by the kernel.
  for (let n = 0; n < 2; n++) {
    const socket = connect({ host, port }).on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
  }
  return port
}
