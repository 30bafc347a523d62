/** The titles of the tests in a file, as they are written there. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../scripts/steps.mjs'

/** Which argument of a call is the title. */
const TITLE_AT: Readonly<Record<string, number>> = {
  describe: 0,
  describeWithServer: 1,
  it: 0,
  test: 0,
}

/** Of each test the titles of what stands around it and its own; those of templates as in the source. */
export function titlesIn(path: string): string[][] {
  return titlesOf(readFileSync(join(root, path), 'utf8'))
}

export function titlesOf(text: string): string[][] {
  const found: string[][] = []
  const tree = ts.createSourceFile('test.ts', text, ts.ScriptTarget.ES2023, true)
  const look = (node: ts.Node, around: readonly string[]): void => {
    const named = ts.isCallExpression(node) ? titled(node) : undefined
    const titles = named === undefined ? around : [...around, named.title]
    if (named?.isTest === true) found.push([...titles])
    node.forEachChild((child) => {
      look(child, titles)
    })
  }
  look(tree, [])
  return found
}

function titled(call: ts.CallExpression): { title: string; isTest: boolean } | undefined {
  const name = calleeOf(call.expression)
  const title = call.arguments[TITLE_AT[name] ?? -1]
  if (title === undefined) return undefined
  const isTest = name === 'it' || name === 'test'
  if (ts.isStringLiteralLike(title)) return { title: title.text, isTest }
  return ts.isTemplateExpression(title)
    ? { title: title.getText().slice(1, -1), isTest }
    : undefined
}

/** `it` of `it.each(rows)('…')` and of `it.each<Row>(rows)('…')`. */
function calleeOf(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) {
    return calleeOf(callee.expression)
  }
  return ''
}
