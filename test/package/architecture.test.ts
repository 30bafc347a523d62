import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { checkerTypes } from '../../scripts/entries.mjs'
import { floorOf, layerOf, objection } from './layers.ts'
import { parseSource, readSources, visit } from './sources.ts'
import type { SourceFile, SourceImport } from './sources.ts'

const sources = readSources()
const byPath = new Map(sources.map((file) => [file.path, file]))

describe('imports in src', () => {
  it('are those of the table of layers', () => {
    expect(sources.flatMap(objections)).toEqual([])
  })

  it('go to the file that has the thing, never to one that only passes it on', () => {
    const passedOn = sources.flatMap((file) =>
      file.imports
        .filter(({ target }) => target !== undefined && isBarrel(byPath.get(target)))
        .map(({ specifier }) => `${file.path} → ${specifier}`),
    )
    expect(passedOn).toEqual([])
  })

  it('end in .ts and lead to a file that exists', () => {
    const dead = sources.flatMap((file) =>
      file.imports
        .filter(({ target }) => target !== undefined && !byPath.has(target))
        .map(({ specifier }) => `${file.path} → ${specifier}`),
    )
    expect(dead).toEqual([])
  })

  it('make no circle, types included', () => {
    expect(circles()).toEqual([])
  })

  it('of the engine lead from its upper rooms to its lower ones', () => {
    expect(sources.flatMap(upward)).toEqual([])
  })

  it.each(['webhook/verify.ts', 'webhook/verify-standard.ts', 'webhook/receiver-signature.ts'])(
    'of %s stay inside src and off node:*, so that it runs in any runtime',
    (path) => {
      expect(byPath.has(path)).toBe(true)
      const outside = [...reachable(path)]
        .flatMap((file) => byPath.get(file)?.imports ?? [])
        .filter(({ target, typeOnly }) => target === undefined && !typeOnly)
      expect(outside.map(({ specifier }) => specifier)).toEqual([])
    },
  )
})

describe('the path of a result in docs/design/architecture.md', () => {
  const text = readFileSync('docs/design/architecture.md', 'utf8')
  const path = /## The path of a result\n(.*?)\n## /s.exec(text)?.[1] ?? ''
  const named = [...path.matchAll(/(\d+) ([a-z/-]+\.ts)/g)].map(([, n, file]) => [Number(n), file])

  it('names files that exist, each under one number', () => {
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(([, file]) => !byPath.has(String(file)))).toEqual([])
    expect(new Set(named.map(String)).size).toBe(new Set(named.map(([, file]) => file)).size)
  })

  it('numbers them without a gap, and says how many there are', () => {
    const numbers = [...new Set(named.map(([n]) => Number(n)))].toSorted((a, b) => a - b)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(path).toContain(`\n${numbers.length} files hand the result on`)
  })
})

describe('a planted violation is seen:', () => {
  it('a lower room of the engine that imports an upper one', () => {
    const text = `import { createOutbox } from '../delivery/outbox.ts'`
    expect(upward(parseSource('engine/checks/report.ts', text))).toHaveLength(1)
    expect(upward(parseSource('engine/services/contacts.ts', text))).toEqual([])
  })

  it.each([
    ['checkers/tcp.ts', `import { createEngine } from '../engine/engine.ts'`],
    ['checkers/tcp.ts', `import type { Engine } from '../engine/api.ts'`],
    ['checkers/tcp.ts', `import { connect } from 'node:net'`],
    ['checkers/mysql.ts', `import { createConnection } from 'mysql2/promise'`],
    ['engine/engine.ts', `import { tcp } from '../checkers/tcp.ts'`],
    ['engine/engine.ts', `import { heartbeat } from '../checkers/heartbeat/index.ts'`],
    ['engine/engine.ts', `const { request } = await import('node:https')`],
    ['engine/engine.ts', `import { Pool } from 'pg'`],
    ['incident/quorum.ts', `import { silentLogger } from '../logger.ts'`],
    ['incident/quorum.ts', `import { createHash } from 'node:crypto'`],
    ['store/memory.ts', `export { iso } from '../fields/text.ts'`],
    ['net/guard/guard.ts', `type Check = import('../../checkers/checker.ts').Checker`],
    ['clock.ts', `import { iso } from './fields/text.ts'`],
    ['page/page.ts', `import left from 'left-pad'`],
    ['fields/url.ts', `const it = await import(name)`],
  ])('%s: %s', (path, text) => {
    expect(objections(parseSource(path, text))).toHaveLength(1)
  })

  it.each([
    ['engine/engine.ts', `import type { Checker } from '../checkers/checker.ts'`],
    ['checkers/mysql.ts', `const driver = await import('mysql2/promise')`],
    ['checkers/mysql.ts', `import type { Connection } from 'mysql2/promise'`],
    ['rest/node.ts', `import type { IncomingMessage } from 'node:http'`],
    ['net/connection/connection.ts', `import { connect } from 'node:tls'`],
  ])('and this is none: %s: %s', (path, text) => {
    expect(objections(parseSource(path, text))).toEqual([])
  })
})

describe('code in src', () => {
  it('keeps no state in modules: two engines in one process do not see each other', () => {
    expect(sources.flatMap(moduleState)).toEqual([])
  })

  it('names no type of check outside of checkers', () => {
    const layers = ['engine', 'incident', 'page', 'probes', 'rest', 'store', 'webhook']
    const files = sources.filter(({ path }) => layers.includes(layerOf(path)))
    expect(files.flatMap(typeCodes)).toEqual([])
  })

  it('leaves environment, output and signals to the host, but for the command line', () => {
    const files = sources.filter(({ path }) => layerOf(path) !== 'cli')
    // The default logger: one line for an error that nobody hears.
    const allowed = /^logger\.ts:\d+: console\.error$/
    const found = files.flatMap(hostAccess)
    expect(found.filter((place) => !allowed.test(place))).toEqual([])
    expect(found).toHaveLength(1)
  })

  it('is in files that can be read in one sitting: at most 350 lines', () => {
    const long = sources.filter(({ lines }) => lines > 350)
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })

  it('says on the line why a rule is silenced', () => {
    expect(sources.flatMap(unexplained)).toEqual([])
  })

  it('has no class but for errors', () => {
    expect(sources.flatMap(classes)).toEqual([])
  })

  it.each([
    [moduleState, 'let round = 0'],
    [moduleState, 'const seen = new Map<string, number>()'],
    [moduleState, 'const queue: string[] = []'],
    [typeCodes, "if (monitor.type === 'heartbeat') wait()"],
    [typeCodes, 'switch (type) { case `ssl`: break }'],
    [hostAccess, "console.log('hello')"],
    [hostAccess, "const port = process.env['PORT']"],
    [hostAccess, "process.on('SIGTERM', stop)"],
    [classes, 'class Manager extends Base {}'],
    [unexplained, '// eslint-disable-next-line no-console'],
    [unexplained, '// @ts-expect-error'],
  ])('%o sees: %s', (look, text) => {
    expect(look(parseSource('engine/planted.ts', text))).toHaveLength(1)
  })

  it.each([
    [moduleState, 'const LIMITS = new Map([[1, 2]])\nfunction f() { let round = 0 }'],
    [typeCodes, "// a 'heartbeat' is fed\nconst scheme = { type: 'http', scheme: 'bearer' }"],
    [typeCodes, "const scheme = encrypted ? 'https' : 'http'"],
    [hostAccess, 'const { platform } = process'],
    [classes, 'class LateError extends WatchpostError {}'],
    [unexplained, '// eslint-disable-next-line no-console -- nobody else says it'],
  ])('%o leaves alone: %s', (look, text) => {
    expect(look(parseSource('engine/planted.ts', text))).toEqual([])
  })
})

/** Silenced rules without a reason behind them. */
function unexplained({ path, tree }: SourceFile): string[] {
  return tree.text
    .split('\n')
    .flatMap((line, at) =>
      /eslint-disable(?!.* -- \w)|@ts-(?:expect-error|ignore|nocheck)(?! \w)/.test(line)
        ? [`${path}:${at + 1}`]
        : [],
    )
}

function isBarrel(file: SourceFile | undefined): boolean {
  if (file === undefined) return false
  const passesOn = (node: ts.Statement) =>
    ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined
  return file.tree.statements.every(passesOn)
}

function objections(file: SourceFile): string[] {
  return file.imports.flatMap((found) => {
    const problem = objection(file, found)
    return problem === undefined ? [] : [`${file.path} → ${found.specifier} ${problem}`]
  })
}

/** Top-level `let`, and empty collections, which are there to be filled. */
function moduleState({ path, tree }: SourceFile): string[] {
  return tree.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    const variable = (declarationList.flags & ts.NodeFlags.Const) === 0
    return declarationList.declarations
      .filter(({ initializer }) => variable || (initializer !== undefined && isEmpty(initializer)))
      .map((declaration) => `${path}: ${declaration.getText()}`)
  })
}

function isEmpty(node: ts.Expression): boolean {
  if (ts.isNewExpression(node)) {
    const name = node.expression.getText()
    return /^(?:Weak)?(?:Map|Set)$/.test(name) && (node.arguments?.length ?? 0) === 0
  }
  return ts.isArrayLiteralExpression(node) && node.elements.length === 0
}

function typeCodes(file: SourceFile): string[] {
  return places(
    file,
    (node) => ts.isStringLiteralLike(node) && checkerTypes.includes(node.text) && !isScheme(node),
  )
}

/** `http` is also the scheme of an address, and how OpenAPI writes bearer authentication. */
function isScheme(node: ts.Node): boolean {
  const around = ts.isPropertyAssignment(node.parent) ? node.parent.parent : node.parent
  return /'https'|\bscheme: 'bearer'/.test(around.getText())
}

function hostAccess(file: SourceFile): string[] {
  const host = /^(?:console\.|process\.(?:argv|env|exit|exitCode|on|once|std\w+)$)/
  return places(file, (node) => ts.isPropertyAccessExpression(node) && host.test(node.getText()))
}

function classes(file: SourceFile): string[] {
  return places(file, (node) => {
    if (!ts.isClassLike(node)) return false
    const base = node.heritageClauses?.[0]?.types[0]?.expression.getText() ?? ''
    return !/(?:Error|Failure)$/.test(base)
  })
}

function places({ path, tree }: SourceFile, wanted: (node: ts.Node) => boolean): string[] {
  const found: string[] = []
  visit(tree, (node) => {
    if (!wanted(node)) return
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${path}:${line + 1}: ${node.getText().split('\n')[0] ?? ''}`)
  })
  return found
}

function runtimeTargets(path: string): string[] {
  const needed = (found: SourceImport) => !found.typeOnly && !found.lazy
  const imports = byPath.get(path)?.imports.filter(needed) ?? []
  return imports.flatMap(({ target }) => (target === undefined ? [] : [target]))
}

function reachable(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const target of runtimeTargets(path)) reachable(target, seen)
  return seen
}

function circles(): string[] {
  return sources
    .filter(({ path }) => eagerTargets(path).some((target) => canReach(target, path)))
    .map(({ path }) => path)
}

/** What a file needs to be read; a command that is loaded when it is called is read by itself. */
function eagerTargets(path: string): string[] {
  const imports = byPath.get(path)?.imports ?? []
  return imports.flatMap(({ target, lazy }) => (target === undefined || lazy ? [] : [target]))
}

function canReach(from: string, wanted: string): boolean {
  const seen = new Set<string>()
  const next = [from]
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (path === wanted) return true
    if (seen.has(path)) continue
    seen.add(path)
    next.push(...eagerTargets(path))
  }
  return false
}

function upward(file: SourceFile): string[] {
  const from = floorOf(file.path)
  if (from === undefined) return []
  return file.imports.flatMap(({ target }) => {
    const to = target === undefined ? undefined : floorOf(target)
    return to === undefined || to <= from ? [] : [`${file.path} → ${target}`]
  })
}
