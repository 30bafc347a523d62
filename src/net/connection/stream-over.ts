/**
 * A stream over a socket, which passes on what is read with the listeners of the socket. Node reads a socket of HTTP/2
 * itself, 64 KiB in a turn, and calls back for each frame: behind such a stream it gets the pieces that
 * `paceReading` makes.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** The stream ends the socket, and is destroyed with it; without listeners for what arrives. */
export function streamOn(socket: Socket): Duplex {
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void socket.resume(),
    write: (bytes: Buffer, _encoding, done) => void socket.write(bytes, done),
    // Header section and body in one write.
    writev(chunks, done) {
      socket.cork()
      for (const [at, { chunk }] of chunks.entries()) {
        socket.write(chunk as Buffer, at === chunks.length - 1 ? done : undefined)
      }
      socket.uncork()
    },
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  // Errors after the last waiter is gone must not end the process.
  return stream.on('error', () => undefined)
}

/** With all that arrives while the stream is read: Node stops reading HTTP/2 while it writes. */
export function streamOver(socket: Socket): Duplex {
  const stream = streamOn(socket)
  stream._read = () => {
    if (!stream.isPaused()) socket.resume()
  }
  stream.on('pause', () => socket.pause()).on('resume', () => socket.resume())
  socket
    .on('data', (bytes: Buffer) => {
      if (!stream.push(bytes)) socket.pause()
    })
    .on('end', () => stream.push(null))
    .on('error', (error) => stream.destroy(error))
    .on('close', () => stream.destroy())
  return stream
}
