/**
 * What each cause calls for, as the comment above it in its table says: the first steps after an alert, or
 * "As `other_cause`." A word and a colon in front name the side, where it is not the usual one. Links lead from
 * docs/reference.
 */

import ts from 'typescript'
import { parseFile, sourcePaths } from './source-facts.ts'

/** The side responsible for a cause: where to look first. */
export const SIDES = {
  target: 'the monitored service and its operator',
  settings: 'the settings of this monitor: an address, a password, a query',
  network: 'the network between the location and the target',
  watchpost: 'the location, the limits of watchpost, or a provider that it asks about the target',
} as const

export type Side = keyof typeof SIDES

interface CauseNote {
  readonly code: string
  readonly side: Side
  readonly advice: string
}

/** By code, shared causes first. */
export function causeNotes(verdicts: ReadonlyMap<string, string>): ReadonlyMap<string, CauseNote> {
  const comments = causeComments()
  const without = [...verdicts.keys()].filter((code) => !comments.has(code))
  if (without.length > 0) {
    throw new Error(
      `src/checkers: no comment in its table says what to check after ${without.join(', ')}`,
    )
  }
  return new Map(
    [...verdicts].map(([code, verdict]) => {
      const [, side, text = ''] = /^(?:(\w+): )?([^]*)$/.exec(comments.get(code) ?? '') ?? []
      if (side !== undefined && !(side in SIDES)) {
        throw new Error(
          `src/checkers: ${code} has the side "${side}"; there are ${Object.keys(SIDES).join(', ')}`,
        )
      }
      const usual = verdict === 'unknown' ? 'watchpost' : 'target'
      return [code, { code, side: (side as Side | undefined) ?? usual, advice: text }]
    }),
  )
}

/** Rows of cause, verdict, side and advice; causes with the same advice share a row for each verdict and side. */
export function adviceRows(
  verdicts: ReadonlyMap<string, string>,
): readonly (readonly [causes: string, verdict: string, side: string, advice: string])[] {
  const notes = causeNotes(verdicts)
  const groups = new Map<string, CauseNote[]>()
  for (const note of notes.values()) {
    const advice = adviceOf(note, notes)
    groups.set(advice, [...(groups.get(advice) ?? []), note])
  }
  return [...groups].flatMap(([advice, group]) => {
    const alike = new Map<string, string[]>()
    for (const { code, side } of group) {
      const key = `${verdicts.get(code)} ${side}`
      alike.set(key, [...(alike.get(key) ?? []), `\`${code}\``])
    }
    return [...alike].map(([key, each]) => {
      const [verdict = '', side = ''] = key.split(' ')
      return [each.join(', '), `\`${verdict}\``, side, advice] as const
    })
  })
}

function adviceOf({ code, advice }: CauseNote, notes: ReadonlyMap<string, CauseNote>): string {
  const other = /^As `(\w+)`\.$/.exec(advice)?.[1]
  if (other === undefined) return advice
  const meant = notes.get(other)
  if (meant !== undefined && !meant.advice.startsWith('As `')) return meant.advice
  throw new Error(`src/checkers: ${code} is "${advice}", which has no advice of its own`)
}

/** Code to comment, of every entry of a table of causes; where several types have the code, one comment is enough. */
function causeComments(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of sourcePaths().filter((each) => each.startsWith('src/checkers/'))) {
    const file = parseFile(path)
    const visit = (node: ts.Node): void => {
      const comment = isCause(node) ? commentAbove(node, file) : undefined
      if (comment !== undefined && ts.isPropertyAssignment(node)) {
        const code = node.name.getText()
        if (found.has(code) && found.get(code) !== comment) {
          throw new Error(`${path}: another table says something else of ${code}`)
        }
        found.set(code, comment)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return found
}

function isCause(node: ts.Node): boolean {
  return (
    ts.isPropertyAssignment(node) &&
    ts.isObjectLiteralExpression(node.initializer) &&
    node.initializer.properties.some((each) => each.name?.getText() === 'text')
  )
}

function commentAbove(node: ts.Node, { text }: ts.SourceFile): string | undefined {
  const range = ts.getLeadingCommentRanges(text, node.pos)?.at(-1)
  const comment = range === undefined ? '' : text.slice(range.pos, range.end)
  if (!comment.startsWith('/**')) return undefined
  const lines = comment.slice(3, -2).split('\n')
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim()
}
