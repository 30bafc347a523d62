/**
 * What a release needs of the repository.
 *
 * `node scripts/release.mjs cut`: run by `npm version`; gives the lines under Unreleased the new version and
 * today's date, and src/version.ts the version. `node scripts/release.mjs check [tag]`: run before a
 * publication; refuses where version, tag, changelog and sources do not agree.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps.mjs'

const UNRELEASED = '## Unreleased'

/**
 * @param {string} changelog
 * @param {string} version
 * @param {string} day `2026-01-31`
 * @throws where nothing stands under Unreleased
 */
export function cut(changelog, version, day) {
  if (unreleased(changelog) === '') throw new Error('CHANGELOG.md has nothing under Unreleased')
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} (${day})`)
}

/**
 * @param {{ version: string, sourceVersion: string | undefined, changelog: string, tag: string | undefined }} facts
 * @returns {string[]} what is in the way
 */
export function problems({ version, sourceVersion, changelog, tag }) {
  const found = []
  if (tag !== undefined && tag !== `v${version}`) {
    found.push(`the tag is ${tag}, package.json has the version ${version}`)
  }
  if (sourceVersion !== version) {
    found.push(`src/version.ts says ${sourceVersion ?? 'nothing'}, package.json ${version}`)
  }
  const titled = changelog.split('\n').some((line) => line.startsWith(`## ${version} (`))
  if (!titled) found.push(`CHANGELOG.md has no section "## ${version} (date)"`)
  if (unreleased(changelog) !== '') found.push('CHANGELOG.md still has lines under Unreleased')
  return found
}

/** @param {string} changelog */
function unreleased(changelog) {
  const [, behind = ''] = changelog.split(`${UNRELEASED}\n`)
  return (behind.split(/^## /m)[0] ?? '').trim()
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

/** @param {readonly (string | undefined)[]} words */
function main([action, tag]) {
  const { version } = /** @type {{ version: string }} */ (JSON.parse(read('package.json')))
  if (action === 'cut') {
    const day = new Date().toISOString().slice(0, 10)
    writeFileSync(join(root, 'CHANGELOG.md'), cut(read('CHANGELOG.md'), version, day))
    const source = read('src/version.ts').replace(/'[^']+'/, `'${version}'`)
    writeFileSync(join(root, 'src/version.ts'), source)
    return
  }
  const sourceVersion = /VERSION = '([^']+)'/.exec(read('src/version.ts'))?.[1]
  const found = problems({ version, sourceVersion, changelog: read('CHANGELOG.md'), tag })
  for (const problem of found) console.error(problem)
  if (found.length === 0) console.log(`${version} may be published`)
  process.exitCode = found.length === 0 ? 0 : 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2))
