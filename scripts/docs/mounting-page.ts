/** The lines of the examples that mount the API, as they are run by test/examples/frameworks.test.ts. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'
import { block } from './markdown.ts'

/** What the page imports once, for all of them. */
const BEFORE =
  /from '(?:watchpost|watchpost\/(?:checkers|metrics|page|rest|store\/sqlite)|reflect-metadata)'/

/** Marker of the page to its content. */
export function mountingParts(): Readonly<Record<string, string>> {
  return {
    'node-http': mounted('node-http.mjs'),
    express: mounted('express.mjs'),
    fastify: mounted('fastify.mjs'),
    hono: mounted('hono.mjs'),
    koa: mounted('koa.mjs'),
    nestjs: mounted('nestjs/main.ts'),
    'nextjs-config': whole('nextjs/next.config.mjs'),
    'nextjs-route': whole('nextjs/app/api/v1/[...path]/route.js'),
    'nextjs-engine': whole('nextjs/watchpost.js'),
  }
}

/** The imports that an example has beside those of the page, and its region `mount`. */
function mounted(name: string): string {
  const text = read(name)
  const imports = text
    .split('\n')
    .filter((line) => line.startsWith('import ') && !line.startsWith('import type'))
    .filter((line) => !BEFORE.test(line))
  const [, region = ''] = /\/\/ #region mount\n([\s\S]*?)\/\/ #endregion/.exec(text) ?? []
  return block(
    name.endsWith('.ts') ? 'typescript' : 'mjs',
    `${imports.join('\n')}\n\n${region.trimEnd()}`,
  )
}

/** A file without the comment at its head. */
function whole(name: string): string {
  return block(
    'mjs',
    read(name)
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .trim(),
  )
}

function read(name: string): string {
  return readFileSync(join(root, 'examples', name), 'utf8')
}
