/** How one answer is taken in, whatever brought it: its phases, its body, and what ends it. */
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answerListener, closing, pairs } from '../../../src/net/http/answer.ts'
import type { HopAnswer, HopOptions, WireAnswer } from '../../../src/net/http/answer.ts'
import type { WireState } from '../../../src/net/http/wire.ts'
import type { Connection, TextReader } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { createTrace } from '../../../src/net/timing/trace.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'

function listening(options: Partial<HopOptions> = {}) {
  const clock = simulatedClock()
  const trace = createTrace(clock)
  const stop = createStop()
  const states: WireState[] = []
  const ends: (HopAnswer | Error)[] = []
  let told = (): void => undefined
  const ended = new Promise<void>((resolve) => (told = resolve))
  const end = (how: HopAnswer | Error): void => {
    ends.push(how)
    told()
  }
  const explain = (error: Error, state: WireState): Error => {
    states.push(state)
    return error
  }
  const inTurns = <T>(steps: Generator<void, T>): Promise<T> => {
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return Promise.resolve(step.value)
  }
  const listener = answerListener(
    {
      ...{
        trace,
        signal: stop,
        clock,
        bodyLimit: 100,
        wantsBody: () => true,
        inTurns,
        turns: createTurns(clock),
      },
      ...options,
    },
    explain,
    end,
    end,
  )
  const stream = new Readable({ read: () => undefined })
  let whole = false
  let left = 0
  /** The header section has come. */
  const answer = (of: Partial<WireAnswer> = {}) =>
    listener.answer({
      ...{ status: 200, http_version: '1.1', headers: [['X-A', '1']], body: stream },
      ...{ complete: () => whole, end: () => void (left += 1), ...of },
    })
  return {
    ...{ clock, trace, stop, listener, stream, states, ends, ended, answer },
    left: () => left,
    complete: () => void (whole = true),
    async arrive(...texts: readonly (string | null)[]) {
      for (const text of texts) {
        stream.push(text)
        await setImmediate()
      }
    },
  }
}

/** A reader that does not begin before `go`. */
function slowly() {
  let go = (): void => undefined
  const waiting = new Promise<void>((resolve) => (go = resolve))
  const reader = { wantsMore: () => true, *take() {}, *end() {} } as TextReader
  const inTurns = async <T>(steps: Generator<void, T>): Promise<T> => {
    await waiting
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return step.value
  }
  return { go: () => go(), reader: () => reader, inTurns }
}

describe('an answer', () => {
  it('has the times of its phases, and its connection ends with its last byte', async () => {
    const { clock, trace, answer, arrive, ends, left, listener } = listening()
    expect([trace.current, listener.body_bytes()]).toEqual(['first_byte', 0])
    await clock.advance(30)
    answer()
    expect(trace.current).toBe('transfer')
    await clock.advance(20)
    await arrive('abc')
    expect([ends, listener.body_bytes(), left()]).toEqual([[], 3, 0])
    await clock.advance(5)
    await arrive(null)
    await clock.advance(1000)
    expect(left()).toBe(1)
    expect(ends).toEqual([
      {
        ...{ status: 200, http_version: '1.1', headers: [['X-A', '1']], first_byte_ms: 30 },
        body: { body: Buffer.from('abc'), decoded_bytes: 3, body_cut: false, body_bytes: 3 },
        ...{ transfer_ms: 25, ended_at: 55 },
      },
    ])
    expect([trace.current, trace.phases()]).toEqual([
      ...[null, { first_byte_ms: 30, transfer_ms: 25 }],
    ])
  })

  it('ended when its last byte came, however long it takes to unpack', async () => {
    const { go, ...how } = slowly()
    const { clock, answer, arrive, ends, ended } = listening(how)
    answer()
    await arrive('abc', null)
    await clock.advance(40)
    expect(ends).toEqual([])
    go()
    await ended
    expect(ends).toMatchObject([{ ended_at: 0, transfer_ms: 40 }])
  })

  it('that is cut ends when it is cut', async () => {
    const { clock, answer, arrive, ends, left } = listening({ bodyLimit: 2 })
    answer()
    await clock.advance(10)
    await arrive('abc')
    expect(ends).toMatchObject([
      { body: { body: Buffer.from('ab'), body_cut: true }, ended_at: 10 },
    ])
    expect(left()).toBe(0)
  })

  it('whose body is not wanted ends with its headers', async () => {
    const statuses: number[] = []
    const wantsBody = (status: number) => {
      statuses.push(status)
      return false
    }
    const { clock, trace, answer, ends, stream, listener } = listening({ wantsBody })
    await clock.advance(7)
    answer({ status: 302 })
    expect(ends).toEqual([
      {
        ...{ status: 302, http_version: '1.1', headers: [['X-A', '1']], body: undefined },
        ...{ first_byte_ms: 7, transfer_ms: 0, ended_at: 7 },
      },
    ])
    expect([statuses, trace.phases(), listener.body_bytes()]).toEqual([
      ...[[302], { first_byte_ms: 7 }, 0],
    ])
    // What becomes of the body is nothing to anybody.
    stream.destroy(new Error('reset'))
    await setImmediate()
  })

  it('is unpacked, kept and read as is asked', async () => {
    const taken: string[] = []
    const asked: number[] = []
    const reader: TextReader = {
      wantsMore: () => true,
      *take(text) {
        taken.push(text)
      },
      *end() {},
    }
    const headers = [['Content-Type', 'text/plain; charset=koi8-r']] as const
    const all = listening({
      keepBody: false,
      reader: (status) => {
        asked.push(status)
        return reader
      },
    })
    all.answer({ headers, status: 201 })
    all.stream.push(Buffer.of(0xc0))
    await all.arrive(null)
    await all.ended
    expect([taken, asked]).toEqual([['ю'], [201]])
    expect(all.ends).toMatchObject([{ body: { body: Buffer.alloc(0), decoded_bytes: 1 } }])

    const none = listening({ reader: () => undefined })
    none.answer({ headers: [['Content-Encoding', 'gzip']] })
    await none.arrive('no gzip', null)
    await none.ended
    expect(none.ends).toMatchObject([{ code: 'http_decode_error' }])
  })

  it('that fails is explained by what has come', async () => {
    const early = listening()
    early.listener.failed(new Error('early'))
    expect([early.ends, early.states]).toEqual([
      [new Error('early')],
      [{ phase: 'first_byte', body_bytes: 0, content_length: undefined }],
    ])
    const late = listening()
    late.answer({ headers: [['Content-Length', '9']] })
    await late.arrive('abc')
    late.stream.destroy(new Error('late'))
    await setImmediate()
    expect([late.ends, late.states]).toEqual([
      [new Error('late')],
      [{ phase: 'transfer', body_bytes: 3, content_length: '9' }],
    ])
  })

  it('that the check has ended has its reason', () => {
    const { stop, listener, ends, states } = listening()
    stop.abort(new Error('enough'))
    listener.failed(new Error('reset'))
    expect([ends, states]).toEqual([[new Error('enough')], []])
  })

  it('does not fail once all of it has come', async () => {
    const { answer, listener, ends, complete, arrive } = listening()
    answer()
    complete()
    listener.failed(new Error('bytes behind it'))
    listener.closed()
    expect(ends).toEqual([])
    await arrive('abc', null)
    expect(ends).toMatchObject([{ status: 200 }])
  })

  it('has failed where its connection closes before', () => {
    for (const began of [false, true]) {
      const { answer, listener, ends } = listening()
      if (began) answer()
      listener.closed()
      expect(ends).toMatchObject([{ code: 'ECONNRESET' }])
    }
  })

  it('in very many pieces leaves others their turn', async () => {
    const { answer, stream, clock, ends } = listening({ bodyLimit: 10_000 })
    answer()
    const piece = async (count: number) => {
      for (let n = 0; n < count; n++) stream.push('x')
      await setImmediate()
    }
    await piece(1)
    for (let n = 0; n < 4094; n++) stream.emit('data', Buffer.from('x'))
    expect([stream.isPaused(), clock.pending]).toEqual([false, 0])
    stream.emit('data', Buffer.from('x'))
    expect([stream.isPaused(), clock.pending]).toEqual([true, 1])
    await clock.advance(0)
    expect([stream.isPaused(), clock.pending]).toEqual([false, 0])
    stream.push(null)
    await setImmediate()
    expect(ends).toMatchObject([{ body: { decoded_bytes: 4096 } }])
  })

  it('that waits for its reader and for a turn goes on when it has both', async () => {
    const { go, ...how } = slowly()
    const { answer, stream, clock } = listening(how)
    answer()
    stream.push('x'.repeat(400 * 1024))
    await setImmediate()
    for (let n = 1; n < 4096; n++) stream.emit('data', Buffer.from('x'))
    expect([stream.isPaused(), clock.pending]).toEqual([true, 1])
    await clock.advance(0)
    expect([stream.isPaused(), clock.pending]).toEqual([true, 0])
    go()
    await setImmediate()
    expect(stream.isPaused()).toBe(false)
  })
})

describe('the end of an exchange', () => {
  function ending({ isClosed = false, silent = false } = {}) {
    const done: string[] = []
    const socket = Object.assign(new EventEmitter(), { closed: isClosed })
    const connection = { socket, close: () => void done.push('close') } as unknown as Connection
    const [resolve, reject] = closing<string, string>(connection, {
      resolve: (answer) => void done.push(`answer ${answer}`),
      reject: (error) => void done.push(`error ${error}`),
      ...(silent ? {} : { onClosed: () => void done.push('closed') }),
    })
    return { done, socket, resolve, reject }
  }

  it('closes the connection first, and is told when that is closed', () => {
    const answered = ending()
    answered.resolve('x')
    expect(answered.done).toEqual(['close', 'answer x'])
    answered.socket.emit('close')
    answered.socket.emit('close')
    expect(answered.done).toEqual(['close', 'answer x', 'closed'])
    const broken = ending({ isClosed: true })
    broken.reject('y')
    expect(broken.done).toEqual(['close', 'closed', 'error y'])
    expect(broken.socket.listenerCount('close')).toBe(0)
    const silent = ending({ silent: true })
    silent.resolve('z')
    expect(silent.done).toEqual(['close', 'answer z'])
    expect(silent.socket.listenerCount('close')).toBe(0)
  })
})

it('names and values come one behind the other', () => {
  expect(pairs(['A', '1', 'B', '2'])).toEqual([
    ['A', '1'],
    ['B', '2'],
  ])
  expect([pairs([]), pairs(['A']), pairs(['A', '1', 'B'])]).toEqual([[], [], [['A', '1']]])
})
