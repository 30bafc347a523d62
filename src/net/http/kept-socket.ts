/**
 * A connection for several requests, one after the other. node:http gets a stream for each of them, so that nothing of
 * one request stays on the socket, and a byte that no request has asked for ends the connection.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export interface KeptSocket {
  /** The stream of the next request. `isAnswered`: whether its answer is complete. */
  begin(isAnswered: () => boolean): Duplex
  /** Whether anything has arrived since. */
  heard(): boolean
  /** Ends the request. Whether another one may follow: the answer ended with the last byte that arrived. */
  finish(): boolean
}

export function createKeptSocket(socket: Socket): KeptSocket {
  let stream: Duplex | undefined
  let isAnswered = (): boolean => false
  let listening = false
  let heard = false
  let exact = true

  /**
   * node:http drops what follows an answer in the same chunk. With the last byte passed on by itself, an answer that is
   * complete before it does not end with the chunk.
   */
  function take(bytes: Buffer): void {
    heard = true
    if (stream === undefined) return void socket.destroy()
    if (isAnswered()) exact = false
    const last = bytes.length - 1
    if (last > 0) {
      stream.push(bytes.subarray(0, last))
      if (isAnswered()) exact = false
    }
    const isRead = stream.push(bytes.subarray(last))
    // What waits here has not been compared with the end of the answer.
    if (stream.readableLength > 0) exact = false
    if (!isRead) socket.pause()
  }

  function listen(): void {
    if (listening) return
    listening = true
    // An answer from before the request.
    if (socket.readableLength > 0) exact = false
    socket
      .on('data', take)
      .on('end', () => (stream === undefined ? socket.destroy() : stream.push(null)))
      .on('error', (error) => stream?.destroy(error))
      .on('close', () => stream?.destroy())
  }

  return {
    begin(answered) {
      heard = false
      isAnswered = answered
      stream = streamOn(socket)
      listen()
      return stream
    },
    heard: () => heard,
    finish() {
      stream = undefined
      return exact && socket.readable && socket.writable
    },
  }
}

function streamOn(socket: Socket): Duplex {
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
