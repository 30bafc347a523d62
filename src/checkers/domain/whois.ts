/**
 * Queries WHOIS servers (RFC 3912): one line out, text until the server closes.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import { askInTurn, isFinal } from './asking.ts'
import type { Asked, Asking } from './asking.ts'
import type { Answer, Sourced } from './registration.ts'
import { PLAIN_QUERY, publishesExpiry } from './servers.ts'
import type { WhoisServer } from './servers.ts'
import { readWhoisAnswer } from './whois-answer.ts'

const WHOIS_PORT = 43
const ANSWER_LIMIT_BYTES = 64 * 1024
const MAX_REFERRALS = 2

export interface WhoisStart extends WhoisServer {
  /** A root server: knows the top-level domains, not the names below them. */
  readonly isRoot?: boolean
}

/**
 * Queries a registry and, if its answer has no expiry, the server that it refers to. Only the
 * registry decides whether a name is unregistered.
 */
export async function askWhois(asking: Asking, start: WhoisStart, name: string): Promise<Sourced> {
  const asked = new Set<string>()
  let next = start
  let known: Sourced | undefined
  for (let referrals = 0; ; referrals++) {
    asked.add(next.server)
    const { answer, referral } = await askOne(asking, next, name)
    const latest: Sourced = { ...answer, source: 'whois', server: next.server }
    if (next.isRoot !== true || referral === null) {
      known = known === undefined ? latest : supplemented(known, latest)
    }
    const follows = referral !== null && !asked.has(referral) && referrals < MAX_REFERRALS
    if (known !== undefined && (!follows || isSettled(known, name))) return known
    if (!follows) return latest
    next = { server: referral, query: PLAIN_QUERY }
  }
}

/** The first answer, with the expiry of the second if only that has one. */
export function supplemented(known: Sourced, other: Sourced): Sourced {
  if (other.state !== 'registered') return known
  if (known.state === 'unanswered') return other
  const { expires_at } = other.registration
  if (known.state !== 'registered' || known.registration.expires_at !== null) return known
  if (expires_at === null) return known
  const { source, server } = other
  return { ...known, source, server, registration: { ...known.registration, expires_at } }
}

function isSettled(known: Sourced, name: string): boolean {
  if (known.state === 'unanswered') return isFinal(known)
  return known.state === 'free' || known.registration.expires_at !== null || !publishesExpiry(name)
}

interface Reply {
  readonly answer: Answer
  readonly referral: string | null
}

async function askOne(
  asking: Asking,
  { server, query, isRoot = false }: WhoisStart,
  name: string,
): Promise<Reply> {
  let referral: string | null = null
  const ask = async (): Promise<Asked> => {
    const text = await exchange(asking, server, query.replaceAll('{name}', name))
    const reading = readWhoisAnswer(text, { name, publishesExpiry: publishesExpiry(name) })
    referral = reading.referral
    if (!isRoot) return { answer: reading.answer }
    const note = referral === null ? {} : { note: `refers to ${referral}` }
    return {
      answer:
        isFinal(reading.answer) && reading.answer.state === 'unanswered'
          ? reading.answer
          : NO_REGISTRY,
      ...note,
    }
  }
  const answer = await askInTurn(asking, { source: 'whois', server, ask }, 0.5)
  return { answer, referral }
}

const NO_REGISTRY: Answer = {
  state: 'unanswered',
  cause_code: 'probe_registry_unknown',
  cause_text: 'No server is known that could tell of names below this top-level domain',
}

async function exchange({ ctx }: Asking, server: string, query: string): Promise<string> {
  const [host = '', port = WHOIS_PORT] = server.split(':')
  const connection = await ctx.net.connect({ host, port: Number(port) })
  try {
    await ctx.phase('send', () => connection.write(`${query}\r\n`))
    return await ctx.phase('query', () => readAll(connection))
  } finally {
    connection.close()
  }
}

/**
 * Many servers reset the connection after sending everything; an incomplete last line is dropped.
 */
async function readAll(connection: Connection): Promise<string> {
  let gathered: Buffer = Buffer.alloc(0)
  const isEnough = (bytes: Buffer): boolean => {
    gathered = bytes
    return false
  }
  try {
    return decode(await connection.readUntil(isEnough, { max: ANSWER_LIMIT_BYTES, orEnd: true }))
  } catch (error) {
    if (!(error instanceof CheckFailure) || error.code !== 'closed_early') throw error
    return decode(gathered.subarray(0, gathered.lastIndexOf('\n') + 1))
  }
}

/** UTF-8 if valid; RFC 3912 names no encoding, and .br and others still use latin1. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}
