/** What was asked and answered: whether the fuzzer reaches what it is meant to reach. */

import type { Document } from './grammar.ts'
import type { Shot } from './shot.ts'
import type { WireAnswer } from './wire.ts'

export interface Tally {
  count(shot: Shot, answers: readonly WireAnswer[]): void
  /** Operations that never succeeded, types of which no monitor was made, refusals that never came. */
  missing(): readonly string[]
  report(): string
}

const REFUSALS = [400, 401, 404, 405, 409, 412, 413, 415, 422]

export function createTally(document: Document): Tally {
  const succeeded = new Set<string>()
  const made = new Set<string>()
  const statuses = new Map<number, number>()
  let requests = 0
  let spoilt = 0

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      name: `${method.toUpperCase()} ${path}`,
      pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
  const types = typesOf(document)

  return {
    count(shot, answers) {
      requests += 1
      if (shot.spoil !== undefined) spoilt += 1
      for (const { status } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 300 || shot.spoil !== undefined) continue
        const asked = `${shot.method} ${shot.path}`
        for (const { name, pattern } of operations) if (pattern.test(asked)) succeeded.add(name)
        if (status === 201 && shot.body !== undefined && 'json' in shot.body) {
          made.add(String((shot.body.json as { type?: unknown }).type))
        }
      }
    },
    missing: () => [
      ...operations.map(({ name }) => name).filter((name) => !succeeded.has(name)),
      ...types.filter((type) => !made.has(type)),
      ...REFUSALS.filter((status) => !statuses.has(status)).map(String),
    ],
    report() {
      const sorted = [...statuses].sort(([a], [b]) => a - b)
      const told = sorted.map(([status, times]) => `${status}: ${times}`).join(', ')
      return `${requests} requests, ${spoilt} of them spoilt bytes; answers ${told};`
    },
  }
}

function typesOf(document: Document): string[] {
  const { components } = document as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
  }
  return Object.keys(components.schemas)
    .map((name) => /^MonitorCreate\.(.+)$/.exec(name)?.[1])
    .filter((type) => type !== undefined)
}
