/**
 * Fetches a feed from a file or a URL, in small pieces, yielding to the event loop in between.
 *
 * @module
 */

import { open } from 'node:fs/promises'
import type { EpochMs } from '../../model.ts'
import { createFeedReader, FeedError } from './feed-reader.ts'
import type { FeedFormat, ReadFeed } from './feed-reader.ts'
import type { ProviderContext } from './provider.ts'

export interface Fetched {
  /** `null`: unchanged since `known`. */
  readonly feed: ReadFeed | null
  readonly version: { readonly etag?: string; readonly modified?: string }
  /** When the source was current; `null`: now. */
  readonly at: EpochMs | null
}

export interface FetchOptions {
  readonly format?: FeedFormat | undefined
  readonly encoding?: string | undefined
  readonly limitBytes: number
  readonly known: Fetched['version'] | undefined
}

/** Parsing it takes about a millisecond. */
const PIECE_BYTES = 64 * 1024

/** Pause between pieces that are already in memory, so that other work runs. */
const PAUSE_MS = 1

type Context = Pick<ProviderContext, 'net' | 'clock' | 'signal'>

/** @throws FeedError, or the error of the file system */
export async function fetchFile(
  context: Pick<Context, 'clock' | 'signal'>,
  path: string,
  { known, limitBytes, ...how }: FetchOptions,
): Promise<Fetched> {
  const { signal } = context
  const file = await open(path, 'r')
  try {
    const { mtimeMs, size } = await file.stat()
    const version = { modified: `${mtimeMs} ${size}` }
    const at = Math.floor(mtimeMs)
    if (known?.modified === version.modified) return { feed: null, version, at }
    if (size > limitBytes) throw new FeedError(`the feed is larger than ${limitBytes} bytes`)
    const reader = createFeedReader(how)
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let read = 0; read < limitBytes;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(piece, 0, piece.length)
      if (bytesRead === 0) break
      await inSteps(context, reader.push(piece.subarray(0, bytesRead)))
      read += bytesRead
    }
    if ((await file.stat()).mtimeMs !== mtimeMs) {
      throw new FeedError('the feed was written to while it was read')
    }
    return { feed: await inSteps(context, reader.end()), version, at }
  } finally {
    await file.close()
  }
}

/** @throws FeedError, CheckFailure */
export async function fetchUrl(
  context: Context,
  url: string,
  { known, limitBytes, ...how }: FetchOptions,
): Promise<Fetched> {
  const { net, clock, signal } = context
  const headers = [
    ...(known?.etag === undefined ? [] : [['If-None-Match', known.etag] as const]),
    ...(known?.modified === undefined ? [] : [['If-Modified-Since', known.modified] as const]),
  ]
  const answer = await net.http({ url, headers, bodyLimit: limitBytes })
  const { etag, 'last-modified': modified } = answer.headers
  const version = {
    ...(etag !== undefined ? { etag } : {}),
    ...(modified !== undefined ? { modified } : {}),
  }
  if (answer.status === 304 && known !== undefined) return { feed: null, version: known, at: null }
  if (answer.status !== 200) throw new FeedError(`the source answered with status ${answer.status}`)
  if (answer.body_cut) throw new FeedError(`the feed is larger than ${limitBytes} bytes`)
  const reader = createFeedReader(how)
  for (let at = 0; at < answer.body.length; at += PIECE_BYTES) {
    await inSteps(context, reader.push(answer.body.subarray(at, at + PIECE_BYTES)))
    await clock.sleep(PAUSE_MS, signal)
  }
  return { feed: await inSteps(context, reader.end()), version, at: null }
}

/** Time after which other work runs. */
const TURN_MS = 5

async function inSteps<T>(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  steps: Generator<void, T>,
): Promise<T> {
  for (let from = clock.monotonic(); ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (clock.monotonic() - from < TURN_MS) continue
    await clock.sleep(0, signal)
    from = clock.monotonic()
  }
}
