/** test/mutation/scores.json: what `npm run mutate -- --write` wrote last, by part. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'
import { parts } from './parts.mjs'

/**
 * @typedef {object} Score
 * @property {number} mutants
 * @property {number} killed by a failing test
 * @property {number} timeouts killed by an endless loop or a test without an end
 * @property {number} equivalent no test can tell them from the original
 * @property {number} score percent of the others that are killed
 */

const file = join(root, 'test/mutation/scores.json')

/** @returns {Readonly<Record<string, Score>>} */
export function readScores() {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * @param {string} part
 * @param {Score} score
 */
export function writeScore(part, score) {
  const all = { ...readScores(), [part]: score }
  const ordered = Object.keys(parts).flatMap((name) => {
    const each = all[name]
    return each === undefined ? [] : [[name, each]]
  })
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), undefined, 2)}\n`)
}
