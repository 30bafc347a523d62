/**
 * Passes on what arrives on a socket in small pieces, in turns that all sockets of a network share. Node reads every
 * socket that has something in one turn of the event loop, 64 KiB of each: a parser may take milliseconds for that,
 * and the peers of an account may all answer at the same moment.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Job, Turns } from '../timing/turns.ts'

/** Takes one or two milliseconds, whatever it contains: 240 interim responses, 680 chunks of one byte. */
const PIECE_BYTES = 4096

const PACE = Symbol('pace')

/** The socket is read no further while something waits. */
interface Pace {
  readonly turns: Pick<Turns, 'add'>
  /** Not passed on yet; `null` is the end of the stream. */
  readonly arrived: (Buffer | null)[]
  readonly job: Job
  /** The job waits for a turn, or runs. */
  queued: boolean
  /** The reader has asked for more since the last piece. */
  asked: boolean
}

type Paced = Socket & { [PACE]: Pace }

/** For a socket that a parser in JavaScript reads. A second call changes nothing. */
export function paceReading(socket: Socket, turns: Pick<Turns, 'add'>): void {
  if (PACE in socket) return
  const paced = socket as Paced
  const job = (): boolean => passOn(paced)
  paced[PACE] = { turns, arrived: [], job, queued: false, asked: false }
  paced.push = push
  paced._read = read
  paced.on('resume', resumed)
}

/** Whether something has arrived that no reader has yet. */
export function waitsToBeRead(socket: Socket): boolean {
  const { [PACE]: pace, readableLength } = socket as Partial<Paced>
  return (pace?.arrived.length ?? 0) > 0 || (readableLength ?? 0) > 0
}

/** The functions are the same for all sockets: V8 keeps one of each socket, with all it refers to, until the next full collection. */
function push(this: Socket, chunk: unknown, encoding?: BufferEncoding): boolean {
  const pace = (this as Paced)[PACE]
  if (!Buffer.isBuffer(chunk) && chunk !== null)
    return Readable.prototype.push.call(this, chunk, encoding)
  pace.arrived.push(chunk)
  pace.asked = true
  queue(pace)
  return pace.arrived.length === 0 && pace.asked
}

function read(this: Socket, size: number): void {
  const pace = (this as Paced)[PACE]
  pace.asked = true
  if (pace.arrived.length > 0) queue(pace)
  else if (!pace.queued) resume(this, size)
}

/** What arrived while the socket was paused comes in turns as well, not in the tick that resumes it. */
function resumed(this: Socket): void {
  const pace = (this as Paced)[PACE]
  if (pace.arrived.length > 0) queue(pace)
}

function queue(pace: Pace): void {
  if (pace.queued) return
  pace.queued = true
  pace.turns.add(pace.job)
}

/** Whether there is another piece that is wanted. */
function passOn(socket: Paced): boolean {
  const pace = socket[PACE]
  const { arrived } = pace
  if (socket.destroyed) arrived.length = 0
  if (arrived.length > 0 && socket.isPaused()) return (pace.queued = false)
  const [first] = arrived
  if (first !== undefined) {
    if (first === null || first.length <= PIECE_BYTES) arrived.shift()
    else arrived[0] = first.subarray(PIECE_BYTES)
    pace.asked = false
    const wantsMore = Readable.prototype.push.call(socket, first?.subarray(0, PIECE_BYTES) ?? null)
    if (wantsMore) pace.asked = true
    if (arrived.length > 0 && pace.asked) return true
  }
  pace.queued = false
  if (arrived.length === 0 && pace.asked && !socket.destroyed) resume(socket, PIECE_BYTES)
  return false
}

function resume(socket: Socket, size: number): void {
  const { _read } = Object.getPrototypeOf(socket) as Socket
  _read.call(socket, size)
}
